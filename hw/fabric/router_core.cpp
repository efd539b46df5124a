// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/router_core.h"

#include <algorithm>

#include "hw/base/random.h"

namespace chimera::fabric {

router_core::router_core(const chm_topology& topology, const fabric_params& params, uint32_t node)
    : m_topology(topology), m_params(params), m_node(node), m_vcs(topology.vcs),
      m_routing(topology, node),
      m_vc_allocator(chm_node_inputs(&topology, node), chm_node_outputs(&topology, node), m_vcs),
      m_switch_allocator(chm_node_inputs(&topology, node), chm_node_outputs(&topology, node),
                         m_vcs) {
    const uint64_t credit = params.credit_delay_cycles;
    const uint32_t first_in = topology.first_in_link[node];
    const uint32_t links_in = topology.first_in_link[node + 1] - first_in;
    for (uint32_t port = 0; port < chm_node_inputs(&topology, node); ++port) {
        uint64_t latency = port < links_in
                               ? topology.links[topology.in_links[first_in + port]].latency_cycles
                               : topology.injection_latency_cycles;
        m_inputs.emplace_back(m_vcs, credit + latency);
    }
    for (uint32_t port = 0; port < chm_node_outputs(&topology, node); ++port) {
        uint32_t link = chm_node_output_link(&topology, node, port);
        bool ejection = link == UINT32_MAX;
        uint64_t latency =
            ejection ? topology.ejection_latency_cycles : topology.links[link].latency_cycles;
        m_outputs.emplace_back(m_vcs, topology.vc_depth_flits, topology.router_cycles + latency,
                               ejection);
    }
    m_occupied.resize((m_inputs.size() * m_vcs + 63) / 64);
}

template<typename F> void router_core::for_each_head(F visit) const {
    for (size_t word = 0; word < m_occupied.size(); ++word) {
        for (uint64_t bits = m_occupied[word]; bits != 0; bits &= bits - 1) {
            uint32_t channel =
                static_cast<uint32_t>(word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits)));
            visit(channel, channel / m_vcs, channel % m_vcs);
        }
    }
}

void router_core::note_step(uint64_t cycle) {
    m_steps.push_back(cycle);
    std::push_heap(m_steps.begin(), m_steps.end(), std::greater<>());
}

bool router_core::take_step(uint64_t now, uint64_t* cycle) {
    if (m_steps.empty() || m_steps.front() > now) {
        return false;
    }
    *cycle = m_steps.front();
    while (!m_steps.empty() && m_steps.front() == *cycle) {
        std::pop_heap(m_steps.begin(), m_steps.end(), std::greater<>());
        m_steps.pop_back();
    }
    return true;
}

uint64_t router_core::file_packet(uint32_t port, packet* item, uint64_t due) {
    m_routing.route(*item);
    m_inputs[port].file(item, due);
    note_step(due);
    return std::max({due, m_inputs[port].busy_until(), m_outputs[item->output].busy_until()});
}

uint64_t router_core::file_credit(uint32_t port, uint32_t vc, uint32_t flits, uint64_t due) {
    output_unit& output = m_outputs[port];
    output.file_credit({due, vc, flits});
    bool wanted = output.free_from(vc) == never; // held by a packet that waits
    return wanted ? std::max(due, output.busy_until()) : never;
}

bool router_core::stalled(uint64_t what, uint64_t now) const {
    if (m_params.stall_probability <= 0) {
        return false;
    }
    uint64_t place = (static_cast<uint64_t>(m_node) << 32) | what;
    return chm_chance(chm_hash3(m_params.seed, place, now), m_params.stall_probability);
}

uint64_t router_core::advance(uint64_t now, router_sink& sink) {
    uint64_t cycle = 0;
    while (now > 0 && take_step(now - 1, &cycle)) {
        settle(cycle);
        allocate_channels(cycle);
    }
    take_step(now, &cycle);
    settle(now);
    allocate_channels(now);
    allocate_switch(now, sink);
    return next_grant(now);
}

void router_core::settle(uint64_t now) {
    for (uint32_t port = 0; port < m_inputs.size(); ++port) {
        while (m_inputs[port].arrived(now)) {
            uint32_t channel = port * m_vcs + m_inputs[port].accept_arrival();
            m_occupied[channel / 64] |= uint64_t(1) << (channel % 64);
        }
    }
    for (output_unit& output : m_outputs) {
        output.settle(now);
    }
}

void router_core::allocate_channels(uint64_t now) {
    uint32_t waiting = 0;
    for_each_head([&](uint32_t channel, uint32_t port, uint32_t vc) {
        const input_unit& input = m_inputs[port];
        if (input.output_vc(vc) == input_unit::none && input.ready_from(vc) <= now) {
            const packet& head = *input.head(vc);
            waiting += m_vc_allocator.request(channel, head, m_outputs[head.output]) ? 1 : 0;
        }
    });
    if (waiting == 0) {
        return;
    }
    for (const islip::match& match : m_vc_allocator.allocate()) {
        m_inputs[match.input / m_vcs].assign(match.input % m_vcs, match.output % m_vcs);
        m_outputs[match.output / m_vcs].hold(match.output % m_vcs, match.input);
        --waiting;
    }
    // One iteration may leave a head without a channel although one is free.
    if (waiting > 0) {
        note_step(now + 1);
    }
}

void router_core::allocate_switch(uint64_t now, router_sink& sink) {
    for_each_head([&](uint32_t channel, uint32_t port, uint32_t vc) {
        const input_unit& input = m_inputs[port];
        uint32_t output_vc = input.output_vc(vc);
        if (output_vc == input_unit::none || input.busy_until() > now) {
            return;
        }
        const packet& head = *input.head(vc);
        const output_unit& output = m_outputs[head.output];
        if (output.busy_until() <= now && output.has_room(output_vc, head.flits) &&
            !stalled(channel, now) && !stalled(inputs() * m_vcs + head.output, now)) {
            m_switch_allocator.request(port, vc, head.output);
        }
    });
    for (const switch_allocator::grant& item : m_switch_allocator.allocate()) {
        grant(item, now, sink);
    }
}

void router_core::grant(const switch_allocator::grant& item, uint64_t now, router_sink& sink) {
    input_unit& input = m_inputs[item.input];
    output_unit& output = m_outputs[item.output];
    const uint32_t output_vc = input.output_vc(item.vc);
    packet* moved = input.depart(item.vc, now);
    const uint32_t flits = moved->flits;
    if (input.empty(item.vc)) {
        uint32_t channel = item.input * m_vcs + item.vc;
        m_occupied[channel / 64] &= ~(uint64_t(1) << (channel % 64));
    }
    output.send(output_vc, flits, now);
    ++m_grants;
    note_step(now + flits + 1); // input and output channel can be allocated again
    moved->vc = output_vc;
    moved->hops += output.ejection() ? 0 : 1;
    sink.send_packet(item.output, moved,
                     now + output.delay_cycles() + (output.ejection() ? flits : 0));
    sink.send_credit(item.input, item.vc, flits, now + flits + input.credit_cycles());
}

// The earliest cycle at which the head of a channel may be granted the switch, from what is known;
// never if it needs another grant or a credit that has not been filed yet, since either brings the
// router back here.
uint64_t router_core::head_may_go(uint32_t port, uint32_t vc) const {
    const input_unit& input = m_inputs[port];
    const packet& head = *input.head(vc);
    const output_unit& output = m_outputs[head.output];
    uint64_t ports = std::max(input.busy_until(), output.busy_until());
    uint32_t output_vc = input.output_vc(vc);
    if (output_vc != input_unit::none) {
        return std::max(ports, output.room_from(output_vc, head.flits));
    }
    uint64_t channel = never;
    for (uint32_t i = head.first_vc; i < head.vc_limit; ++i) {
        channel = std::min(channel, output.free_from(i));
    }
    return std::max({ports, input.ready_from(vc), channel});
}

uint64_t router_core::next_grant(uint64_t now) const {
    uint64_t next = never;
    for_each_head([&](uint32_t, uint32_t port, uint32_t vc) {
        next = std::min(next, std::max(now + 1, head_may_go(port, vc)));
    });
    for (const input_unit& input : m_inputs) {
        const auto& arriving = input.arriving();
        for (size_t i = 0; i < arriving.size() && arriving.at(i).due < next; ++i) {
            const auto& item = arriving.at(i);
            if (input.empty(item.item->vc)) {
                uint64_t ports =
                    std::max(input.busy_until(), m_outputs[item.item->output].busy_until());
                next = std::min(next, std::max(item.due, ports));
            }
        }
    }
    return next;
}

bool router_core::empty() const {
    for (const input_unit& input : m_inputs) {
        if (!input.arriving().empty()) {
            return false;
        }
    }
    bool queued = false;
    for_each_head([&](uint32_t, uint32_t, uint32_t) { queued = true; });
    return !queued && std::all_of(m_outputs.begin(), m_outputs.end(),
                                  [](const output_unit& output) { return output.complete(); });
}

void router_core::describe_stuck(
    const std::function<void(const packet&, const std::string&)>& visit) const {
    for_each_head([&](uint32_t, uint32_t port, uint32_t vc) {
        const packet& head = *m_inputs[port].head(vc);
        const output_unit& output = m_outputs[head.output];
        uint32_t output_vc = m_inputs[port].output_vc(vc);
        std::string where = "input " + std::to_string(port) + " channel " + std::to_string(vc) +
                            " (" + std::to_string(m_inputs[port].queued(vc)) +
                            " queued), waits for output " + std::to_string(head.output) + ": ";
        if (output_vc == input_unit::none) {
            where += "no free channel of " + std::to_string(head.first_vc) + ".." +
                     std::to_string(head.vc_limit - 1);
        } else if (!output.has_room(output_vc, head.flits)) {
            where += "room for " + std::to_string(head.flits) + " flits in channel " +
                     std::to_string(output_vc) + ", which has " +
                     std::to_string(output.room(output_vc));
        } else {
            where += "the switch";
        }
        visit(head, where);
    });
}

} // namespace chimera::fabric
