// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/router_core.h"

#include <algorithm>

#include "hw/base/random.h"
#include "hw/fabric/router_steps.h"

namespace chimera::fabric {

namespace {
constexpr uint32_t first_credits = 4; // under way to a port, for which there is room at once
constexpr size_t warm_bytes = size_t(1) << 19; // of all routers, which then stay in caches
} // namespace

router_core::router_core(const chm_topology& topology, const fabric_params& params, uint32_t node,
                         packet_pool* pool)
    : m_vcs(topology.vcs), m_input_count(chm_node_inputs(&topology, node)),
      m_output_count(chm_node_outputs(&topology, node)), m_channel_count(m_input_count * m_vcs),
      m_stalls(params.stall_probability > 0),
      m_words(m_channel_count <= 64 && m_output_count <= 64 && !m_stalls),
      m_switch_allocator(m_input_count, m_output_count, m_vcs, m_block), m_topology(topology),
      m_params(params), m_node(node), m_routing(topology, node), m_pool(pool),
      m_waiting(m_words ? 0 : size_t(m_output_count) * m_vcs, m_channel_count),
      m_ready(m_words ? 0 : m_output_count, m_channel_count), m_offered(m_vcs, UINT32_MAX) {
    state_block measured;
    place_state(measured);
    m_block = state_block(measured.used());
    place_state(m_block);
    m_cold = topology.nodes * m_block.used() > warm_bytes;
    set_up_inputs();
    set_up_outputs();
}

router_core::~router_core() {
    for (uint32_t port = 0; port < m_output_count; ++port) {
        output_at(port).~output_unit(); // its ring may have grown
    }
}

void router_core::place_state(state_block& block) {
    m_next_due = block.take<uint64_t>(m_input_count);
    m_input_busy = block.take<uint64_t>(m_input_count);
    m_output_next = block.take<uint64_t>(m_output_count);
    m_output_busy = block.take<uint64_t>(m_output_count);
    m_output_flits = block.take<uint32_t>(m_output_count);
    m_port_of = block.take<uint16_t>(m_channel_count);
    m_passing_at = block.take<uint8_t>(m_input_count);
    m_switch_allocator.place(block);
    m_inputs = block.take<input_unit>(m_input_count);
    block.align(sizeof(input_channel));
    m_channels = block.take<input_channel>(m_channel_count);
    for (uint32_t port = 0; port < m_output_count; ++port) {
        block.align(state_block::line);
        const size_t before = block.used();
        place_output(block, port);
        block.align(state_block::line);
        m_output_bytes = static_cast<uint32_t>(block.used() - before);
    }
}

void router_core::place_output(state_block& block, uint32_t port) {
    output_unit* output = block.take<output_unit>(1);
    output_channel* channels = block.take<output_channel>(m_vcs);
    channel_class* classes = block.take<channel_class>(m_vcs);
    uint16_t* next_vc = block.take<uint16_t>(size_t(m_vcs) * m_input_count);
    link_credit* credits = block.take<link_credit>(first_credits);
    if (output == nullptr) {
        return;
    }
    if (port == 0) {
        m_outputs = reinterpret_cast<uint8_t*>(output);
    }
    output->channels = channels;
    output->classes = classes;
    output->returning = ring_queue<link_credit>(credits, first_credits);
    for (uint32_t vc = 0; vc < m_vcs; ++vc) {
        classes[vc].next_vc = next_vc + size_t(vc) * m_input_count;
    }
}

void router_core::set_up_inputs() {
    const uint32_t first_in = m_topology.first_in_link[m_node];
    const uint32_t links_in = m_topology.first_in_link[m_node + 1] - first_in;
    for (uint32_t port = 0; port < inputs(); ++port) {
        m_next_due[port] = never;
        std::fill_n(m_port_of + port * m_vcs, m_vcs, static_cast<uint16_t>(port));
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

void router_core::set_up_outputs() {
    for (uint32_t port = 0; port < outputs(); ++port) {
        const uint32_t link = chm_node_output_link(&m_topology, m_node, port);
        m_output_next[port] = never;
        m_output_flits[port] = UINT32_MAX;
        output_unit& output = output_at(port);
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
        for (uint32_t first = 0; m_words && first < m_vcs; first += output.class_width) {
            output.classes[first].loose = (~uint64_t(0) >> (64 - output.class_width)) << first;
        }
        for (uint32_t vc = 0; vc < m_vcs; ++vc) {
            output.channels[vc].room = output.ejection ? UINT32_MAX : m_topology.vc_depth_flits;
            std::fill_n(output.classes[vc].next_vc, m_input_count, static_cast<uint16_t>(vc));
        }
    }
}

bool router_core::stalled(uint64_t what, uint64_t now) const {
    uint64_t place = (static_cast<uint64_t>(m_node) << 32) | what;
    return chm_chance(chm_hash3(m_params.seed, place, now), m_params.stall_probability);
}

uint64_t router_core::advance(uint64_t now, router_sink& sink) {
    if (m_words) {
        return advance_words(now, sink);
    }
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

void router_core::request_switch(uint32_t index, uint64_t now) {
    output_unit& output = output_at(index);
    output.settle(now);
    m_ready.any(index, [&](uint32_t channel) {
        const uint32_t port = port_of(channel);
        const input_channel& head = m_channels[channel];
        if (m_input_busy[port] <= now && output.has_room(head.output_vc, head.flits) &&
            !(m_stalls && (stalled(channel, now) || stalled(m_channel_count + index, now)))) {
            m_switch_allocator.request(port, channel - port * m_vcs, index);
        }
        return false;
    });
}

} // namespace chimera::fabric
