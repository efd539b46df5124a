// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/kernel/wakeup.h"

namespace chimera::fabric {

// Which of several inputs is next: a binary tree of matches, in which a changed input plays only
// those on its way to the root. An input has the cycle at which it is ready, kernel::never if it is
// not. On equal cycles `wins(a, b)` decides, asked for inputs that are both ready.
class lt_contest {
public:
    explicit lt_contest(uint32_t inputs) {
        while (m_leaves < inputs) {
            m_leaves *= 2;
        }
        m_ready.assign(m_leaves, kernel::never);
        m_winner.resize(2 * m_leaves);
        for (uint32_t i = 0; i < m_leaves; ++i) {
            m_winner[m_leaves + i] = i;
        }
        for (uint32_t match = m_leaves - 1; match > 0; --match) {
            m_winner[match] = m_winner[2 * match];
        }
    }

    uint32_t winner() const { return m_winner[1]; }
    uint64_t cycle() const { return m_ready[m_winner[1]]; }

    template<typename tie> void set(uint32_t input, uint64_t cycle, const tie& wins) {
        m_ready[input] = cycle;
        for (uint32_t match = (m_leaves + input) / 2; match > 0; match /= 2) {
            const uint32_t a = m_winner[2 * match], b = m_winner[2 * match + 1];
            const uint64_t ready_a = m_ready[a], ready_b = m_ready[b];
            bool second = ready_b < ready_a;
            if (ready_a == ready_b && ready_a != kernel::never) {
                second = wins(b, a);
            }
            m_winner[match] = second ? b : a;
        }
    }

    void prefetch() const {
        __builtin_prefetch(m_ready.data());
        __builtin_prefetch(m_winner.data());
    }

private:
    uint32_t m_leaves = 1;
    std::vector<uint64_t> m_ready;
    std::vector<uint32_t>
        m_winner; // of match i between 2 i and 2 i + 1; 1 is the last; then leaves
};

} // namespace chimera::fabric
