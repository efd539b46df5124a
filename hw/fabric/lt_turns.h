// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <systemc>

namespace chimera::fabric {

// Who wants to offer chunks in the present cycle.
class lt_turn_taker {
public:
    virtual ~lt_turn_taker() = default;
    virtual void take_turn(uint64_t now) = 0;
};

// Breaks ties: sources that offer chunks in the same cycle do so one delta cycle later, in order of
// their die. The order in which the kernel runs modules within a cycle cannot matter, and a client
// has seen all that happens in that cycle. It schedules nothing: a source wakes itself.
class lt_turns : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(lt_turns);

    explicit lt_turns(const sc_core::sc_module_name& name);

    // At most once per die and cycle.
    void ask(uint32_t die, lt_turn_taker& taker, uint64_t now);

private:
    void activate();

    using asked = std::pair<uint32_t, lt_turn_taker*>;
    sc_core::sc_event m_event;
    std::vector<asked> m_asked, m_serving;
    uint64_t m_now = 0;
};

} // namespace chimera::fabric
