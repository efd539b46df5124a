// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/lt/lt_router.h"

#include <algorithm>

#include "hw/base/random.h"
#include "hw/fabric/trace_notes.h"

namespace chimera::fabric {

namespace {

// Up to so many dies, a router keeps the answers of the routing function, a byte each. On larger
// machines the table would be cold memory, and asking is quicker.
constexpr uint32_t most_kept_routes = 512;
constexpr uint32_t not_asked = UINT8_MAX;
constexpr uint32_t most_passed = 127; // chunk_head::passed_by

} // namespace

void lt_input::b_transport(chunk_head& head, sc_core::sc_time& delay) {
    if (!m_keeps) {
        m_router->pass(head, m_index, m_cycles_per_flit, delay);
        return;
    }
    if (m_cycles_per_flit > 1) {
        m_router->put_off(head, m_index, m_cycles_per_flit);
    }
    const bool first = m_waiting.empty();
    m_waiting.push(head, *m_pool);
    if (first) {
        m_router->begins(m_index);
    }
}

lt_router::lt_router(const sc_core::sc_module_name& name, const lt_context& context, uint32_t node)
    : sc_core::sc_module(name), out("out", chm_node_outputs(&context.topology, node)),
      in("in", chm_node_inputs(&context.topology, node)), m_context(context), m_node(node),
      m_router_cycles(context.topology.router_cycles),
      m_most_passed(
          std::min<uint32_t>(most_passed, context.topology.vcs / context.topology.vc_classes - 1)),
      m_most_hops(
          static_cast<uint16_t>(std::min<uint32_t>(UINT16_MAX - 1, context.topology.nodes))),
      m_stalls(context.params.stall_probability > 0),
      m_one_port(context.topology.ports_per_die <= 1), m_outputs(out.size()), m_inputs(in.size()),
      m_waiting((in.size() + 63) / 64), m_leaving(in.size()) {
    const chm_topology& topology = context.topology;
    if (topology.routes_by_destination && m_one_port && topology.dies <= most_kept_routes &&
        out.size() <= not_asked) {
        m_routes.assign(topology.dies, not_asked);
    }
    for (uint32_t port = 0; port < out.size(); ++port) {
        const uint32_t id = chm_node_output_link(&topology, node, port);
        const chm_link* link = id == UINT32_MAX ? nullptr : &topology.links[id];
        lt_output& way = m_outputs[port];
        way.ejects = link == nullptr;
        way.latency_cycles = way.ejects ? topology.ejection_latency_cycles : link->latency_cycles;
        way.cycles_per_flit = chm_node_output_cycles(&topology, node, port);
        out[port].bind(*this);
    }
    for (uint32_t port = 0; port < in.size(); ++port) {
        m_inputs[port].become(*this, port, context.heads, context.params.lt_in_order,
                              chm_node_input_cycles(&topology, node, port));
        in[port].bind(m_inputs[port]);
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

inline lt_output& lt_router::output_of(chunk_head& head, uint32_t input) {
    uint32_t output = head.output;
    if (output == output_unknown && !m_routes.empty()) {
        output = m_routes[head.destination];
        output = output == not_asked ? output_unknown : output;
    }
    if (output == output_unknown) {
        output = ask_route(head, input);
    }
    head.output = output;
    return m_outputs[output];
}

uint32_t lt_router::ask_route(const chunk_head& head, uint32_t input) {
    const chm_topology& topology = m_context.topology;
    const chm_route_key key = {head.source, head.destination, head.random};
    uint32_t output = topology.route(&topology, m_node, &key).port;
    if (!m_one_port && m_outputs[output].ejects) {
        output += chm_die_port_in(&topology, head.source, head.destination, input);
    }
    if (!m_routes.empty()) {
        m_routes[head.destination] = static_cast<uint8_t>(output);
    }
    return output;
}

void lt_router::put_off(chunk_head& head, uint32_t input, uint32_t cycles_per_flit) {
    const uint32_t onward = output_of(head, input).cycles_per_flit;
    head.due +=
        cycles_per_flit > onward ? uint64_t(cycles_per_flit - onward) * (head.flits - 1) : 0;
}

void lt_router::begins(uint32_t input) {
    m_waiting[input / 64] |= uint64_t(1) << input % 64;
    ask(m_inputs[input].ready(), m_context.turns.now());
}

// For a turn in the round of `cycle`, unless it has one that early.
void lt_router::ask(uint64_t cycle, uint64_t now) {
    if (cycle < m_turn) {
        m_turn = m_context.turns.ask_router(m_node, *this, cycle, now);
    }
}

void lt_router::prefetch_queues() const {
    for (const lt_input& each : m_inputs) {
        __builtin_prefetch(&each, 1);
    }
    for (const lt_output& each : m_outputs) {
        __builtin_prefetch(&each, 1);
    }
}

void lt_router::prefetch_first() const {
    for (const lt_input& each : m_inputs) {
        each.prefetch_front();
    }
    for (const lt_output& each : m_outputs) {
        each.prefetch();
    }
}

// The inputs that can serve in the round; returns when the next of the others can.
uint64_t lt_router::gather(uint64_t begin, uint64_t end) {
    uint64_t next = kernel::never;
    for (uint32_t word = 0; word < m_waiting.size(); ++word) {
        for (uint64_t left = m_waiting[word]; left != 0; left &= left - 1) {
            const uint32_t input = 64 * word + static_cast<uint32_t>(__builtin_ctzll(left));
            const uint64_t cycle = m_inputs[input].ready();
            if (cycle < end) {
                m_leaving.add(cycle - begin, m_inputs[input].front().source, input);
            } else {
                next = std::min(next, cycle);
            }
        }
    }
    return next;
}

// Reserves for a chunk that asks from `from` on, and says when it has the output.
inline uint64_t lt_router::serve(chunk_head& head, uint32_t input, lt_output& way, uint64_t from,
                                 uint64_t now) {
    if (m_stalls) {
        from = stalled_until(head.output, from);
    }
    const uint64_t start = way.reserve(from, head.flits, now);
    if (m_observer != nullptr) {
        note_hop(head, input, head.output, start);
    }
    head.due = start + way.latency_cycles + (way.ejects ? head.flits : 0);
    head.output = output_unknown;
    head.passed_by = 0;
    head.hops = static_cast<uint16_t>(head.hops + (way.ejects ? 0 : 1));
    if (head.hops > m_most_hops) {
        SC_REPORT_ERROR("chimera/fabric/lt", "routing leads in a circle");
    }
    return start;
}

void lt_router::pass(chunk_head& head, uint32_t input, uint32_t cycles_per_flit,
                     sc_core::sc_time& delay) {
    const uint64_t before = head.due;
    put_off(head, input, cycles_per_flit);
    lt_output& way = m_outputs[head.output];
    serve(head, input, way, head.due + m_router_cycles, m_context.turns.now());
    m_context.clock.advance(delay, before, head.due);
    way.next->b_transport(head, delay);
}

void lt_router::take_turn(uint64_t now) {
    const uint64_t begin = m_context.turns.round_begin(), end = m_context.turns.round_end();
    const uint64_t router_cycles = m_router_cycles;
    lt_input* const inputs = m_inputs.data();
    m_turn = kernel::never;
    uint64_t next = gather(begin, end);
    while (!m_leaving.empty()) {
        const uint32_t index = m_leaving.input();
        lt_input& input = inputs[index];
        const uint64_t from = begin + m_leaving.cycle() + router_cycles;
        // Used where it lies: what is called keeps a copy, and cannot call back within a round.
        chunk_head& head = input.front();
        lt_output* way = &output_of(head, index);
        if (way->end() > from) {
            let_pass(index, from);
            way = &m_outputs[head.output];
        }
        const uint64_t start = serve(head, index, *way, from, now);
        const uint64_t busy_until = start - router_cycles + head.flits;
        sc_core::sc_time delay = m_context.clock.delay(now, head.due);
        way->next->b_transport(head, delay);
        input.served(busy_until);
        const uint64_t ready = input.empty() ? kernel::never : input.ready();
        if (ready < end) {
            m_leaving.put_back(ready - begin, input.front().source);
            continue;
        }
        m_leaving.drop();
        next = std::min(next, ready);
        if (ready == kernel::never) {
            m_waiting[index / 64] &= ~(uint64_t(1) << index % 64);
        }
    }
    if (next != kernel::never) {
        ask(next, now);
    }
}

// A chunk that must wait for its output is passed by the one behind it if that can leave sooner, as
// it would in another virtual channel: as often as there are other channels beside its own.
void lt_router::let_pass(uint32_t index, uint64_t from) {
    lt_input& input = m_inputs[index];
    chunk_head* second = input.second();
    chunk_head& first = input.front();
    if (second == nullptr || second->due + m_router_cycles > from ||
        first.passed_by == m_most_passed) {
        return;
    }
    const uint64_t start = m_outputs[first.output].find(from, first.flits);
    if (start == from) {
        return;
    }
    const lt_output& other = output_of(*second, index);
    if (second->output != first.output && other.find(from, second->flits) < start) {
        ++first.passed_by;
        std::swap(first, *second);
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

// While head.due is still that here.
void lt_router::note_hop(const chunk_head& head, uint32_t input, uint32_t port, uint64_t start) {
    trace::hop_note note;
    note.packet = note_of(m_context.chunks.at(head.body));
    note.node = m_node;
    note.in_port = input;
    note.out_port = port;
    note.arrived = head.due;
    note.granted = start - m_router_cycles;
    note.sent = start;
    note.busy_cycles = uint64_t(head.flits) * m_outputs[port].cycles_per_flit;
    m_observer->hop(note);
}

} // namespace chimera::fabric
