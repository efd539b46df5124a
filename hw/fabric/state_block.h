// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace chimera::fabric {

// Arrays of different types in one block of memory, one behind the other in the order in which they
// are taken, so that what is used together lies together. Everything is taken twice: from a block
// without memory, which measures, then from one with as much. Ends of lives are the taker's matter.
class state_block {
public:
    static constexpr size_t line = 64; // of the cache; the block begins at one

    state_block() = default; // measures
    explicit state_block(size_t bytes)
        : m_memory(static_cast<uint8_t*>(::operator new(bytes, std::align_val_t(line)))) {}

    // `count` values as default-constructed; null while measuring.
    template<typename T> T* take(size_t count) {
        static_assert(alignof(T) <= line, "the block is aligned to a line");
        align(alignof(T));
        T* first = nullptr;
        if (m_memory != nullptr) {
            first = reinterpret_cast<T*>(m_memory.get() + m_used);
            for (size_t i = 0; i < count; ++i) {
                new (first + i) T{};
            }
        }
        m_used += count * sizeof(T);
        return first;
    }

    // What is taken next begins at a multiple of `bytes`, a power of two up to a line.
    void align(size_t bytes) { m_used = (m_used + bytes - 1) & ~(bytes - 1); }

    size_t used() const { return m_used; }
    const uint8_t* memory() const { return m_memory.get(); }

private:
    struct free_lines {
        void operator()(uint8_t* memory) const {
            ::operator delete(memory, std::align_val_t(line));
        }
    };
    std::unique_ptr<uint8_t, free_lines> m_memory;
    size_t m_used = 0;
};

} // namespace chimera::fabric
