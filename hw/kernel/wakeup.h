// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <systemc>

#include "hw/base/clock.h"

namespace chimera::kernel {

constexpr uint64_t never = UINT64_MAX;

// Delta cycles at one point in time after which a zero-delay loop is assumed. Reached, the process
// raises an SC_ERROR, which ends the run with a status.
constexpr uint64_t delta_cycle_limit = 100000;

// The one "next wake-up" of a module, in integer cycles of its clock. The nearest request wins;
// later ones are the module's to repeat when it runs. Its method is made sensitive to event() and
// begins with fired().
class wakeup {
public:
    wakeup(const char* name, uint64_t clock_khz);

    const sc_core::sc_event& event() const { return m_event; }

    // Wake at `cycle`, no earlier than the present. The present cycle means the next delta cycle.
    void at(uint64_t cycle) {
        if (cycle < m_pending) {
            m_pending = cycle;
            m_event.notify(delay_to(cycle));
        }
    }

    // The cycle it woke for. To be called once at the start of each activation.
    uint64_t fired();

    uint64_t pending() const { return m_pending; }         // never, if nothing is
    uint64_t activations() const { return m_activations; } // times it fired

    // What is between now and a later cycle, as an annotated delay.
    sc_core::sc_time delay_to(uint64_t cycle) const;

    // The same for use within an activation, for a cycle after the one it fired for.
    sc_core::sc_time annotation(uint64_t cycle) const {
        const uint64_t cycles = cycle - m_now;
        if (m_ps_per_cycle == 0 || cycles > most_short) {
            return delay_to(cycle);
        }
        // Exact, since below 2^53, and in line, as from_value is not.
        sc_core::sc_time delay = m_cycle;
        return delay *= static_cast<double>(static_cast<int64_t>(cycles));
    }

private:
    static constexpr uint64_t most_short = uint64_t(1) << 22; // of cycles of at most 10^9 ps

    sc_core::sc_event m_event;
    uint64_t m_khz;
    uint64_t m_ps_per_cycle;  // 0: not an integer
    sc_core::sc_time m_cycle; // the same
    uint64_t m_pending = never;
    uint64_t m_now = 0; // cycle it last fired for
    uint64_t m_activations = 0;
};

} // namespace chimera::kernel
