// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <new>

#include "hw/fabric/lt/lt_protocol.h"
#include "hw/golden/network/calendar.h"

namespace chimera::fabric {

// An output of a router: its reserved time, and what is behind it.
class lt_output {
public:
    lt_output() { chm_calendar_init(&m_calendar); }
    ~lt_output() { chm_calendar_free(&m_calendar); }
    lt_output(const lt_output&) = delete;
    lt_output& operator=(const lt_output&) = delete;

    // All is free from here on.
    uint64_t end() const { return m_calendar.end; }

    // The first cycle from `from` on from which it is free for so many flits.
    uint64_t find(uint64_t from, uint64_t flits) const {
        if (from >= m_calendar.end) {
            return from;
        }
        const uint64_t cycles = flits * cycles_per_flit;
        return chm_calendar_is_full(&m_calendar, from, cycles)
                   ? m_calendar.end
                   : chm_calendar_find(&m_calendar, from, cycles);
    }

    // Reserves them and says when. Nothing will be asked for that begins before `now`.
    uint64_t reserve(uint64_t from, uint64_t flits, uint64_t now) {
        if (from != m_calendar.end && m_calendar.count == m_calendar.capacity) {
            chm_calendar_prune(&m_calendar, now);
        }
        const uint64_t cycles = flits * cycles_per_flit;
        uint64_t start;
        if (chm_calendar_take(&m_calendar, from, cycles, &start) != chm_ok) {
            throw std::bad_alloc();
        }
        m_busy_cycles += cycles;
        return start;
    }

    // Asks the memory for what reserve uses, and for what is called then.
    void prefetch() const {
        __builtin_prefetch(&m_busy_cycles, 1);
        __builtin_prefetch(next, 1);
    }

    uint64_t busy_cycles() const { return m_busy_cycles; }
    // Intervals that are kept, expired ones included until they are pruned.
    size_t intervals() const { return m_calendar.count - m_calendar.first; }

private:
    chm_calendar m_calendar;
    uint64_t m_busy_cycles = 0;

public:
    tlm::tlm_blocking_transport_if<chunk_head>* next = nullptr; // what its socket is bound to
    uint32_t latency_cycles = 0;
    uint32_t cycles_per_flit = 1;
    bool ejects = false;
};

} // namespace chimera::fabric
