// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/output_unit.h"

namespace chimera::fabric {

void output_unit::settle(uint64_t now) {
    if (m_leaving_vc != none && m_left_at < now) {
        m_holder[m_leaving_vc] = none;
        m_leaving_vc = none;
    }
    if (m_sending_vc != none && m_busy_until < now) {
        m_holder[m_sending_vc] = none;
        m_sending_vc = none;
    }
    while (!m_returning.empty() && m_returning.front().due <= now) {
        m_room[m_returning.front().vc] += m_returning.front().flits;
        m_returning.pop();
    }
}

uint64_t output_unit::room_from(uint32_t vc, uint32_t flits) const {
    if (has_room(vc, flits)) {
        return 0;
    }
    uint64_t room = m_room[vc];
    for (size_t i = 0; i < m_returning.size(); ++i) {
        const credit& item = m_returning.at(i);
        if (item.vc == vc && (room += item.flits) >= flits) {
            return item.due;
        }
    }
    return UINT64_MAX;
}

uint64_t output_unit::free_from(uint32_t vc) const {
    if (m_holder[vc] == none) {
        return 0;
    }
    if (vc == m_sending_vc) {
        return m_busy_until + 1;
    }
    return vc == m_leaving_vc ? m_left_at + 1 : UINT64_MAX;
}

void output_unit::send(uint32_t vc, uint32_t flits, uint64_t now) {
    if (m_sending_vc != none) { // its tail left just now
        m_leaving_vc = m_sending_vc;
        m_left_at = m_busy_until;
    }
    m_sending_vc = vc;
    m_busy_until = now + flits;
    m_busy_cycles += flits;
    if (!m_ejection) {
        m_room[vc] -= flits;
    }
}

bool output_unit::complete() const {
    for (size_t vc = 0; vc < m_room.size(); ++vc) {
        uint64_t room = m_room[vc];
        for (size_t i = 0; i < m_returning.size(); ++i) {
            room += m_returning.at(i).vc == vc ? m_returning.at(i).flits : 0;
        }
        if (room != m_depth || free_from(static_cast<uint32_t>(vc)) == UINT64_MAX) {
            return false;
        }
    }
    return true;
}

} // namespace chimera::fabric
