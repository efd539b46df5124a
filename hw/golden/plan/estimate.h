// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/parameters.h"
#include "hw/golden/plan/plan.h"

// Time of a plan on a topology without SystemC: every port and link has a calendar of reserved time
// with gap filling, transfers are offered in chunks in the order they become ready.

#ifdef __cplusplus
extern "C" {
#endif

// What the estimate charges beside the network.
typedef struct chm_costs {
    uint64_t dma_setup_cycles;
    uint64_t dma_channels;           // of each port of a die
    uint64_t reduce_bytes_per_cycle; // 0: free
    bool reduce_overlapped;
    uint64_t row_id_bytes;          // per routed row
    uint64_t slot_header_bytes;     // per routed transfer
    uint64_t gating_rows_per_cycle; // 0: free
} chm_costs;

chm_costs chm_costs_from(const chm_parameters* parameters);

// Cycles from start to the last arrival of the plan on an idle network, the reduction of what
// arrived and moved operations included. A single transfer on a free channel takes dma_setup_cycles
// + chm_topology_latency + flits. The plan must be finished (chm_plan_finish). chm_bad_argument:
// no DMA channel, a dependency that is not an earlier transfer, a die that is not reached.
chm_status chm_estimate_plan(const chm_plan* plan, const chm_costs* costs, chm_arena* scratch,
                             uint64_t* cycles);

#ifdef __cplusplus
}
#endif
