// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "hw/fabric/router_core.h"

// What a router does with what is filed: once per packet and credit, and so in line.

namespace chimera::fabric {

inline uint64_t router_core::filed(uint64_t cycle, uint64_t deadline) {
    m_next = std::min(m_next, cycle);
    m_deadline = std::min(m_deadline, deadline);
    return cycle;
}

inline uint64_t router_core::file_packet(uint32_t port, packet* item, uint64_t due) {
    item->count = item->train > 1 ? item->train : 0;
    m_routing.route(*item, port, item->output, item->first_vc);
    due += gathering(m_inputs[port], item->output, item->flits);
    item->due = due;
    m_inputs[port].arriving.push(item);
    if (__builtin_expect(m_observer != nullptr, 0)) {
        note_buffered(port, item->vc, item->flits, due);
    }
    m_next_due[port] = std::min(m_next_due[port], due);
    // A train needs its decision, and one that passes hears of its rivals, when they are due.
    m_trains += item->count != 0 ? 1 : 0;
    if (m_trains != 0 && (item->count != 0 || !m_passing.empty())) {
        if (m_cold) {
            fetch(); // what comes in a train comes to an idle router, as a rule
        }
        return filed(due, due);
    }
    const uint64_t cycle = std::max({due, m_input_busy[port], m_output_busy[item->output]});
    return filed(cycle, cycle + wait(item->flits));
}

inline uint64_t router_core::file_credit(uint32_t port, uint32_t vc, uint32_t flits, uint64_t due) {
    output_unit& output = output_at(port);
    link_credit& credit = output.returning.extend();
    credit.due = due;
    credit.vc = vc;
    credit.flits = flits;
    credit.serial = 0;
    if (output.channels[vc].free_from != output_channel::held) {
        return never;
    }
    const uint64_t cycle = std::max(due, m_output_busy[port]);
    m_output_next[port] = std::min(m_output_next[port], cycle);
    return filed(cycle, cycle + wait(m_output_flits[port]));
}

} // namespace chimera::fabric
