// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/base/checked.h"
#include "hw/golden/parameters.h"

namespace chimera::fusion {

// Times of the engine's stages. Each stage takes one item at a time and in order, so that its free
// time is all there is to know.
class pipeline {
public:
    explicit pipeline(const chm_engine_params& params) : m_params(params) {}

    // Fetch of one descriptor asked for at `now`: the cycle the bus takes it up.
    uint64_t fetch_start(uint64_t now) const { return std::max(now, m_fetch_free); }
    // ... and the cycle it is decoded; `read` is when memory has delivered it. The latency is
    // hidden behind the fetches before it.
    uint64_t fetched(uint64_t start, uint64_t read, uint64_t bytes) {
        m_fetch_free = start + cycles(bytes, m_params.fetch_bytes_per_cycle);
        const uint64_t there = std::max(m_fetch_free, read) + m_params.fetch_latency_cycles;
        m_decoded = std::max(m_decoded, there);
        return m_decoded;
    }

    // A decided run of `members`, with so many transfers on this die: the cycle it is issued.
    uint64_t issue(uint64_t now, uint64_t members, uint64_t transfers, uint64_t sends) {
        m_fuse_free = std::max(now, m_fuse_free) + (members - 1) * m_params.fuse_cycles_per_pair;
        m_plan_free = std::max(m_fuse_free, m_plan_free) +
                      cycles(transfers, m_params.plan_transfers_per_cycle);
        m_issue_free =
            std::max(m_plan_free, m_issue_free) + cycles(sends, m_params.issue_per_cycle);
        return m_issue_free;
    }

    // An operation of `busy` cycles on the gating unit: the cycle it ends.
    uint64_t gate(uint64_t now, uint64_t busy) {
        m_gating_free = std::max(now, m_gating_free) + busy;
        return m_gating_free;
    }

private:
    static uint64_t cycles(uint64_t amount, uint64_t rate) {
        return rate == 0 ? 0 : chm_ceil_div_u64(amount, rate);
    }

    const chm_engine_params& m_params;
    uint64_t m_fetch_free = 0, m_decoded = 0, m_fuse_free = 0, m_plan_free = 0, m_issue_free = 0;
    uint64_t m_gating_free = 0;
};

// Staging space of a die, given out in order. A run that needs more than all of it takes all.
class staging {
public:
    explicit staging(uint64_t bytes) : m_bytes(bytes) {}

    bool reserve(uint64_t bytes) {
        const uint64_t need = std::min(bytes, m_bytes);
        if (m_used + need > m_bytes) {
            return false;
        }
        m_used += need;
        m_peak = std::max(m_peak, m_used);
        return true;
    }
    void release(uint64_t bytes) { m_used -= std::min(bytes, m_bytes); }

    uint64_t used() const { return m_used; }
    uint64_t peak() const { return m_peak; }

private:
    uint64_t m_bytes, m_used = 0, m_peak = 0;
};

} // namespace chimera::fusion
