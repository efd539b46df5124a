// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <systemc>

namespace chimera::fabric {

// An interface or a router that wants to call on in the present cycle.
class lt_turn_taker {
public:
    virtual ~lt_turn_taker() = default;
    virtual void take_turn(uint64_t now) = 0;
    // Ask the memory for what take_turn is going to use; the first for what the second reads. On a
    // large machine most of a turn would be waiting for memory, unless it is asked turns ahead.
    virtual void prefetch_queues() const {}
    virtual void prefetch_first() const {}
};

// Breaks ties: modules that call on in the same cycle do so one delta cycle later, sources in the
// order of their dies, then routers in that of their nodes. The order in which the kernel runs
// modules within a cycle cannot matter, and a client has seen all that happens in that cycle. It
// schedules nothing: a module wakes itself.
class lt_turns : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(lt_turns);

    explicit lt_turns(const sc_core::sc_module_name& name);

    // At most once per module and cycle. `place` in the order: a die, or dies + node.
    void ask(uint32_t place, lt_turn_taker& taker, uint64_t now);

private:
    void activate();

    using asked = std::pair<uint32_t, lt_turn_taker*>;
    sc_core::sc_event m_event;
    std::vector<asked> m_asked, m_serving;
    uint64_t m_now = 0;
};

} // namespace chimera::fabric
