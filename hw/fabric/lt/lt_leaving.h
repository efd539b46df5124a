// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace chimera::fabric {

// The inputs of a router that can serve in the present round, the first one on top: by cycle, then
// by the source of what they serve, then by number. A heap of one word each, which for the five
// inputs of most routers is two matches deep.
class lt_leaving {
public:
    // What fits the word: cycles of a round, and inputs.
    static constexpr uint64_t most_cycles = uint64_t(1) << 12;
    static constexpr uint64_t most_inputs = uint64_t(1) << 20;

    // For so many inputs at most, of most_inputs.
    explicit lt_leaving(size_t inputs) : m_keys(inputs + 1) {}

    bool empty() const { return m_count == 0; }
    uint32_t input() const { return static_cast<uint32_t>(m_keys[1] % most_inputs); }
    uint64_t cycle() const { return m_keys[1] >> 52; }

    // `cycle` from the start of the round, below most_cycles. Each input at most once.
    void add(uint64_t cycle, uint32_t source, uint32_t input) {
        const uint64_t key = key_of(cycle, source, input);
        size_t at = ++m_count;
        for (; at > 1 && key < m_keys[at / 2]; at /= 2) {
            m_keys[at] = m_keys[at / 2];
        }
        m_keys[at] = key;
    }

    // The first input serves something else next, not before what it has served.
    void put_back(uint64_t cycle, uint32_t source) { sink(key_of(cycle, source, input())); }

    // The first input has nothing more for this round.
    void drop() {
        const uint64_t last = m_keys[m_count--];
        if (m_count > 0) {
            sink(last);
        }
    }

private:
    static uint64_t key_of(uint64_t cycle, uint32_t source, uint32_t input) {
        return cycle << 52 | uint64_t(source) << 20 | input;
    }

    void sink(uint64_t key) {
        uint64_t* const keys = m_keys.data();
        const size_t count = m_count;
        size_t at = 1;
        for (size_t child = 2; child <= count; child = 2 * at) {
            child += child < count && keys[child + 1] < keys[child] ? 1 : 0;
            if (key < keys[child]) {
                break;
            }
            keys[at] = keys[child];
            at = child;
        }
        keys[at] = key;
    }

    std::vector<uint64_t> m_keys; // from 1 on
    size_t m_count = 0;
};

} // namespace chimera::fabric
