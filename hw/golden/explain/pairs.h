// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/json.h"
#include "hw/golden/fusion/operation.h"
#include "hw/golden/planner/planner.h"

// What becomes of two collectives in a row: all 25 ordered pairs of {R-S, A-G, A2A, P2P, M2MS},
// derived by the algebra. Layouts of one-dimensional groups of four dies are tried first, 2x2
// meshes where none of them types. Of the layouts of a pair that type, one row is kept for each
// different result (fused form, bytes before, bytes after).

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_pair_row {
    chm_collective_kind first, second;
    const chm_layout* first_in;
    const chm_layout* first_out;
    const chm_layout* second_in; // first_out, or what is sliced or embedded from it
    const chm_layout* second_out;
    const char* form;      // what the algebra makes of it (form.h)
    uint64_t bytes_before; // both as written, least sends
    uint64_t bytes_after;  // the fused redistribution, least sends
    const char* reason;
    const char* chosen;   // the chosen candidate's form on the topology, "" if nothing moves
    const char* schedule; // and its schedule
    uint64_t estimated_cycles;
    chm_candidate_list candidates; // all that were considered
} chm_pair_row;

typedef struct chm_pair_table {
    const chm_topology* topology;
    chm_tensor tensor;
    const chm_pair_row* rows; // by first kind, then second
    uint32_t count;
} chm_pair_table;

// Derives and plans the table. The groups are three sets of four dies: 2x2 blocks of a mesh or
// torus that is wide enough, else dies in a row. message_bytes M is one group's full tensor, as a
// square of 4-byte elements as near as possible. Everything lives in the arena and refers to the
// topology. chm_unsupported with a message if the topology has fewer than eight dies.
chm_status chm_pairs_derive(const chm_topology* topology, const chm_plan_options* options,
                            uint64_t message_bytes, chm_arena* arena, chm_pair_table* table,
                            chm_diagnostics* diagnostics);

void chm_pairs_text(const chm_pair_table* table, chm_text* text);

// One object with `platform`, `message_bytes` and the array `pairs`.
void chm_pairs_json(const chm_pair_table* table, chm_json* json);

#ifdef __cplusplus
}
#endif
