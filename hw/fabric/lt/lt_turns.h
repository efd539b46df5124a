// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <systemc>

#include "hw/fabric/lt/lt_rounds.h"
#include "hw/kernel/wakeup.h"

namespace chimera::fabric {

// An interface or a router that wants to call on.
class lt_turn_taker {
public:
    virtual ~lt_turn_taker() = default;
    virtual void take_turn(uint64_t now) = 0;
    // Ask the memory for what take_turn is going to use; the first for what the second reads. On a
    // large machine most of a turn would be waiting for memory, unless it is asked turns ahead.
    virtual void prefetch_queues() const {}
    virtual void prefetch_first() const {}
};

// The order of calls. Sources wake themselves and ask for a turn in the present cycle; routers ask
// for one in a later round, which are as long as a router reserves ahead and begin at multiples of
// that, so that one kernel event serves all routers that have something to do, not one each. Turns
// of a cycle are taken one delta cycle later: sources in the order of their dies, then routers in
// that of their nodes. The order in which the kernel runs modules within a cycle cannot matter, and
// a client has seen all that happens in that cycle.
class lt_turns : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(lt_turns);

    // Counts its own wake-ups in `activations`.
    lt_turns(const sc_core::sc_module_name& name, uint64_t khz, uint64_t round_cycles,
             uint64_t& activations);

    // A source, now; at most once per cycle.
    void ask(uint32_t die, lt_turn_taker& taker, uint64_t now);

    // A router, in the round of `cycle`, which is not before the present one; or in the present
    // cycle, if that round has begun. Returns the cycle of the turn. Asking twice is asking once.
    uint64_t ask_in_round(uint32_t node, lt_turn_taker& taker, uint64_t cycle, uint64_t now);

    // The end of the round of the present cycle.
    uint64_t round_end(uint64_t now) {
        if (now >= m_round_end) {
            m_round_end = now - now % m_round_cycles + m_round_cycles;
        }
        return m_round_end;
    }

private:
    void wake();
    void activate();
    void serve();

    using asked = std::pair<uint32_t, lt_turn_taker*>;

    const uint64_t m_round_cycles;
    uint64_t& m_activations;
    kernel::wakeup m_wakeup;
    sc_core::sc_event m_turn;
    std::vector<asked> m_asked; // sources
    std::vector<asked> m_serving;
    lt_rounds m_rounds;
    std::vector<lt_turn_taker*> m_routers; // by node
    uint64_t m_now = 0;
    uint64_t m_round_end = 0;
};

} // namespace chimera::fabric
