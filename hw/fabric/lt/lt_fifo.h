// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "hw/fabric/chunk.h"
#include "hw/fabric/lt/lt_slab.h"

namespace chimera::fabric {

// Some heads that lie one behind the other, and where the queue goes on. A block is aligned to its
// size, so that an address tells where in its block it is.
struct head_block {
    static constexpr size_t bytes = 512;
    static constexpr size_t heads = bytes / sizeof(chunk_head) - 1;

    chunk_head items[heads];
    head_block* next;
};

// The blocks of all queues of one fabric: memory is in proportion to what waits anywhere, and what
// one queue has left behind is still in the cache when another takes it. May throw std::bad_alloc.
class head_pool {
public:
    head_pool() = default;
    head_pool(const head_pool&) = delete;
    head_pool& operator=(const head_pool&) = delete;

    head_block* take() {
        if (m_free != nullptr) {
            return std::exchange(m_free, m_free->next);
        }
        if (m_fresh == m_fresh_end) {
            grow();
        }
        return m_fresh++;
    }
    void give(head_block* block) {
        block->next = m_free;
        m_free = block;
    }
    size_t allocated() const { return m_allocated; } // blocks

private:
    static_assert(std::is_trivially_copyable_v<head_block>); // needs no constructor
    static_assert(sizeof(head_block) == head_block::bytes &&
                  lt_slab::alignment == sizeof(head_block));

    void grow() {
        const size_t count =
            std::clamp<size_t>(m_allocated, 16, 4 * lt_slab::huge_page / head_block::bytes);
        m_slabs.emplace_back(count * sizeof(head_block));
        m_fresh = static_cast<head_block*>(m_slabs.back().memory());
        m_fresh_end = m_fresh + count;
        m_allocated += count;
    }

    head_block* m_free = nullptr;                          // given back
    head_block *m_fresh = nullptr, *m_fresh_end = nullptr; // never used
    size_t m_allocated = 0;
    std::vector<lt_slab> m_slabs;
};

// A queue of heads in blocks of a pool. front, second and pop need an item to be there.
class lt_fifo {
public:
    bool empty() const { return m_read == m_write; }
    chunk_head& front() { return *m_read; }
    const chunk_head& front() const { return *m_read; }
    // Null if there is none.
    chunk_head* second() {
        chunk_head* next = after(m_read);
        return next == m_write ? nullptr : next;
    }

    void push(const chunk_head& head, head_pool& pool) {
        if (m_write == nullptr) {
            m_read = m_write = pool.take()->items;
        }
        *m_write++ = head;
        if (at_end(m_write)) {
            head_block* more = pool.take();
            block_of(m_write)->next = more;
            m_write = more->items;
        }
        __builtin_prefetch(m_write, 1);
    }

    void pop(head_pool& pool) {
        ++m_read;
        if (at_end(m_read)) {
            head_block* done = block_of(m_read);
            m_read = done->next->items;
            pool.give(done);
        }
        if (m_read == m_write) { // the start of its block is warm
            m_read = m_write = block_of(m_read)->items;
        }
    }

    void prefetch_front() const {
        if (!empty()) {
            __builtin_prefetch(m_read, 1);
            __builtin_prefetch(m_read + 2, 1);
        }
    }

private:
    static constexpr uintptr_t mask = head_block::bytes - 1;

    static bool at_end(const chunk_head* head) {
        return (reinterpret_cast<uintptr_t>(head) & mask) == sizeof head_block::items;
    }
    static head_block* block_of(const chunk_head* head) {
        return reinterpret_cast<head_block*>(reinterpret_cast<uintptr_t>(head) & ~mask);
    }
    static chunk_head* after(chunk_head* head) {
        return at_end(head + 1) ? block_of(head)->next->items : head + 1;
    }

    chunk_head* m_read = nullptr; // not owned: the pool's
    chunk_head* m_write = nullptr;
};

} // namespace chimera::fabric
