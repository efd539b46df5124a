// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hw/golden/planner/planner.h"

// Executes a plan element by element in some order that its dependencies allow, as
// hw/golden/plan/plan.h says a die does, and checks who holds what at the end. Shares no code with
// the planner: blocks, sums and needs are worked out here from the definitions. Values are sets of
// addends.

namespace chimera::test {

struct element_value {
    std::uint64_t addends = 0; // bit a: addend a is in the sum
    unsigned version = 0;      // operations that have written it
};

// A deterministic sequence for tests.
class test_random {
public:
    explicit test_random(std::uint64_t seed) : m_state(seed * 2654435761u + 88172645463325252u) {}
    std::uint64_t below(std::uint64_t bound) {
        m_state ^= m_state << 13;
        m_state ^= m_state >> 7;
        m_state ^= m_state << 17;
        return m_state % bound;
    }

private:
    std::uint64_t m_state;
};

// The least sends of a request in bytes, element by element.
std::uint64_t least_bytes(const chm_request& request);

class plan_interpreter {
public:
    plan_interpreter(const chm_request& request, const chm_plan& plan, std::uint64_t order_seed);

    // "" if everything ran and every needer has exactly what it needs, else the first fault.
    std::string run();

private:
    using grid = std::map<std::uint64_t, element_value>; // by token * width + column

    struct die_state {
        grid input, work;
        std::map<std::uint32_t, grid> slots; // rows by transfer
        std::uint32_t operations_done = 0;
        std::map<unsigned, grid> before; // what operations changed, by the version it was
    };

    void fill_input();
    bool sendable(std::uint32_t id) const;
    bool applicable(std::uint32_t id) const;
    bool runnable(std::uint32_t die) const;
    void send(std::uint32_t id);
    void apply(std::uint32_t id);
    void operate(std::uint32_t die);
    void check_staging(std::uint32_t id);
    void check_demand(const chm_layout& demand);
    void check_kept(const chm_layout& demand, unsigned version);
    void check_routed(const chm_layout& demand);
    bool staged(std::uint32_t die, const chm_rect& region) const;
    std::vector<std::uint32_t> targets(const chm_layout& routed, std::uint64_t token) const;
    bool carries(const chm_transfer& transfer, std::uint64_t token) const;
    std::uint64_t full(std::uint64_t token) const;
    unsigned final_version() const;
    unsigned version_of(std::uint32_t demand) const;
    void fault(const std::string& what);
    std::uint64_t key(std::uint64_t token, std::uint64_t column) const {
        return token * m_request.tensor.width + column;
    }

    const chm_request& m_request;
    const chm_plan& m_plan;
    test_random m_random;
    std::map<std::uint32_t, die_state> m_dies;
    std::vector<bool> m_sent, m_applied;
    std::vector<grid> m_payload;
    std::string m_fault;
};

} // namespace chimera::test
