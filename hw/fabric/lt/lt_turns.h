// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

// The order of calls. Time is cut into rounds, as long as a router may reserve ahead, that begin at
// multiples of that. Interfaces and routers ask for a turn in the round in which they will have
// something to do, and get it at the beginning of that round, or in the present cycle if it has
// begun: one kernel event serves all of them, not one each. Turns of a cycle are taken one delta
// cycle after that event: interfaces in the order of their dies and ports, then routers in that of
// their nodes. The order in which the kernel runs modules within a cycle cannot matter, and a
// client has seen all that happens in that cycle.
class lt_turns : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(lt_turns);

    // Counts its own wake-ups in `activations`.
    lt_turns(const sc_core::sc_module_name& name, uint64_t khz, uint64_t round_cycles,
             uint64_t& activations);

    // In the round of `cycle`; `now` is the present cycle. Returns the cycle of the turn. Asking
    // twice is asking once.
    // An interface is known by the number of its port among those of all dies.
    uint64_t ask_interface(uint32_t port, lt_turn_taker& taker, uint64_t cycle, uint64_t now) {
        return ask(m_interfaces, port, taker, cycle, now);
    }
    uint64_t ask_router(uint32_t node, lt_turn_taker& taker, uint64_t cycle, uint64_t now) {
        return ask(m_routers, node, taker, cycle, now);
    }

    // Of the turns being taken: their cycle, and their round.
    uint64_t now() const { return m_now; }
    uint64_t round_begin() const { return m_round_begin; }
    uint64_t round_end() const { return m_round_begin + m_round_cycles; }
    // The first beginning of a round at or after a cycle.
    uint64_t round_after(uint64_t cycle) const {
        const uint64_t late = cycle % m_round_cycles;
        return late == 0 ? cycle : cycle + m_round_cycles - late;
    }

    // The present cycle, at any time.
    uint64_t present() const;

private:
    struct asking {
        lt_rounds rounds;
        std::vector<lt_turn_taker*> takers;
    };

    uint64_t ask(asking& kind, uint32_t who, lt_turn_taker& taker, uint64_t cycle, uint64_t now);
    void wake();
    void activate();
    void serve(asking& kind);

    const uint64_t m_khz, m_round_cycles;
    uint64_t& m_activations;
    kernel::wakeup m_wakeup;
    sc_core::sc_event m_turn;
    asking m_interfaces, m_routers;
    std::vector<lt_turn_taker*> m_serving;
    bool m_active = false;
    uint64_t m_now = 0, m_round_begin = 0;
};

} // namespace chimera::fabric
