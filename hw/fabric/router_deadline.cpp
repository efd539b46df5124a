// SPDX-License-Identifier: Apache-2.0
// When a router has to run. A grant at g sends a packet that is due downstream, and a credit that
// is due upstream, some cycles after g; both must be filed before. So the router may run that much
// later than g and decide for all cycles since it last ran, which is cheaper than one by one: it
// wakes less often, and finds its state in the cache for all but the first.
#include <algorithm>

#include "hw/fabric/router_core.h"

namespace chimera::fabric {

void router_core::catch_up(uint64_t now, router_sink& sink) {
    while (m_next <= now) {
        m_next = advance(m_next, sink);
    }
    m_deadline = next_deadline();
}

uint64_t router_core::filed(uint64_t cycle, uint64_t deadline) {
    m_next = std::min(m_next, cycle);
    m_deadline = std::min(m_deadline, deadline);
    return cycle;
}

// How long after a grant the router may run, so that what the grant sends, and what a grant that it
// makes possible sends, is filed in time. The latter, of whatever packet, comes when this one's
// ports are free at the earliest.
uint64_t router_core::slack(uint32_t input, uint32_t output, uint32_t flits) const {
    const output_unit& to = m_outputs[output];
    const uint64_t packet = to.delay_cycles - 1 + (to.ejection ? flits : 0);
    const uint64_t credit = m_inputs[input].credit_cycles - 1 + flits;
    return std::min({packet, credit, m_least_slack + flits});
}

// The earliest deadline of what is known. Trains want to be decided on, and hear of rivals, at the
// very cycle.
uint64_t router_core::next_deadline() const {
    if (m_next == never) {
        return never;
    }
    if (!m_passing.empty() || !m_notices.empty()) {
        return m_next;
    }
    uint64_t limit = never;
    m_wanted.any(0, [&](uint32_t output) {
        limit = std::min(limit, output_deadline(output, limit));
        return false;
    });
    for (uint32_t port = 0; port < m_next_due.size(); ++port) {
        if (m_next_due[port] < limit) {
            limit = arrival_deadline(port, limit);
        }
    }
    return limit;
}

uint64_t router_core::output_deadline(uint32_t index, uint64_t limit) const {
    const output_unit& output = m_outputs[index];
    const auto consider = [&](uint32_t channel, uint64_t from) {
        const uint32_t port = channel / m_vcs;
        const uint64_t cycle = std::max({m_next, from, m_output_busy[index], m_input_busy[port]});
        if (cycle < limit) {
            limit = std::min(limit, cycle + slack(port, index, m_heads[channel].flits));
        }
        return false;
    };
    m_ready.any(index, [&](uint32_t channel) {
        const channel_head& head = m_heads[channel];
        return consider(channel, output.room_from(head.output_vc, head.flits));
    });
    m_waiting.any(index, [&](uint32_t channel) {
        const channel_head& head = m_heads[channel];
        return consider(channel, std::max({head.ready_from, output.channel_from(head.first_vc),
                                           output.classes[head.first_vc].retry_from}));
    });
    return limit;
}

uint64_t router_core::arrival_deadline(uint32_t port, uint64_t limit) const {
    const ring_queue<queued_packet>& arriving = m_inputs[port].arriving;
    for (size_t i = 0; i < arriving.size() && arriving.at(i).due < limit; ++i) {
        const queued_packet& entry = arriving.at(i);
        if (entry.count != 0) {
            return entry.due;
        }
        if (m_queues[port * m_vcs + entry.vc].empty()) {
            const uint64_t cycle =
                std::max({entry.due, m_input_busy[port], m_output_busy[entry.output]});
            limit = std::min(limit, cycle + slack(port, entry.output, entry.flits));
        }
    }
    return limit;
}

} // namespace chimera::fabric
