// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/router_core.h"

#include <algorithm>

#include "hw/base/random.h"

namespace chimera::fabric {

router_core::router_core(const chm_topology& topology, const fabric_params& params, uint32_t node)
    : m_topology(topology), m_params(params), m_node(node), m_vcs(topology.vcs),
      m_routing(topology, node), m_inputs(chm_node_inputs(&topology, node)),
      m_outputs(chm_node_outputs(&topology, node)), m_channels(m_inputs.size() * m_vcs),
      m_output_channels(m_outputs.size() * m_vcs), m_waiting(m_outputs.size(), m_channels.size()),
      m_ready(m_outputs.size(), m_channels.size()), m_wanted(1, m_outputs.size()),
      m_switch_allocator(inputs(), outputs(), m_vcs), m_offered(m_vcs, input_channel::none) {
    make_inputs();
    make_outputs();
}

void router_core::make_inputs() {
    const uint32_t first_in = m_topology.first_in_link[m_node];
    const uint32_t links_in = m_topology.first_in_link[m_node + 1] - first_in;
    for (uint32_t port = 0; port < inputs(); ++port) {
        m_inputs[port].credit_cycles =
            m_params.credit_delay_cycles +
            (port < links_in
                 ? m_topology.links[m_topology.in_links[first_in + port]].latency_cycles
                 : m_topology.injection_latency_cycles);
    }
}

void router_core::make_outputs() {
    for (uint32_t port = 0; port < outputs(); ++port) {
        const uint32_t link = chm_node_output_link(&m_topology, m_node, port);
        output_unit& output = m_outputs[port];
        output.ejection = link == UINT32_MAX;
        output.delay_cycles = m_topology.router_cycles +
                              (output.ejection ? m_topology.ejection_latency_cycles
                                               : m_topology.links[link].latency_cycles);
        output.class_width = output.ejection ? m_vcs : m_vcs / m_topology.vc_classes;
        output.channels = &m_output_channels[port * m_vcs];
        for (uint32_t vc = 0; vc < m_vcs; ++vc) {
            output.channels[vc].room = m_topology.vc_depth_flits;
            output.channels[vc].next = vc;
        }
    }
}

uint64_t router_core::file_packet(uint32_t port, packet* item, uint64_t due) {
    m_routing.route(*item);
    item->due = due;
    m_inputs[port].arriving.push(item);
    return std::max({due, m_inputs[port].busy_until, m_outputs[item->output].busy_until});
}

uint64_t router_core::file_credit(uint32_t port, uint32_t vc, uint32_t flits, uint64_t due) {
    output_unit& output = m_outputs[port];
    output.returning.push({due, vc, flits});
    const bool wanted = output.channels[vc].free_from == output_channel::held;
    return wanted ? std::max(due, output.busy_until) : never;
}

bool router_core::stalled(uint64_t what, uint64_t now) const {
    if (m_params.stall_probability <= 0) {
        return false;
    }
    uint64_t place = (static_cast<uint64_t>(m_node) << 32) | what;
    return chm_chance(chm_hash3(m_params.seed, place, now), m_params.stall_probability);
}

uint64_t router_core::advance(uint64_t now, router_sink& sink) {
    accept_arrivals(now);
    m_wanted.any(0, [&](uint32_t output) {
        if (!m_waiting.empty(output)) {
            allocate_channels(output, now);
        }
        if (m_outputs[output].busy_until <= now) {
            request_switch(output, now);
        }
        return false;
    });
    if (m_switch_allocator.requested()) {
        for (const switch_allocator::grant& item : m_switch_allocator.allocate()) {
            grant(item, now, sink);
        }
    }
    return next_run(now);
}

void router_core::accept_arrivals(uint64_t now) {
    for (uint32_t port = 0; port < m_inputs.size(); ++port) {
        packet_list& arriving = m_inputs[port].arriving;
        while (!arriving.empty() && arriving.front()->due <= now) {
            packet* item = arriving.pop();
            const uint32_t channel = port * m_vcs + item->vc;
            const bool head = m_channels[channel].queue.empty();
            m_channels[channel].queue.push(item);
            if (head) {
                await_channel(channel, item->due);
            }
        }
    }
}

// The head of a channel is there from `from` on.
void router_core::await_channel(uint32_t channel, uint64_t from) {
    input_channel& input = m_channels[channel];
    input.ready_from = std::max(input.ready_from, from);
    const uint32_t output = input.queue.front()->output;
    m_waiting.insert(output, channel);
    m_wanted.insert(0, output);
}

void router_core::request_switch(uint32_t index, uint64_t now) {
    output_unit& output = m_outputs[index];
    output.settle(now);
    m_ready.any(index, [&](uint32_t channel) {
        const uint32_t port = channel / m_vcs;
        const input_channel& input = m_channels[channel];
        const packet& head = *input.queue.front();
        if (m_inputs[port].busy_until <= now &&
            (output.ejection || output.channels[input.output_vc].room >= head.flits) &&
            !stalled(channel, now) && !stalled(m_channels.size() + index, now)) {
            m_switch_allocator.request(port, channel % m_vcs, index);
        }
        return false;
    });
}

void router_core::grant(const switch_allocator::grant& item, uint64_t now, router_sink& sink) {
    const uint32_t channel = item.input * m_vcs + item.vc;
    input_unit& port = m_inputs[item.input];
    input_channel& input = m_channels[channel];
    output_unit& output = m_outputs[item.output];
    packet* moved = input.queue.pop();
    const uint32_t flits = moved->flits;
    const uint64_t end = now + flits;

    moved->vc = input.output_vc;
    output_channel& taken = output.channels[input.output_vc];
    output.busy_until = end;
    output.busy_cycles += flits;
    taken.free_from = end + 1; // as the input channel, the cycle after the port is free
    if (!output.ejection) {
        taken.room -= flits;
        ++moved->hops;
    }
    ++m_grants;

    port.busy_until = end;
    input.ready_from = end + 1;
    input.output_vc = input_channel::none;
    m_ready.erase(item.output, channel);
    if (m_ready.empty(item.output) && m_waiting.empty(item.output)) {
        m_wanted.erase(0, item.output);
    }
    if (!input.queue.empty()) {
        await_channel(channel, input.ready_from);
    }
    sink.send_packet(item.output, moved,
                     now + output.delay_cycles + (output.ejection ? flits : 0));
    sink.send_credit(item.input, item.vc, flits, end + port.credit_cycles);
}

// The earliest cycle after `now` at which a packet may be granted the switch, from what is known. A
// head that needs another grant or a credit not filed yet does not count, since either brings the
// router back here.
uint64_t router_core::next_run(uint64_t now) const {
    uint64_t next = never;
    m_wanted.any(0, [&](uint32_t output) {
        const uint64_t after = std::max(now + 1, m_outputs[output].busy_until);
        if (after < next) {
            next = std::min(next, next_grant(output, after));
        }
        return false;
    });
    for (uint32_t port = 0; port < m_inputs.size(); ++port) {
        const packet* item = m_inputs[port].arriving.front();
        for (; item != nullptr && item->due < next; item = item->next) {
            if (m_channels[port * m_vcs + item->vc].queue.empty()) {
                next = std::min(next, std::max({item->due, m_inputs[port].busy_until,
                                                m_outputs[item->output].busy_until}));
            }
        }
    }
    return next;
}

// The same for one output, no earlier than `after`.
uint64_t router_core::next_grant(uint32_t index, uint64_t after) const {
    const output_unit& output = m_outputs[index];
    uint64_t next = never;
    const bool at_once = m_ready.any(index, [&](uint32_t channel) {
        const input_channel& input = m_channels[channel];
        const uint64_t room = output.room_from(input.output_vc, input.queue.front()->flits);
        next = std::min(next, std::max({after, m_inputs[channel / m_vcs].busy_until, room}));
        return next == after;
    });
    if (at_once) {
        return next;
    }
    m_waiting.any(index, [&](uint32_t channel) {
        const input_channel& input = m_channels[channel];
        const uint64_t free = output.channel_from(input.queue.front()->first_vc);
        next = std::min(next, std::max({after, m_inputs[channel / m_vcs].busy_until,
                                        input.ready_from, free, output.retry_from}));
        return next == after;
    });
    return next;
}

} // namespace chimera::fabric
