// SPDX-License-Identifier: Apache-2.0
#include "hw/fusion/decision_log.h"

namespace chimera::fusion {

namespace {

std::string format(const run_recipe& recipe, uint32_t key) {
    std::string text = "{";
    for (uint32_t seq : recipe.members()) {
        text += (text.size() > 1 ? " " : "") + std::to_string(seq);
    }
    return text + "} at " + std::to_string(key);
}

} // namespace

decision_log::decision_log(uint32_t dies, uint32_t operations)
    : m_dies(dies), m_first(operations) {}

bool decision_log::record(uint32_t die, const decision& made, std::string& fault) {
    m_dies[die].push_back(made);
    if (!made.recipe->concerns(die)) {
        return true;
    }
    for (uint32_t seq : made.recipe->members()) {
        first_decision& first = m_first[seq];
        if (first.recipe == nullptr) {
            first = {made.recipe, made.key, die};
            if (seq == made.recipe->seq()) {
                m_runs.push_back(made.recipe);
            }
        } else if (first.recipe != made.recipe || first.key != made.key) {
            fault = "dies disagree about operation " + std::to_string(seq) + ": die " +
                    std::to_string(first.die) + " runs " + format(*first.recipe, first.key) +
                    ", die " + std::to_string(die) + " runs " + format(*made.recipe, made.key);
            return false;
        }
    }
    return true;
}

} // namespace chimera::fusion
