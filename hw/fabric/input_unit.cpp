// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/input_unit.h"

namespace chimera::fabric {

uint32_t input_unit::accept_arrival() {
    packet* item = m_arriving.front().item;
    m_arriving.pop();
    m_queues[item->vc].push(item);
    return item->vc;
}

packet* input_unit::depart(uint32_t vc, uint64_t now) {
    packet* item = m_queues[vc].front();
    m_queues[vc].pop();
    m_output_vc[vc] = none;
    m_busy_until = now + item->flits;
    m_ready_from[vc] = m_busy_until + 1;
    return item;
}

} // namespace chimera::fabric
