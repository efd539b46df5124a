// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/router_core.h"

#include <algorithm>

#include "hw/base/random.h"

namespace chimera::fabric {

router_core::router_core(const chm_topology& topology, const fabric_params& params, uint32_t node,
                         packet_pool* pool)
    : m_topology(topology), m_params(params), m_node(node), m_vcs(topology.vcs),
      m_stalls(params.stall_probability > 0), m_routing(topology, node),
      m_input_count(chm_node_inputs(&topology, node)),
      m_output_count(chm_node_outputs(&topology, node)),
      m_cycles(size_t(2) * (m_input_count + m_output_count)), m_next_due(m_cycles.data()),
      m_input_busy(m_next_due + m_input_count), m_output_busy(m_input_busy + m_input_count),
      m_output_next(m_output_busy + m_output_count), m_output_flits(m_output_count, UINT32_MAX),
      m_wanted(1, m_output_count),
      m_waiting(size_t(m_output_count) * m_vcs, size_t(m_input_count) * m_vcs),
      m_ready(m_output_count, size_t(m_input_count) * m_vcs),
      m_heads(size_t(m_input_count) * m_vcs), m_output_channels(size_t(m_output_count) * m_vcs),
      m_classes(m_output_channels.size()), m_next_vc(m_output_channels.size() * m_input_count),
      m_inputs(m_input_count), m_outputs(m_output_count), m_queues(m_heads.size()),
      m_switch_allocator(inputs(), outputs(), m_vcs), m_offered(m_vcs, UINT32_MAX), m_pool(pool),
      m_passing_at(m_input_count) {
    std::fill_n(m_next_due, m_input_count, never);
    std::fill_n(m_output_next, m_output_count, never);
    m_words = m_ready.words() && m_output_count <= 64 && !m_stalls;
    make_inputs();
    make_outputs();
}

void router_core::make_inputs() {
    const uint32_t first_in = m_topology.first_in_link[m_node];
    const uint32_t links_in = m_topology.first_in_link[m_node + 1] - first_in;
    for (uint32_t port = 0; port < inputs(); ++port) {
        m_port_of.insert(m_port_of.end(), m_vcs, static_cast<uint16_t>(port));
        input_unit& input = m_inputs[port];
        input.credit_cycles =
            m_params.credit_delay_cycles +
            (port < links_in ? m_topology.links[m_topology.in_links[first_in + port]].latency_cycles
                             : m_topology.injection_latency_cycles);
        // Over a link with retries packets come as a whole.
        if (!m_params.lossy()) {
            // The tail of a packet that goes on at once comes later than it takes to leave: so do
            // credits, all alike, that they stay in order.
            input.cycles_per_flit = chm_node_input_cycles(&m_topology, m_node, port);
            input.credit_cycles += (chm_topology_flits(&m_topology, m_topology.mtu_bytes) - 1) *
                                   (input.cycles_per_flit - 1);
        }
        m_margin = std::min(m_margin, input.credit_cycles - 1);
    }
}

void router_core::make_outputs() {
    for (uint32_t port = 0; port < outputs(); ++port) {
        const uint32_t link = chm_node_output_link(&m_topology, m_node, port);
        output_unit& output = m_outputs[port];
        output.ejection = link == UINT32_MAX;
        output.delay_cycles =
            m_topology.router_cycles + (output.ejection ? m_topology.ejection_latency_cycles
                                                        : m_topology.links[link].latency_cycles);
        output.credit_cycles =
            output.ejection ? 0
                            : m_params.credit_delay_cycles + m_topology.links[link].latency_cycles;
        output.cycles_per_flit = chm_node_output_cycles(&m_topology, m_node, port);
        output.class_width =
            static_cast<uint16_t>(output.ejection ? m_vcs : m_vcs / m_topology.vc_classes);
        uint64_t& limit = output.ejection ? m_margin : m_longest_wait;
        limit = std::min(limit, output.delay_cycles - 1);
        output.channels = &m_output_channels[port * m_vcs];
        output.classes = &m_classes[port * m_vcs];
        for (uint32_t first = 0; m_words && first < m_vcs; first += output.class_width) {
            output.classes[first].loose = (~uint64_t(0) >> (64 - output.class_width)) << first;
        }
        for (uint32_t vc = 0; vc < m_vcs; ++vc) {
            output.channels[vc].room = m_topology.vc_depth_flits;
            std::fill_n(&m_next_vc[(port * m_vcs + vc) * m_input_count], m_input_count,
                        static_cast<uint16_t>(vc));
        }
    }
}

uint64_t router_core::file_packet(uint32_t port, packet* item, uint64_t due) {
    queued_packet& entry = m_inputs[port].arriving.extend();
    entry.item = item;
    entry.flits = item->flits;
    entry.count = item->train > 1 ? item->train : 0;
    entry.vc = static_cast<uint16_t>(item->vc);
    m_routing.route(*item, entry.output, entry.first_vc);
    due += gathering(port, entry.output, entry.flits);
    entry.due = due;
    if (m_observer != nullptr) {
        note_buffered(port, entry.vc, entry.flits, due);
    }
    m_next_due[port] = std::min(m_next_due[port], due);
    // A train needs its decision, and one that passes hears of its rivals, when they are due.
    m_trains += item->train > 1 ? 1 : 0;
    if (item->train > 1 || !m_passing.empty()) {
        return filed(due, due);
    }
    const uint64_t cycle = std::max({due, m_input_busy[port], m_output_busy[entry.output]});
    return filed(cycle, cycle + wait(entry.flits));
}

uint64_t router_core::file_credit(uint32_t port, uint32_t vc, uint32_t flits, uint64_t due) {
    output_unit& output = m_outputs[port];
    output.returning.push({due, vc, flits});
    if (output.channels[vc].free_from != output_channel::held) {
        return never;
    }
    const uint64_t cycle = std::max(due, m_output_busy[port]);
    m_output_next[port] = std::min(m_output_next[port], cycle);
    return filed(cycle, cycle + wait(m_output_flits[port]));
}

bool router_core::stalled(uint64_t what, uint64_t now) const {
    uint64_t place = (static_cast<uint64_t>(m_node) << 32) | what;
    return chm_chance(chm_hash3(m_params.seed, place, now), m_params.stall_probability);
}

uint64_t router_core::advance(uint64_t now, router_sink& sink) {
    if (!m_passing.empty() || !m_notices.empty()) {
        work_off_trains(now, sink);
    }
    for (uint32_t port = 0; port < m_input_count; ++port) {
        if (m_next_due[port] <= now) {
            accept_arrivals(port, now);
        }
    }
    if (m_train_due) {
        admit_trains(now, sink);
    }
    if (m_words) {
        return decide_words(now, sink);
    }
    decide(now);
    if (m_switch_allocator.requested()) {
        for (const switch_allocator::grant& item : m_switch_allocator.allocate()) {
            grant(item, now, sink);
        }
    }
    return next_run(now);
}

void router_core::decide(uint64_t now) {
    for (uint32_t output = 0; output < m_output_count; ++output) {
        if (m_output_next[output] <= now) {
            allocate_channels(output, now);
            if (m_output_busy[output] <= now) {
                request_switch(output, now);
            }
        }
    }
}

void router_core::accept_arrivals(uint32_t port, uint64_t now) {
    ring_queue<queued_packet>& arriving = m_inputs[port].arriving;
    do {
        const queued_packet& entry = arriving.front();
        if (entry.count != 0) {
            m_train_due = true;
            break;
        }
        const uint32_t channel = port * m_vcs + entry.vc;
        m_queues[channel].push(entry);
        if (m_queues[channel].size() == 1) {
            await_channel(channel, entry);
        }
        arriving.pop();
    } while (!arriving.empty() && arriving.front().due <= now);
    m_next_due[port] = arriving.empty() ? never : arriving.front().due;
}

// `entry` is the head of a channel from now on.
void router_core::await_channel(uint32_t channel, const queued_packet& entry) {
    channel_head& head = m_heads[channel];
    head.ready_from = std::max(head.ready_from, entry.due);
    head.flits = entry.flits;
    head.first_vc = entry.first_vc;
    __builtin_prefetch(entry.item, 1); // its grant is next
    m_waiting.insert(class_row(entry.output, entry.first_vc), channel);
    m_wanted.insert(0, entry.output);
    m_output_next[entry.output] = std::min(m_output_next[entry.output],
                                           std::max(head.ready_from, m_output_busy[entry.output]));
    m_output_flits[entry.output] = std::min(m_output_flits[entry.output], entry.flits);
}

void router_core::request_switch(uint32_t index, uint64_t now) {
    output_unit& output = m_outputs[index];
    output.settle(now);
    m_ready.any(index, [&](uint32_t channel) {
        const uint32_t port = port_of(channel);
        const channel_head& head = m_heads[channel];
        if (m_input_busy[port] <= now && output.has_room(head.output_vc, head.flits) &&
            !(m_stalls && (stalled(channel, now) || stalled(m_heads.size() + index, now)))) {
            m_switch_allocator.request(port, channel - port * m_vcs, index);
        }
        return false;
    });
}

void router_core::grant(const switch_allocator::grant& item, uint64_t now, router_sink& sink) {
    const uint32_t channel = item.input * m_vcs + item.vc;
    channel_head& head = m_heads[channel];
    output_unit& output = m_outputs[item.output];
    ring_queue<queued_packet>& queue = m_queues[channel];
    packet* moved = queue.front().item;
    if (m_observer != nullptr) {
        note_grant(item, queue.front(), now);
    }
    queue.pop();
    const uint32_t flits = head.flits;
    const uint64_t left = now + flits; // the input, and by `end` the output
    const uint64_t end = now + uint64_t(flits) * output.cycles_per_flit;
    output.classes[head.first_vc].loose |= uint64_t(m_words) << (head.output_vc & 63);

    moved->vc = head.output_vc;
    output_channel& taken = output.channels[head.output_vc];
    taken.free_from = end + 1; // the cycle after the port is free, as the input channel
    if (!output.ejection) {
        taken.room -= flits;
        ++moved->hops;
    }
    output.busy_cycles += end - now;
    m_output_busy[item.output] = end;
    m_input_busy[item.input] = left;
    ++m_grants;

    head.ready_from = left + 1;
    head.output_vc = channel_head::none;
    m_ready.erase(item.output, channel);
    if (m_ready.empty(item.output) && !anyone_waits(item.output)) {
        m_wanted.erase(0, item.output);
        m_output_flits[item.output] = UINT32_MAX;
    }
    if (!queue.empty()) {
        await_channel(channel, queue.front());
    }
    sink.send_packet(item.output, moved, now + output.delay_cycles + (output.ejection ? flits : 0));
    sink.send_credit(item.input, item.vc, flits, left + m_inputs[item.input].credit_cycles);
}

} // namespace chimera::fabric
