// SPDX-License-Identifier: Apache-2.0
#include "hw/kernel/wakeup.h"

namespace chimera::kernel {

sc_core::sc_time wakeup::delay_to(uint64_t cycle) const {
    uint64_t due = chm_clock_cycles_to_ps(cycle, m_khz);
    uint64_t now = sc_core::sc_time_stamp().value();
    return sc_core::sc_time::from_value(due > now ? due - now : 0);
}

void wakeup::at(uint64_t cycle) {
    if (cycle >= m_pending) {
        return;
    }
    m_pending = cycle;
    m_event.notify(delay_to(cycle));
}

uint64_t wakeup::fired() {
    if (sc_core::sc_delta_count_at_current_time() > delta_cycle_limit) {
        SC_REPORT_ERROR("chimera/kernel/delta_limit", m_event.name());
    }
    uint64_t cycle = m_pending;
    m_pending = never;
    ++m_activations;
    return cycle;
}

} // namespace chimera::kernel
