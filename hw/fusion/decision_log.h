// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/fusion/run_recipe.h"
#include "hw/golden/fusion/window.h"

namespace chimera::fusion {

// One decision of one die.
struct decision {
    const run_recipe* recipe = nullptr;
    uint32_t key = 0;
    chm_join end_rule = chm_join_not_next;
    bool takes_part = false; // false: observer
};

// What every die has decided, in its order, and whether the dies that a run concerns agree.
class decision_log {
public:
    decision_log(uint32_t dies, uint32_t operations);

    // False with a message if a die that the run concerns has decided otherwise about a member.
    bool record(uint32_t die, const decision& made, std::string& fault);

    const std::vector<decision>& of(uint32_t die) const { return m_dies[die]; }
    // The runs decided by dies that they concern, each once, in the order of the first decision.
    const std::vector<const run_recipe*>& runs() const { return m_runs; }

private:
    struct first_decision {
        const run_recipe* recipe = nullptr;
        uint32_t key = 0, die = 0;
    };
    std::vector<std::vector<decision>> m_dies;
    std::vector<first_decision> m_first; // [seq]
    std::vector<const run_recipe*> m_runs;
};

} // namespace chimera::fusion
