// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/fusion/run_recipe.h"

namespace chimera::fusion {

enum class run_state : uint8_t {
    planned,   // decided, on its way to issue
    issued,    // waits for staging
    staged,    // waits for its input or its output buffers
    running,   // both are there
    delivered, // all it must hold is there, sends are left
    retired
};

// A decided run on one die.
struct run_instance {
    run_recipe* recipe = nullptr;
    const dma::die_program* program = nullptr;
    uint32_t seq = 0;
    run_state state = run_state::planned;
    bool receiving = false, started = false, communicating = false;
    std::vector<uint32_t> outputs; // demands of the composition that this die holds
};

} // namespace chimera::fusion
