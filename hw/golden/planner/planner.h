// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/plan/estimate.h"
#include "hw/golden/plan/plan.h"
#include "hw/golden/schedules/schedule.h"

// From a redistribution to a plan: the normal form reduce - move - gather, the candidates, and the
// choice by estimated time on the topology, then bytes, then steps, from static shapes only.

#ifdef __cplusplus
extern "C" {
#endif

// An operation that executes inside the run: where it may stand. Gating and row-wise operations
// need complete rows; the planner places them at the earliest layout where rows are complete and
// `available` holds.
typedef struct chm_inner_operation {
    uint32_t seq;
    bool is_gating;                     // decides the routing of what follows
    const chm_layout* const* available; // layouts whose mesh holds its other operands
    uint32_t available_count;           // 0: available everywhere
    bool element_wise;                  // rows need not be complete
} chm_inner_operation;

// A redistribution from `from` to every demand, with operations inside, in order.
typedef struct chm_request {
    chm_tensor tensor;
    const chm_layout* from;
    const chm_layout* const* demands; // >= 1; the last is the run's main result
    uint32_t demand_count;
    // Demand i is of the value behind the first demand_operations[i] operations; null: behind all.
    // Where a later one writes, the demand is *kept*: its blocks must lie where the operations run,
    // and stay as they were before that one. Never the last, nor routed or partial.
    const uint32_t* demand_operations;
    const chm_inner_operation* operations;
    uint32_t operation_count;
    const chm_routing* routing; // null unless a layout is routed
    bool ordered_sum;           // only schedules that keep the unfused order of sums
} chm_request;

typedef struct chm_plan_options {
    const chm_costs* costs;
    chm_schedule_kind reduce_scatter, all_gather, move; // chm_schedule_auto or forced
    uint64_t staging_bytes; // larger needs are cut into more slices; 0: unlimited
    uint64_t chunk_bytes;   // of the tensor, per slice; 0: as many slices as are estimated fastest
} chm_plan_options;

// What the engine's parameters ask for. `costs` stays the caller's.
chm_plan_options chm_plan_options_from(const chm_parameters* parameters, const chm_costs* costs);

// One way that was considered, for explain.
typedef struct chm_candidate {
    const char* form;     // "R-S(tokens); P2P; A-G"
    const char* schedule; // "ring; staggered; ring"
    uint64_t estimated_cycles;
    uint64_t cost_cycles; // what is compared: with what several slices must gain
    uint64_t payload_bytes;
    uint32_t steps;
    uint32_t slices;
    bool chosen;
} chm_candidate;

typedef struct chm_candidate_list {
    chm_candidate* items;
    uint32_t count;
    size_t capacity;
} chm_candidate_list;

// Plans a request. Everything in *plan and *candidates lives in the arena. candidates may be null.
//
// Kept demands restrict where operations may stand and cost nothing more. Tried are:
// reduce-scatters to what a demand wants or is gathered from, and along either axis, or reduction
// at the receiver; operations and the sending of routed rows at the earliest layout with complete
// rows (and, for routed rows, at the experts' dies); moves straight to the demand, or to shards of
// it that are gathered; rows dispatched directly or forwarded. Within a form each stage takes the
// schedule whose plan so far is estimated fastest; a reduce-scatter that needs staging is followed
// beside the best that does not.
//
// Plans run in slices of rows, each of which goes on to the next phase as soon as it can: so that
// phases overlap, and so that no die stages more than staging_bytes. How many is chosen by the
// estimate too: more slices fill the phases sooner, and cost a set-up and a part of a packet each.
//
// A replicated input never gives a sum: from replicate to shard is a slice, so that the reduce-
// scatter of a replicated tensor (N times the value) cannot be asked for. chm_unsupported with a
// message where no candidate exists: routed copies to another layout, routed layouts with further
// dimensions, operands that are nowhere complete rows can be, less staging than one row takes, a
// forced schedule that does not apply.
chm_status chm_plan_request(const chm_topology* topology, const chm_request* request,
                            const chm_plan_options* options, chm_arena* arena, chm_plan* plan,
                            chm_candidate_list* candidates, chm_diagnostics* diagnostics);

// Bytes that all dies inject, payload only, for the least sends of from -> demands (a dispatch of
// replicated rows slices them first): what the
// collective as written asks for (its volume in the paper's table, summed over dies).
uint64_t chm_request_volume(const chm_request* request);

#ifdef __cplusplus
}
#endif
