// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace chimera::trace {

// What is due at which cycle, told in no order and taken in order; of one cycle, what was filed
// first comes first. A list per cycle for those just ahead, nearly all there is, and a heap for
// what is further: filing and taking cost the same however much is pending, and allocate nothing
// once as much has been pending before.
template<typename Item> class due_list {
public:
    // What is due before what take() has passed is due at the first cycle that is left.
    void add(uint64_t cycle, const Item& item) {
        cycle = std::max(cycle, m_base);
        if (cycle - m_base < lists) {
            append(cycle, item);
        } else {
            m_far.push_back({cycle, m_filed++, item});
            std::push_heap(m_far.begin(), m_far.end(), later);
        }
    }

    // Calls act(cycle, item) for all that is due before `until`, in order. It must file nothing.
    template<typename Act> void take(uint64_t until, const Act& act) {
        while (m_near > 0 || !m_far.empty()) {
            const uint64_t cycle = m_near > 0 ? next_near() : m_far.front().cycle;
            if (cycle >= until) {
                break;
            }
            pass_to(cycle);
            list& due = m_lists[cycle % lists];
            for (uint32_t at = due.first; at != end; at = m_entries[at].next) {
                act(cycle, m_entries[at].item);
                --m_near;
            }
            m_entries[due.last].next = m_free;
            m_free = due.first;
            due = {};
            m_taken[cycle % lists / 64] &= ~(uint64_t{1} << cycle % 64);
        }
        pass_to(std::max(m_base, until));
    }

private:
    static constexpr uint64_t lists = 1024; // a multiple of 64
    static constexpr uint32_t end = UINT32_MAX;
    struct entry {
        Item item;
        uint32_t next;
    };
    struct list {
        uint32_t first = end, last = end;
    };
    struct far_entry {
        uint64_t cycle, order;
        Item item;
    };
    static bool later(const far_entry& a, const far_entry& b) {
        return a.cycle != b.cycle ? a.cycle > b.cycle : a.order > b.order;
    }

    void append(uint64_t cycle, const Item& item) {
        uint32_t at = m_free;
        if (at != end) {
            m_free = m_entries[at].next;
            m_entries[at] = {item, end};
        } else {
            at = static_cast<uint32_t>(m_entries.size());
            m_entries.push_back({item, end});
        }
        list& due = m_lists[cycle % lists];
        (due.first == end ? due.first : m_entries[due.last].next) = at;
        due.last = at;
        m_taken[cycle % lists / 64] |= uint64_t{1} << cycle % 64;
        ++m_near;
    }

    // The first cycle from m_base on that has a list; there is one.
    uint64_t next_near() const {
        uint64_t word = m_base % lists / 64;
        uint64_t bits = m_taken[word] & (~uint64_t{0} << m_base % 64);
        uint64_t cycle = m_base - m_base % 64;
        while (bits == 0) {
            word = (word + 1) % m_taken.size();
            bits = m_taken[word];
            cycle += 64;
        }
        return cycle + static_cast<uint64_t>(__builtin_ctzll(bits));
    }

    // From now on nothing is due before `cycle`. What comes near was filed before all that can
    // still be filed for its cycle, so order is kept.
    void pass_to(uint64_t cycle) {
        m_base = cycle;
        while (!m_far.empty() && m_far.front().cycle - m_base < lists) {
            std::pop_heap(m_far.begin(), m_far.end(), later);
            append(m_far.back().cycle, m_far.back().item);
            m_far.pop_back();
        }
    }

    uint64_t m_base = 0;                        // first cycle that is left
    std::array<list, lists> m_lists = {};       // [cycle % lists] of [m_base, m_base + lists)
    std::array<uint64_t, lists / 64> m_taken{}; // which have an entry, a bit each
    std::vector<entry> m_entries;               // of all lists; the others are linked from m_free
    uint32_t m_free = end;
    uint64_t m_near = 0, m_filed = 0; // in lists; ever put into the heap
    std::vector<far_entry> m_far;     // a heap, due at m_base + lists or later
};

} // namespace chimera::trace
