// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/base/checked.h"

namespace chimera::dma {

// The adder of a DMA: so many bytes per cycle, one after the other; 0 is free.
class reduce_unit {
public:
    explicit reduce_unit(uint64_t bytes_per_cycle) : m_bytes_per_cycle(bytes_per_cycle) {}

    // The cycle at which `bytes` that are there at `from` have been added.
    uint64_t add(uint64_t bytes, uint64_t from) {
        if (m_bytes_per_cycle == 0 || bytes == 0) {
            return from;
        }
        m_free_at = std::max(m_free_at, from) + chm_ceil_div_u64(bytes, m_bytes_per_cycle);
        return m_free_at;
    }

private:
    uint64_t m_bytes_per_cycle;
    uint64_t m_free_at = 0;
};

} // namespace chimera::dma
