// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/golden/fusion/descriptor.h"

namespace chimera::fusion {

// The engine's registers (map in hw/golden/fusion/descriptor.h). Plain object: 32-bit reads and
// writes.
struct csr_file {
    uint32_t head = 0, tail = 0, depth = 0, window_max = 0;
    uint32_t enable = 1, interrupt = 0, error = 0;
    uint64_t fetched = 0, fused = 0, eliminated = 0, asked = 0, moved = 0;

    // False where no register is, or where it cannot be read.
    bool read(uint64_t address, uint32_t& value) const;

    // What a write means beyond the register itself.
    enum class effect { refused, none, doorbell, enabled };
    effect write(uint64_t address, uint32_t value);

    // A malformed descriptor: the first one since software cleared the register stays.
    void report_error(uint32_t entry, uint32_t byte);
};

} // namespace chimera::fusion
