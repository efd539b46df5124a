// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace chimera::fabric {

// The first index of a set, one word that is not empty, in a round that starts at `turn`.
inline uint32_t first_from(uint64_t word, uint32_t turn) {
    const uint64_t ahead = word & (~uint64_t(0) << turn);
    return static_cast<uint32_t>(__builtin_ctzll(ahead != 0 ? ahead : word));
}

// Sets of small indices, one per row, in one block of memory: which input channels want an output.
// Most routers have at most 64 input channels, one word a row, which has ways of its own.
class index_sets {
public:
    index_sets(size_t rows, size_t columns)
        : m_words((columns + 63) / 64), m_bits(rows * m_words) {}

    void insert(size_t row, size_t index) { word(row, index) |= bit(index); }
    void erase(size_t row, size_t index) { word(row, index) &= ~bit(index); }
    bool contains(size_t row, size_t index) const {
        return (m_bits[row * m_words + index / 64] & bit(index)) != 0;
    }
    bool empty(size_t row) const {
        if (m_words == 1) {
            return m_bits[row] == 0;
        }
        uint64_t bits = 0;
        for (size_t i = 0; i < m_words; ++i) {
            bits |= m_bits[row * m_words + i];
        }
        return bits == 0;
    }

    // All of a row, where a row is one word.
    bool words() const { return m_words == 1; }
    uint64_t& word(size_t row) { return m_bits[row]; }
    uint64_t word(size_t row) const { return m_bits[row]; }

    // Calls visit(index) in ascending order until it returns true; true if it did.
    template<typename F> bool any(size_t row, F visit) const {
        if (m_words == 1) {
            return any_of_word(m_bits[row], 0, visit);
        }
        for (size_t i = 0; i < m_words; ++i) {
            if (any_of_word(m_bits[row * m_words + i], i, visit)) {
                return true;
            }
        }
        return false;
    }

    // The same in a round that starts at `from`.
    template<typename F> bool any_from(size_t row, size_t from, F visit) const {
        const size_t first = from / 64;
        const uint64_t below = bit(from) - 1;
        const uint64_t* words = &m_bits[row * m_words];
        if (any_of_word(words[first] & ~below, first, visit)) {
            return true;
        }
        for (size_t i = first + 1; i < m_words; ++i) {
            if (any_of_word(words[i], i, visit)) {
                return true;
            }
        }
        for (size_t i = 0; i < first; ++i) {
            if (any_of_word(words[i], i, visit)) {
                return true;
            }
        }
        return any_of_word(words[first] & below, first, visit);
    }

private:
    static uint64_t bit(size_t index) { return uint64_t(1) << (index % 64); }
    uint64_t& word(size_t row, size_t index) { return m_bits[row * m_words + index / 64]; }

    template<typename F> static bool any_of_word(uint64_t bits, size_t word, F& visit) {
        for (; bits != 0; bits &= bits - 1) {
            if (visit(static_cast<uint32_t>(word * 64 +
                                            static_cast<size_t>(__builtin_ctzll(bits))))) {
                return true;
            }
        }
        return false;
    }

    size_t m_words;
    std::vector<uint64_t> m_bits;
};

} // namespace chimera::fabric
