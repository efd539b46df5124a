// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/fabric/lt/lt_order.h"

namespace chimera::fabric {

// Chunks that have come from one source: calls `filed` for this one, and for those that waited for
// it, in the order of injection, or keeps it until its turn comes.
template<typename visitor> void file_in_order(chunk& item, const visitor& filed) {
    lt_pair* pair = item.pair;
    if (pair == nullptr) { // they cannot overtake each other
        filed(item);
        return;
    }
    if (item.turn != pair->filed) {
        chunk** place = &pair->early;
        while (*place != nullptr && (*place)->turn < item.turn) {
            place = &(*place)->next;
        }
        item.next = *place;
        *place = &item;
        return;
    }
    for (chunk* next = &item; next != nullptr;) {
        chunk& one = *next;
        ++pair->filed;
        // As one ejection port would have it; not before what came first, whatever its way.
        one.due = std::max(one.due, pair->last_due + one.flits);
        pair->last_due = one.due;
        next = nullptr;
        if (pair->early != nullptr && pair->early->turn == pair->filed) {
            next = pair->early;
            pair->early = next->next;
        }
        filed(one);
    }
}

// What is on its way to a die and must be handed over when it is due: chunks, or single packets for
// a client that knows no chunks. Equal cycles keep the order of filing.
class lt_arrivals {
public:
    struct arrival {
        uint64_t due, order;
        chunk* whole; // or
        packet* item;
    };

    bool empty() const { return m_heap.empty(); }
    uint64_t next() const { return m_heap.front().due; }

    void add(chunk& item) { push({item.due, m_filed++, &item, nullptr}); }
    void add(packet& item, uint64_t due) { push({due, m_filed++, nullptr, &item}); }

    arrival take() {
        std::pop_heap(m_heap.begin(), m_heap.end(), later);
        const arrival first = m_heap.back();
        m_heap.pop_back();
        return first;
    }

private:
    static bool later(const arrival& a, const arrival& b) {
        return a.due != b.due ? a.due > b.due : a.order > b.order;
    }

    void push(const arrival& one) {
        m_heap.push_back(one);
        std::push_heap(m_heap.begin(), m_heap.end(), later);
    }

    std::vector<arrival> m_heap;
    uint64_t m_filed = 0;
};

// Chunks that nobody waits for, to be handed over some time after they are due. Until then they are
// not looked at: they were written long ago.
class lt_late_arrivals {
public:
    struct arrival {
        uint64_t due;
        uint32_t place; // in the pool
        uint32_t hops;
    };

    bool empty() const { return m_items.empty(); }
    uint64_t next() const { return m_next; } // due; never, if empty

    // True if it is the next one now.
    bool add(const arrival& item) {
        m_items.push_back(item);
        const bool next = item.due < m_next;
        m_next = next ? item.due : m_next;
        return next;
    }

    // Hands those over that are due, in the order of filing.
    template<typename visitor> void take(uint64_t now, const visitor& visit) {
        if (m_next > now) {
            return;
        }
        m_next = UINT64_MAX;
        size_t kept = 0;
        for (size_t i = 0; i < m_items.size(); ++i) {
            const arrival item = m_items[i];
            if (item.due <= now) {
                visit(item);
            } else {
                m_next = std::min(m_next, item.due);
                m_items[kept++] = item;
            }
        }
        m_items.resize(kept);
    }

    template<typename visitor> void each(const visitor& visit) const {
        for (const arrival& item : m_items) {
            visit(item);
        }
    }

private:
    std::vector<arrival> m_items;
    uint64_t m_next = UINT64_MAX;
};

} // namespace chimera::fabric
