// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/plan/plan.h"

// A schedule turns a basic collective over parallel groups into transfers with dependencies. One
// file each: ring.c, bidirectional.c, halving_doubling.c, direct.c, staggered.c, grid.c. `auto`
// tries all that apply and takes the best estimate.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum chm_basic {
    chm_basic_reduce_scatter = 0,
    chm_basic_all_gather,
    chm_basic_move
} chm_basic;

typedef enum chm_schedule_kind {
    chm_schedule_auto = 0,
    chm_schedule_ring,             // per physical dimension, one direction
    chm_schedule_bidirectional,    // per physical dimension, both directions, half each
    chm_schedule_halving_doubling, // groups of a power of two
    chm_schedule_direct,           // every source to every destination, in rank order
    chm_schedule_staggered,        // the same, source i starts at destination i
    chm_schedule_grid,             // all dimensions and directions at once, for several ports
    chm_schedule_tree,             // move only: one copy crosses, others are forwarded
    chm_schedule_count
} chm_schedule_kind;

const char* chm_schedule_name(chm_schedule_kind kind);

// One group of a collective: member i of n ends with (reduce-scatter) or starts with (all-gather)
// block i. Blocks of one group are disjoint; dies are in rank order.
typedef struct chm_schedule_group {
    const uint32_t* dies;
    const chm_rect* blocks;
    uint32_t size;
} chm_schedule_group;

typedef struct chm_schedule_request {
    chm_basic basic;
    const chm_schedule_group* groups; // disjoint, run in parallel
    uint32_t group_count;
    uint32_t phase;           // phase index for the transfers
    uint32_t slice;           // slice index for the transfers
    uint32_t after_operation; // as in chm_transfer
} chm_schedule_request;

// True if the schedule can run the request on this topology (power of two for
// halving-doubling, a die per router and several ports for grid).
bool chm_schedule_applies(chm_schedule_kind kind, const chm_topology* topology,
                          const chm_schedule_request* request);

// True if the schedule adds addends in ascending rank order, left to right (ordered_sum).
bool chm_schedule_keeps_order(chm_schedule_kind kind, chm_basic basic);

// Adds the transfers of reduce-scatter or all-gather to the plan.
chm_status chm_schedule_emit(chm_schedule_kind kind, chm_plan_builder* builder,
                             const chm_schedule_request* request);

// The physical shape of a group: per dimension of the topology, how many distinct coordinates, if
// the group is a full box of dies; else one dimension of `size`. position[i*3+d] is member i's
// index along dimension d. Per-dimension schedules use it. Returns the number of dimensions with
// > 1.
uint32_t chm_schedule_shape(const chm_topology* topology, const uint32_t* dies, uint32_t size,
                            uint32_t extent[3], uint32_t* position);

#ifdef __cplusplus
}
#endif
