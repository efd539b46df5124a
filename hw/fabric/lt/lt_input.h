// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/fabric/lt/lt_fifo.h"
#include "hw/fabric/lt/lt_protocol.h"

namespace chimera::fabric {

class lt_router;

// What a socket of a router is bound to: the chunks that came by it and wait. All that a call
// needs is in its first cache line and in that of the queue's end, for under load it is the only
// thing that those who call touch of this router, and their turn is not the time to read more.
class alignas(64) lt_input : public lt_forward {
public:
    void become(lt_router& router, uint32_t index, head_pool& pool, bool keeps,
                uint32_t cycles_per_flit) {
        m_router = &router;
        m_pool = &pool;
        m_index = index;
        m_keeps = keeps;
        m_cycles_per_flit = cycles_per_flit;
    }

    void b_transport(chunk_head& head, sc_core::sc_time& delay) override;

    bool empty() const { return m_waiting.empty(); }
    chunk_head& front() { return m_waiting.front(); }
    const chunk_head& front() const { return m_waiting.front(); }
    chunk_head* second() { return m_waiting.second(); }
    // When the first one can leave: it is there, and the one before it has left.
    uint64_t ready() const { return std::max(m_waiting.front().due, m_free); }

    // The first one is gone, and the input is busy with it until `cycle`.
    void served(uint64_t cycle) {
        m_free = cycle;
        m_waiting.pop(*m_pool);
    }

    void prefetch_front() const { m_waiting.prefetch_front(); }

private:
    lt_fifo m_waiting;
    uint64_t m_free = 0;
    lt_router* m_router = nullptr;
    head_pool* m_pool = nullptr;
    uint32_t m_index = 0;
    uint32_t m_cycles_per_flit = 1; // of its link
    bool m_keeps = true;            // false: what comes goes on in the same call
};

} // namespace chimera::fabric
