// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "hw/fabric/chunk.h"

namespace chimera::fabric {

// What is under way from one die to another. Chunks may take different ways; they are filed at the
// destination in the order in which they were issued.
struct lt_pair {
    uint32_t issued = 0, filed = 0; // chunks; turns count from 0
    uint64_t last_due = 0;          // arrival of the last one filed
    chunk* early = nullptr;         // those that came before their turn, by turn
    uint64_t key = 0;               // destination + 1
    uint8_t ways = 0;               // different ones; 0: not known yet (lt_ways.h)
    uint8_t way[8] = {};            // by the random bits of a packet
};

// The pairs of one source, found by destination in an open hash table. Those that have nothing
// under way are forgotten, so that memory is in proportion to what moves.
class lt_order {
public:
    // The pair of a destination; where it is stays the same while anything is under way.
    lt_pair& pair(uint32_t destination, uint64_t now) {
        if (2 * (m_used + 1) > m_table.size()) {
            rebuild(now);
        }
        const uint64_t key = uint64_t(destination) + 1;
        lt_pair*& place = find(key);
        if (place == nullptr) {
            place = fresh();
            *place = lt_pair{};
            place->key = key;
            ++m_used;
        }
        return *place;
    }

    size_t capacity() const { return m_pairs.size(); }

private:
    lt_pair*& find(uint64_t key) {
        size_t at = static_cast<size_t>(key * 0x9e3779b97f4a7c15u >> 32) & (m_table.size() - 1);
        while (m_table[at] != nullptr && m_table[at]->key != key) {
            at = (at + 1) & (m_table.size() - 1);
        }
        return m_table[at];
    }

    lt_pair* fresh() {
        if (m_free.empty()) {
            m_pairs.emplace_back();
            return &m_pairs.back();
        }
        lt_pair* pair = m_free.back();
        m_free.pop_back();
        return pair;
    }

    void rebuild(uint64_t now) {
        std::vector<lt_pair*> living;
        for (lt_pair* pair : m_table) {
            if (pair != nullptr && (pair->issued != pair->filed || pair->last_due >= now)) {
                living.push_back(pair);
            } else if (pair != nullptr) {
                m_free.push_back(pair);
            }
        }
        size_t size = 8;
        while (size < 4 * (living.size() + 1)) {
            size *= 2;
        }
        m_table.assign(size, nullptr);
        m_used = living.size();
        for (lt_pair* pair : living) {
            find(pair->key) = pair;
        }
    }

    std::deque<lt_pair> m_pairs;
    std::vector<lt_pair*> m_table, m_free;
    size_t m_used = 0;
};

} // namespace chimera::fabric
