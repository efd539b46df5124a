// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/lt/lt_router.h"

#include <algorithm>

#include "hw/base/random.h"
#include "hw/fabric/trace_notes.h"

namespace chimera::fabric {

lt_router::lt_router(const sc_core::sc_module_name& name, const lt_context& context, uint32_t node)
    : sc_core::sc_module(name), out("out", chm_node_outputs(&context.topology, node)),
      in("in", chm_node_inputs(&context.topology, node)), m_context(context), m_node(node),
      m_router_cycles(context.topology.router_cycles), m_in_order(context.params.lt_in_order),
      m_most_passed(context.topology.vcs / context.topology.vc_classes - 1), m_outputs(out.size()),
      m_queue(static_cast<uint32_t>(in.size())) {
    const chm_topology& topology = context.topology;
    for (uint32_t port = 0; port < out.size(); ++port) {
        const uint32_t id = chm_node_output_link(&topology, node, port);
        const chm_link* link = id == UINT32_MAX ? nullptr : &topology.links[id];
        lt_output& way = m_outputs[port];
        way.ejects = link == nullptr;
        way.latency_cycles = way.ejects ? topology.ejection_latency_cycles : link->latency_cycles;
        way.next_input = way.ejects ? 0 : link->to_port;
        out[port].bind(*this);
    }
    for (lt_target_socket& socket : in) {
        socket.bind(*this);
    }
}

void lt_router::end_of_elaboration() {
    for (uint32_t port = 0; port < out.size(); ++port) {
        m_outputs[port].next = out[port].operator->();
    }
}

size_t lt_router::intervals() const {
    size_t sum = 0;
    for (const lt_output& way : m_outputs) {
        sum += way.intervals();
    }
    return sum;
}

uint32_t lt_router::route(const chunk_head& head) const {
    const chm_route_key key = {head.source, head.destination, head.random};
    return m_context.topology.route(&m_context.topology, m_node, &key).port;
}

void lt_router::b_transport(chunk_head& head, sc_core::sc_time& delay) {
    if (!m_in_order) {
        const uint64_t before = head.due;
        serve(head, route(head), head.due);
        m_context.clock.advance(delay, before, head.due);
        call_next(head, delay);
        return;
    }
    const uint64_t end = m_context.turns.round_end(head.called);
    // What comes over a link always comes for a later round: no look at its input is needed.
    const uint64_t cycle = head.due >= end ? head.due : m_queue.at_once(head);
    head.output = route(head);
    if (cycle >= end) {
        m_queue.keep(head);
        ask(head.called);
        return;
    }
    const uint32_t input = head.input;
    m_queue.passed_through(input, serve(head, head.output, cycle));
    delay = m_context.clock.delay(head.called, head.due);
    call_next(head, delay);
}

// For a turn in the round of the next chunk, unless it has one that early.
void lt_router::ask(uint64_t now) {
    if (m_queue.next() < m_turn) {
        m_turn = m_context.turns.ask_in_round(m_node, *this, m_queue.next(), now);
    }
}

void lt_router::prefetch_queues() const {
    m_queue.prefetch();
}

void lt_router::prefetch_first() const {
    m_queue.prefetch_first();
    for (const lt_output& way : m_outputs) {
        way.prefetch();
    }
}

void lt_router::take_turn(uint64_t now) {
    const uint64_t end = m_context.turns.round_end(now);
    while (!m_queue.empty() && m_queue.next() < end) {
        const uint32_t input = m_queue.next_input();
        const uint64_t cycle = m_queue.next();
        let_pass(input, cycle);
        // Used where it lies: what is called next keeps a copy, and cannot call back within a
        // round.
        chunk_head& head = m_queue.first(input);
        head.called = now;
        head.passed_by = 0;
        const uint64_t busy_until = serve(head, head.output, cycle);
        sc_core::sc_time delay = m_context.clock.delay(now, head.due);
        call_next(head, delay);
        m_queue.served(busy_until);
    }
    m_turn = kernel::never;
    if (!m_queue.empty()) {
        ask(now);
    }
}

// A chunk that must wait for its output is passed by the one behind it if that can leave sooner, as
// it would in another virtual channel: as often as there are other channels beside its own.
void lt_router::let_pass(uint32_t input, uint64_t cycle) {
    chunk_head& first = m_queue.first(input);
    const chunk_head* second = m_queue.second(input);
    if (second == nullptr || second->due > cycle || first.passed_by == m_most_passed) {
        return;
    }
    const uint64_t from = cycle + m_router_cycles;
    const uint64_t start = m_outputs[first.output].find(from, first.flits);
    if (start != from && second->output != first.output &&
        m_outputs[second->output].find(from, second->flits) < start) {
        ++first.passed_by;
        m_queue.swap_first_two(input);
    }
}

uint64_t lt_router::stalled_until(uint32_t port, uint64_t cycle) const {
    const fabric_params& params = m_context.params;
    const uint64_t place = (static_cast<uint64_t>(m_node) << 32) | port;
    while (chm_chance(chm_hash3(params.seed, place, cycle), params.stall_probability)) {
        ++cycle;
    }
    return cycle;
}

// Reserves for a chunk that can leave its input at `cycle`, and says until when it is busy with it.
uint64_t lt_router::serve(chunk_head& head, uint32_t port, uint64_t cycle) {
    lt_output& way = m_outputs[port];
    uint64_t from = cycle + m_router_cycles;
    if (m_context.params.stall_probability > 0) {
        from = stalled_until(port, from);
    }
    const uint64_t start = way.reserve(from, head.flits, head.called);
    if (m_observer != nullptr) {
        note_hop(head, port, start);
    }
    head.due = start + way.latency_cycles;
    head.input = way.next_input;
    head.output = port;
    if (way.ejects) {
        head.due += head.flits;
    } else if (++head.hops > m_context.topology.nodes) {
        SC_REPORT_ERROR("chimera/fabric/lt", "routing leads in a circle");
    }
    return start - m_router_cycles + head.flits;
}

// While head.due and head.input are still those here.
void lt_router::note_hop(const chunk_head& head, uint32_t port, uint64_t start) {
    trace::hop_note note;
    note.packet = note_of(*head.body);
    note.node = m_node;
    note.in_port = head.input;
    note.out_port = port;
    note.arrived = head.due;
    note.granted = start - m_router_cycles;
    note.sent = start;
    m_observer->hop(note);
}

void lt_router::call_next(chunk_head& head, sc_core::sc_time& delay) {
    m_outputs[head.output].next->b_transport(head, delay);
}

} // namespace chimera::fabric
