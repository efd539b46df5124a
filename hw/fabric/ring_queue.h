// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace chimera::fabric {

// A FIFO in a power-of-two ring. It grows to its high-water mark and allocates nothing after that.
// front, at and pop need an item to be there.
template<typename T> class ring_queue {
public:
    ring_queue() = default;
    // Begins with `capacity` places, a power of two, that are not its own and must outlive it.
    ring_queue(T* places, uint32_t capacity) : m_items(places), m_mask(capacity - 1) {}
    ~ring_queue() { release(); }
    ring_queue(ring_queue&& other) noexcept { swap(other); }
    ring_queue& operator=(ring_queue&& other) noexcept {
        swap(other);
        return *this;
    }

    bool empty() const { return m_count == 0; }
    size_t size() const { return m_count; }
    T& front() { return m_items[m_first]; }
    const T& front() const { return m_items[m_first]; }
    const T& at(size_t i) const { return m_items[(m_first + i) & m_mask]; }
    T& at(size_t i) { return m_items[(m_first + i) & m_mask]; }

    void push(const T& item) { extend() = item; }
    // A place at the end, to be filled.
    T& extend() {
        if (__builtin_expect(m_count == m_mask + 1, 0)) {
            grow();
        }
        return m_items[(m_first + m_count++) & m_mask];
    }

    // Asks the memory for item i, which may lie behind the last one, where the next push goes.
    void prefetch(size_t i) const { __builtin_prefetch(&m_items[(m_first + i) & m_mask], 1); }

    void swap_first_two() { std::swap(at(0), at(1)); }

    void pop() {
        m_first = (m_first + 1) & m_mask;
        --m_count;
    }
    T& back() { return at(m_count - 1); }
    void erase(size_t i) {
        for (; i + 1 < m_count; ++i) {
            at(i) = at(i + 1);
        }
        --m_count;
    }

private:
    [[gnu::noinline]] void grow() {
        const uint32_t capacity = m_mask == UINT32_MAX ? 4 : 2 * (m_mask + 1);
        T* larger = new T[capacity]();
        for (uint32_t i = 0; i < m_count; ++i) {
            larger[i] = std::move(at(i));
        }
        release();
        m_items = larger;
        m_mask = capacity - 1;
        m_first = 0;
        m_owned = true;
    }

    void release() {
        if (m_owned) {
            delete[] m_items;
        }
    }

    void swap(ring_queue& other) {
        std::swap(m_items, other.m_items);
        std::swap(m_mask, other.m_mask);
        std::swap(m_first, other.m_first);
        std::swap(m_count, other.m_count);
        std::swap(m_owned, other.m_owned);
    }

    T* m_items = nullptr;
    uint32_t m_mask = UINT32_MAX; // capacity, a power of two or 0, less one
    uint32_t m_first = 0, m_count = 0;
    bool m_owned = false;
};

} // namespace chimera::fabric
