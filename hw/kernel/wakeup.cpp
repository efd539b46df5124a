// SPDX-License-Identifier: Apache-2.0
#include "hw/kernel/wakeup.h"

namespace chimera::kernel {

namespace {
constexpr uint64_t ps_khz = 1000000000; // picoseconds of a cycle at 1 kHz
}

wakeup::wakeup(const char* name, uint64_t clock_khz)
    : m_event(name), m_khz(clock_khz), m_ps_per_cycle(ps_khz % m_khz == 0 ? ps_khz / m_khz : 0),
      m_cycle(sc_core::sc_time::from_value(m_ps_per_cycle)) {}

sc_core::sc_time wakeup::delay_to(uint64_t cycle) const {
    const bool exact = m_ps_per_cycle != 0 && cycle < UINT64_MAX / ps_khz;
    const uint64_t due = exact ? cycle * m_ps_per_cycle : chm_clock_cycles_to_ps(cycle, m_khz);
    const uint64_t now = sc_core::sc_time_stamp().value();
    return sc_core::sc_time::from_value(due > now ? due - now : 0);
}

uint64_t wakeup::fired() {
    if (sc_core::sc_delta_count_at_current_time() > delta_cycle_limit) {
        SC_REPORT_ERROR("chimera/kernel/delta_limit", m_event.name());
    }
    m_now = m_pending;
    m_pending = never;
    ++m_activations;
    return m_now;
}

} // namespace chimera::kernel
