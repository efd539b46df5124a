// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace chimera::fabric {

// The inputs of a router that can serve in the present round, the first one on top: by cycle, then
// by the source of what they serve, of equal ones as `before(a, b)` says. A heap, which for the
// five inputs of most routers is two matches deep.
class lt_leaving {
public:
    bool empty() const { return m_count == 0; }
    uint32_t input() const { return m_items[0].input; }
    uint32_t cycle() const { return static_cast<uint32_t>(m_items[0].key >> 32); }

    // For so many inputs at most.
    explicit lt_leaving(size_t inputs) : m_items(inputs) {}

    // `cycle` from the start of the round. At most one per input.
    template<typename tie>
    void add(uint32_t cycle, uint32_t source, uint32_t input, const tie& before) {
        const item one = {uint64_t(cycle) << 32 | source, input};
        size_t at = m_count++;
        while (at > 0 && earlier(one, m_items[(at - 1) / 2], before)) {
            m_items[at] = m_items[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        m_items[at] = one;
    }

    // The first input serves something else next, not before what it has served.
    template<typename tie> void put_back(uint32_t cycle, uint32_t source, const tie& before) {
        sink({uint64_t(cycle) << 32 | source, m_items[0].input}, before);
    }

    // The first input has nothing more for this round.
    template<typename tie> void drop(const tie& before) {
        if (--m_count > 0) {
            sink(m_items[m_count], before);
        }
    }

private:
    struct item {
        uint64_t key; // cycle, source
        uint32_t input;
    };

    template<typename tie> static bool earlier(const item& a, const item& b, const tie& before) {
        return a.key != b.key ? a.key < b.key : before(a.input, b.input);
    }

    template<typename tie> void sink(const item one, const tie& before) {
        size_t at = 0;
        for (size_t child = 1; child < m_count; child = 2 * at + 1) {
            if (child + 1 < m_count && earlier(m_items[child + 1], m_items[child], before)) {
                ++child;
            }
            if (!earlier(m_items[child], one, before)) {
                break;
            }
            m_items[at] = m_items[child];
            at = child;
        }
        m_items[at] = one;
    }

    std::vector<item> m_items;
    size_t m_count = 0;
};

} // namespace chimera::fabric
