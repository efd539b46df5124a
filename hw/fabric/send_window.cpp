// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/send_window.h"

#include <algorithm>

namespace chimera::fabric {

// Equally long ways have equal latencies, so the key's random part does not matter.
uint64_t send_window::latency(uint32_t from, uint32_t to) const {
    const chm_route_key key = {from, to, 0};
    return chm_topology_latency(&m_topology, &key);
}

bool send_window::open(uint32_t destination, uint32_t flits) const {
    const auto found = m_under_way.find(destination);
    if (!limits() || found == m_under_way.end()) {
        return true;
    }
    const uint64_t trip = latency(m_die, destination) + flits + latency(destination, m_die);
    return static_cast<double>(found->second) <= m_round_trips * static_cast<double>(trip);
}

void send_window::file(uint64_t due, uint32_t destination, uint32_t flits) {
    m_filed.push_back({due, destination, flits});
    std::push_heap(m_filed.begin(), m_filed.end(), later);
}

void send_window::settle(uint64_t now) {
    while (next_due() <= now) {
        std::pop_heap(m_filed.begin(), m_filed.end(), later);
        const acknowledgement item = m_filed.back();
        m_filed.pop_back();
        const auto found = m_under_way.find(item.destination);
        found->second -= item.flits;
        if (found->second == 0) {
            m_under_way.erase(found);
        }
    }
}

} // namespace chimera::fabric
