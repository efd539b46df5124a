// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/base/checked.h"
#include "hw/golden/parameters.h"

namespace chimera::fusion {

// What the engine has to do for a decided run: all of it, and what its first slice needs.
struct planning_work {
    uint64_t members = 1;
    uint64_t transfers = 0, sends = 0; // that start or end at this die; that start
    uint64_t first_transfers = 0, first_sends = 0;
};

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

    // A decided run: the cycle it is issued, which is when its first slice has been planned and
    // handed over. Planning and issuing are busy with the rest of it while that moves.
    uint64_t issue(uint64_t now, const planning_work& work) {
        m_fuse_free =
            std::max(now, m_fuse_free) + (work.members - 1) * m_params.fuse_cycles_per_pair;
        const uint64_t plan_from = std::max(m_fuse_free, m_plan_free);
        const uint64_t first_planned =
            plan_from + cycles(work.first_transfers, m_params.plan_transfers_per_cycle);
        m_plan_free = plan_from + cycles(work.transfers, m_params.plan_transfers_per_cycle);
        const uint64_t issue_from = std::max(first_planned, m_issue_free);
        m_issue_free =
            std::max(m_plan_free, issue_from + cycles(work.sends, m_params.issue_per_cycle));
        return issue_from + cycles(work.first_sends, m_params.issue_per_cycle);
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
