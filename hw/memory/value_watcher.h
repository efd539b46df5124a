// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/golden/fusion/operation.h"

namespace chimera::memory {

// Told what has waited for values on a die, for recording a run as a message graph.
class value_watcher {
public:
    virtual ~value_watcher() = default;
    // A compute of the program has ended; its result's flag rises now.
    virtual void computed(uint32_t die, const chm_operation& operation, uint64_t now) = 0;
    // The host has waited for what the operation reads.
    virtual void host_waited(uint32_t die, const chm_operation& operation) = 0;
};

} // namespace chimera::memory
