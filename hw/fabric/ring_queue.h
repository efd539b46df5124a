// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace chimera::fabric {

// A FIFO in a power-of-two ring. It grows to its high-water mark and allocates nothing after that.
template<typename T> class ring_queue {
public:
    bool empty() const { return m_count == 0; }
    size_t size() const { return m_count; }
    const T& front() const { return m_items[m_first]; }
    const T& at(size_t i) const { return m_items[(m_first + i) & (m_items.size() - 1)]; }

    void push(const T& item) {
        if (m_count == m_items.size()) {
            grow();
        }
        m_items[(m_first + m_count) & (m_items.size() - 1)] = item;
        ++m_count;
    }

    void pop() {
        m_first = (m_first + 1) & (m_items.size() - 1);
        --m_count;
    }

private:
    void grow() {
        std::vector<T> larger(m_items.empty() ? 8 : 2 * m_items.size());
        for (size_t i = 0; i < m_count; ++i) {
            larger[i] = at(i);
        }
        m_items.swap(larger);
        m_first = 0;
    }

    std::vector<T> m_items;
    size_t m_first = 0;
    size_t m_count = 0;
};

} // namespace chimera::fabric
