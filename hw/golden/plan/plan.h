// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/arena.h"
#include "hw/golden/layout/layout.h"
#include "hw/golden/network/topology.h"

// A plan: the transfers, with their dependencies, that turn what a run's first layout holds into
// what its readers demand. Plain data, the same on every die; the engine executes its own die's
// part, explain prints it, the checker verifies it, the estimate times it.
//
// How a plan is executed on a die:
// - *input* is what the run's first layout gives the die; *work* is a buffer of the run in which
//   everything that arrives is put (chm_plan_die.work is its block).
// - A transfer may start at its source when every dependency is met: the listed transfers, all of
//   which end at this source (arrived and reduced) or start at it (sent), and after_operation.
// - copy: work[region] at the destination becomes the payload.
// - reduce: payload is added to what the destination has for region: its work if an earlier
//   transfer (lower id) delivered there, else its own addend in input, else (no addend held)
//   nothing, so that the payload is stored. Reductions into one region of one die happen in
//   ascending id order, whatever order they arrive in; a copy into it waits for those before it,
//   and they for a copy before them. In an `ordered` plan the destination keeps
//   the addends of a region until the last is there and adds them in ascending `addend`, left to
//   right, its own (the addend of `from` it holds) in its place among them.
// - routed: the rows of region that chm_plan_route selects, preceded by a header that tells how
//   many; rows are kept in a slot per transfer at the destination. A forward transfer reads the
//   slot of its origin, or the origin's own block where source == origin.
// - routed_reduce: as reduce, row by row; its region counts as being in work at the destination:
//   a row that no addend arrives for is the die's own addend.
// - credit: no payload, one flit: the destination may go on (staging freed).
// - The source reads region from work if `from_work`, else from input.
// - An operation runs on a die's blocks of it when all transfers of its slice and of phases <
//   after_phase that end there have arrived and those that start there have been sent (it may write
//   what they read), and what the die sends of slices at least slices_at_once before has been sent;
//   operations run in index order. It reads work where something arrived or was computed, else
//   input, and writes work unless it only reads.
// - A die is done when all transfers ending at it have arrived and its moved operations have run; a
//   demanded layout's block is then, element by element, in work where anything arrived or was
//   computed, else in input. A demanded partial layout whose source is complete is embedded: the
//   addend is the die's block of the layout with partial turned into shard(tokens), nested last,
//   and zero elsewhere.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum chm_transfer_kind {
    chm_transfer_copy = 0,
    chm_transfer_reduce,
    chm_transfer_routed,        // rows by routing, copied (dispatch)
    chm_transfer_routed_reduce, // rows by routing, added (combine: routed_partial -> shard)
    chm_transfer_credit
} chm_transfer_kind;

// Which rows of region a routed transfer carries. targets(t) are the dies of token t's experts.
typedef enum chm_route_rule {
    chm_route_none = 0,
    chm_route_direct,  // t with destination in targets(t)
    chm_route_first,   // t with destination == first(t): one copy crosses, others are forwarded
    chm_route_forward, // t with source == first(t) and destination in targets(t)
    chm_route_combine  // t with source in targets(t): its addend goes back to the row's owner
} chm_route_rule;

typedef struct chm_transfer {
    uint32_t source, destination; // dies, never equal
    chm_rect region;
    chm_transfer_kind kind;
    chm_route_rule route;
    uint32_t
        addend; // reduce: which addend of `from` (routed: index of the expert die) it starts with
    uint32_t origin;          // routed: the die whose tokens these are (forward: not the source)
    bool from_work;           // read work (true) or input (false) at the source
    uint32_t phase;           // index into chm_plan.phases
    uint32_t step;            // of the schedule within its phase, from 0
    uint32_t slice;           // from 0
    uint32_t round;           // in which a die sends it: lower ones first (chm_plan_finish)
    uint32_t after_operation; // 0, or 1 + index into chm_plan.operations: runs at source first
    uint32_t first_dependency, dependency_count; // into chm_plan.dependencies
} chm_transfer;

typedef enum chm_phase_kind {
    chm_phase_reduce = 0,
    chm_phase_move,
    chm_phase_gather
} chm_phase_kind;

typedef struct chm_phase {
    chm_phase_kind kind;
    const char* collective; // "R-S", "A-G", "A2A", "P2P", "M2MS", "M2MS+reduce"
    const char* schedule;   // "ring", "bidirectional", "halving-doubling", "direct", "staggered",
                            // "grid", "tree"
} chm_phase;

// A block of the tensor on a die.
typedef struct chm_block {
    uint32_t die;
    chm_rect rect;
} chm_block;

// An operation of the run that executes inside it, on one slice of the rows of a layout.
// Replicated rows that are sent on are sliced first, so that each is worked on once.
typedef struct chm_plan_operation {
    uint32_t seq;             // of the operation in the program
    uint32_t after_phase;     // runs when all transfers of phases < after_phase ending here arrived
    const chm_layout* layout; // of which each die works on its block
    bool reads_only;          // gating: decides, writes nothing
    uint32_t slice;
    const chm_block* blocks; // what each die works on: its block of layout cut to the slice
    uint32_t block_count;
} chm_plan_operation;

// One participant's view: indices into the plan's arrays, ascending.
typedef struct chm_plan_die {
    uint32_t die;
    chm_rect work; // bounding block of all that arrives or is computed here; may be empty
    // Most bytes that are in work without belonging to a demanded layout, in any slices_at_once
    // slices that follow each other.
    uint64_t staging_bytes;
    const uint32_t* outgoing; // transfers with source == die
    uint32_t outgoing_count;
    const uint32_t* incoming; // transfers with destination == die
    uint32_t incoming_count;
} chm_plan_die;

typedef struct chm_plan {
    chm_tensor tensor;
    const chm_layout* from;
    const chm_routing* routing; // null unless a layout is routed
    const chm_layout* routed;   // demanded routed layout, else `from` if that is routed, else null
    const chm_topology* topology;
    bool ordered;            // sums are in ascending addend order
    chm_transfer* transfers; // dependencies have lower ids
    uint32_t transfer_count;
    uint32_t* dependencies;
    uint32_t dependency_count;
    chm_phase* phases;
    uint32_t phase_count;
    chm_plan_operation* operations;
    uint32_t operation_count;
    chm_plan_die* dies; // participants, ascending by die
    uint32_t die_count;
    uint32_t slices;
    uint32_t slices_at_once; // whose staging may be in use at a time
    uint64_t payload_bytes;  // of all transfers, routed ones by the static routing
    uint64_t estimated_cycles;
} chm_plan;

// The participant entry of a die, null if it takes no part.
const chm_plan_die* chm_plan_find_die(const chm_plan* plan, uint32_t die);

// The first expert die of a token that a source sends to when copies are forwarded: a fixed
// function of the target set and the token, balanced over the targets, and the source itself if it
// is one. `targets` are die ids. The gating's own targets are used at run time, so it takes them.
uint32_t chm_plan_first_target(const uint32_t* targets, uint32_t count, uint32_t source,
                               uint64_t token);

// True if a routed transfer carries the row of `token` whose expert dies are `targets` (die ids).
bool chm_plan_route(const chm_transfer* transfer, uint64_t token, const uint32_t* targets,
                    uint32_t count);

// The die ids of a token's experts under a routed layout and static routing; returns their number.
uint32_t chm_plan_targets(const chm_layout* routed, const chm_routing* routing, uint64_t token,
                          uint32_t targets[chm_max_top_k]);

// Rows a transfer carries: routed ones by the static routing of plan, others by region.
uint64_t chm_plan_rows(const chm_plan* plan, const chm_transfer* transfer);

// Payload bytes a transfer carries (0 for a credit), header and row ids excluded.
uint64_t chm_plan_transfer_bytes(const chm_plan* plan, const chm_transfer* transfer);

// The routed layout of the plan's routed transfers, null if none.
const chm_layout* chm_plan_routed_layout(const chm_plan* plan);

// Scratch space of the builder: a list of blocks.
typedef struct chm_rect_list {
    chm_rect* items;
    uint32_t count;
    size_t capacity;
} chm_rect_list;

// Growing a plan. Schedules add transfers through these.
typedef struct chm_plan_builder {
    chm_arena* arena;
    chm_plan* plan;
    size_t transfer_capacity, dependency_capacity, phase_capacity, operation_capacity;
    const chm_block*
        demanded; // blocks the demands leave on dies, by die; others in work are staging
    uint32_t* first_demanded; // [dies + 1] into demanded
    const uint64_t* cuts;  // ascending row boundaries, 0 and tokens included; each stretch between
    uint32_t cut_count;    // two is cut into plan->slices parts
    uint32_t slice;        // which of them is added now
    bool from_input;       // sources read their input, whatever has arrived: addends as they were
    uint32_t* last_in;     // [dies] newest transfer ending at a die, CHM_NO_TRANSFER
    uint32_t* last_out;    // [dies] newest starting at it
    uint32_t* covered;     // [dies] 1 + last slice whose staging the newest credit says is free
    uint32_t* last_credit; // [dies] that credit, CHM_NO_TRANSFER
    uint64_t* staged;      // [dies][slices] bytes, once finished
    uint32_t* previous_in; // [transfers] the one before at the same die
    uint32_t* previous_out;
    size_t previous_in_capacity, previous_out_capacity;
    uint32_t* from_rank; // [dies] rank in from, CHM_NO_RANK
    chm_rect_list pieces, fresh, old, parts, spare;
} chm_plan_builder;

#define CHM_NO_TRANSFER UINT32_MAX

chm_status chm_plan_begin(chm_plan_builder* builder, chm_arena* arena, chm_plan* plan,
                          const chm_topology* topology, const chm_tensor* tensor,
                          const chm_layout* from, const chm_routing* routing);

// The layouts that must hold at the end: their blocks do not count as staging. Before any transfer.
chm_status chm_plan_demand(chm_plan_builder* builder, const chm_layout* const* demands,
                           uint32_t demand_count);

// Cuts what is added from now on to slice `slice` of `slices`: of every stretch of rows between two
// neighbouring cuts the slice-th part. Slices are added in order. Staging of `at_once` of them may
// be in use: transfers into that of a later one wait for a credit that the builder adds. cuts stay
// the caller's.
void chm_plan_slice(chm_plan_builder* builder, const uint64_t* cuts, uint32_t cut_count,
                    uint32_t slice, uint32_t slices, uint32_t at_once);

chm_status chm_plan_add_phase(chm_plan_builder* builder, const chm_phase* phase);

// Adds a transfer, cut to the current slice. Its dependencies are found from the data: every
// earlier transfer (of this plan) that ends at its source and overlaps its region, and every
// earlier operation that wrote it there (after_operation is set unless given). A region that is
// partly in work and partly in input is taken apart. Sets from_work, addend and slice. Empty
// regions and source == destination add nothing.
chm_status chm_plan_add(chm_plan_builder* builder, const chm_transfer* transfer);

// Adds an operation on the blocks of its layout, cut to the current slice; blocks are filled in.
chm_status chm_plan_add_operation(chm_plan_builder* builder, const chm_plan_operation* operation);

// Completes the plan: the per-die views, staging, payload, rounds. In the round r a die sends what
// is the s-th step of slice r - s: as in a pipeline one step of every slice under way, so that no
// phase waits until another has run dry, and in one slice step by step.
chm_status chm_plan_finish(chm_plan_builder* builder);

// Of a finished plan: how many slices that follow each other fit into `staging_bytes` on every die,
// whatever slices_at_once was; 0 if not even one does.
uint32_t chm_plan_slices_that_fit(const chm_plan_builder* builder, uint64_t staging_bytes);

#ifdef __cplusplus
}
#endif
