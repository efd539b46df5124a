// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <systemc>

#include "hw/base/clock.h"

namespace chimera::fabric {

// Annotated delays from cycles, exact at every frequency. Where a cycle is a whole number of
// picoseconds, as mostly, a delay depends on the number of cycles alone, and those of short times
// are computed once.
class lt_clock {
public:
    explicit lt_clock(uint64_t khz) : m_khz(khz) {
        const uint64_t period = ps_khz / khz;
        for (size_t i = 0; i < short_cycles && ps_khz % khz == 0; ++i) {
            m_short.push_back(sc_core::sc_time::from_value(i * period));
        }
    }

    // From cycle `now`, which is the present, to cycle `due`, not before it.
    sc_core::sc_time delay(uint64_t now, uint64_t due) const {
        return due - now < m_short.size() ? m_short[due - now] : until(due);
    }

    // The delay to cycle `before` becomes that to cycle `after`, which is not earlier.
    void advance(sc_core::sc_time& delay_to, uint64_t before, uint64_t after) const {
        if (after - before < m_short.size()) {
            delay_to += m_short[after - before];
        } else {
            delay_to = until(after);
        }
    }

private:
    static constexpr uint64_t ps_khz = 1000000000; // picoseconds of a cycle at 1 kHz
    static constexpr size_t short_cycles = 512;

    sc_core::sc_time until(uint64_t cycle) const {
        const uint64_t now = sc_core::sc_time_stamp().value();
        const uint64_t due = chm_clock_cycles_to_ps(cycle, m_khz);
        return sc_core::sc_time::from_value(due > now ? due - now : 0);
    }

    uint64_t m_khz;
    std::vector<sc_core::sc_time> m_short; // empty: a cycle is no whole number of picoseconds
};

} // namespace chimera::fabric
