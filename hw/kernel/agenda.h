// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/kernel/wakeup.h"

namespace chimera::kernel {

// What a module has to do and when, in integer cycles: a binary heap. Of one cycle, what was filed
// first comes first.
template<typename Item> class agenda {
public:
    void add(uint64_t cycle, const Item& item) {
        m_heap.push_back({cycle, m_filed++, item});
        std::push_heap(m_heap.begin(), m_heap.end(), later);
    }

    bool empty() const { return m_heap.empty(); }
    uint64_t next() const { return m_heap.empty() ? never : m_heap.front().cycle; }

    // Takes the next item that is due at or before `now`; false if there is none.
    bool take(uint64_t now, Item& item) {
        if (next() > now || m_heap.empty()) {
            return false;
        }
        std::pop_heap(m_heap.begin(), m_heap.end(), later);
        item = m_heap.back().item;
        m_heap.pop_back();
        return true;
    }

private:
    struct entry {
        uint64_t cycle, order;
        Item item;
    };
    static bool later(const entry& a, const entry& b) {
        return a.cycle != b.cycle ? a.cycle > b.cycle : a.order > b.order;
    }

    std::vector<entry> m_heap;
    uint64_t m_filed = 0;
};

// The first cycle that is due no earlier than `delay` from now.
inline uint64_t cycle_after(const sc_core::sc_time& delay, uint64_t clock_khz) {
    const uint64_t due = (sc_core::sc_time_stamp() + delay).value();
    const uint64_t cycle = chm_clock_ps_to_cycles(due, clock_khz);
    return cycle + (chm_clock_cycles_to_ps(cycle, clock_khz) < due ? 1 : 0);
}

} // namespace chimera::kernel
