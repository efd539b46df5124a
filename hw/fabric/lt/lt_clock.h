// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <systemc>

#include "hw/base/clock.h"

namespace chimera::fabric {

// Annotated delays from cycles, exact at every frequency. Where a cycle is a whole number of
// picoseconds, as mostly, a delay grows by the cycles that passed; most steps are one hop without
// waiting and have been computed before.
class lt_clock {
public:
    // `usual_step`: the cycles of a hop without waiting.
    lt_clock(uint64_t khz, uint64_t usual_step)
        : m_khz(khz), m_whole(1000000000 % khz == 0), m_usual_step(usual_step),
          m_usual(sc_core::sc_time::from_value(usual_step * (1000000000 / khz))) {}

    sc_core::sc_time delay(uint64_t cycle) const {
        const uint64_t now = sc_core::sc_time_stamp().value();
        const uint64_t due = chm_clock_cycles_to_ps(cycle, m_khz);
        return sc_core::sc_time::from_value(due > now ? due - now : 0);
    }

    // The delay to cycle `before` becomes that to cycle `after`, which is not earlier.
    void advance(sc_core::sc_time& delay_to, uint64_t before, uint64_t after) const {
        if (m_whole && after - before == m_usual_step) {
            delay_to += m_usual;
        } else {
            delay_to = delay(after);
        }
    }

private:
    uint64_t m_khz;
    bool m_whole;
    uint64_t m_usual_step;
    sc_core::sc_time m_usual;
};

} // namespace chimera::fabric
