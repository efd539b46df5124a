// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/fabric/lt/lt_order.h"

namespace chimera::fabric {

// What is on its way to a die, by the cycle it is due: chunks, or single packets for a client that
// knows no chunks. Equal cycles keep the order of filing.
class lt_arrivals {
public:
    struct arrival {
        uint64_t due, order;
        chunk* whole; // or
        packet* item;
    };

    bool empty() const { return m_heap.empty(); }
    uint64_t next() const { return m_heap.front().due; }

    // Files a chunk, and those that waited for it, or keeps it until its turn comes. Chunks of
    // packets go back to the pool.
    void file(chunk& item, chunk_pool& pool) {
        lt_pair& pair = *item.pair;
        if (item.turn != pair.filed) {
            chunk** place = &pair.early;
            while (*place != nullptr && (*place)->turn < item.turn) {
                place = &(*place)->next;
            }
            item.next = *place;
            *place = &item;
            return;
        }
        file_next(item, pool);
        while (pair.early != nullptr && pair.early->turn == pair.filed) {
            chunk& next = *pair.early;
            pair.early = next.next;
            file_next(next, pool);
        }
    }

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

    void file_next(chunk& item, chunk_pool& pool) {
        lt_pair& pair = *item.pair;
        ++pair.filed;
        // As one ejection port would have it; not before what came first, whatever its way.
        item.due = std::max(item.due, pair.last_due + item.flits);
        pair.last_due = item.due;
        if (item.items == nullptr) {
            push({item.due, m_filed++, &item, nullptr});
            return;
        }
        uint64_t due = item.due;
        for (packet* each = item.items; each != nullptr;) {
            packet* next = each->next;
            each->hops = static_cast<uint16_t>(item.hops);
            push({due, m_filed++, nullptr, each});
            due -= each->flits;
            each = next;
        }
        pool.give(item);
    }

    void push(const arrival& one) {
        m_heap.push_back(one);
        std::push_heap(m_heap.begin(), m_heap.end(), later);
    }

    std::vector<arrival> m_heap;
    uint64_t m_filed = 0;
};

} // namespace chimera::fabric
