// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/bound/bound.h"
#include "hw/golden/fusion/operation.h"

// What the parts of the lower bound share: the participants on their network, the way data goes
// (source, perhaps a way-point, demands), the cells, and the sums per term.

#ifdef __cplusplus
extern "C" {
#endif

// Index of a cut and a direction across it: what must get out, or in.
enum { chm_cut_outward = 0, chm_cut_inward = 1 };

// What ports or links carry together: how many there are, and flits per cycle in 2^-32, rounded up.
typedef struct chm_bound_rate {
    uint64_t ports, per_cycle;
} chm_bound_rate;

// The participants and what the topology lies between them. Everything lives in the arena.
typedef struct chm_bound_network {
    const chm_topology* topology;
    const uint32_t* dies; // participants, ascending
    uint32_t count;
    const uint64_t* distance;       // [count * count] smallest zero-load latency, relays included
    uint64_t closest;               // the smallest of two different participants
    uint32_t side_words;            // 64-bit words for a bit per cut and direction
    const uint64_t* beyond;         // [count * side_words] bit 2 * cut + direction: on the far side
    const chm_bound_rate* in_rate;  // [count] of a die's ports that are of use, or their links
    const chm_bound_rate* out_rate; // [count] likewise
    chm_bound_rate all_out;         // of all of them
    const chm_bound_rate* cut_rate; // [2 * cuts] links across, by 2 * cut + direction
    const uint64_t* cut_latency;    // [2 * cuts] smallest latency of a packet through one of them
} chm_bound_network;

chm_status chm_bound_network_build(const chm_topology* topology, const uint32_t* dies,
                                   uint32_t count, chm_arena* arena, chm_bound_network* network);

// The participant index of a die.
uint32_t chm_bound_participant(const chm_bound_network* network, uint32_t die);

// How data goes: from `from`, through complete rows in `way_point` unless null, to every demand.
typedef struct chm_bound_way {
    const chm_request* request;
    const chm_layout* way_point;
} chm_bound_way;

// Flits per byte at best: `flits` for `bytes`; piece_flits: of the smallest message.
typedef struct chm_bound_ratio {
    uint64_t flits, bytes, piece_flits;
} chm_bound_ratio;

typedef struct chm_bound_sums {
    uint64_t* in;  // [count] bytes each participant must receive
    uint64_t* out; // [count] bytes it must send
    uint64_t work; // bytes all must send together
    uint64_t* cut; // [2 * cuts] bytes that must cross
    uint64_t latency;
    uint32_t latency_to; // participant that waits longest
    chm_bound_ratio ratio;
} chm_bound_sums;

// Goes over the cells of the way and sums up.
chm_status chm_bound_sum(const chm_bound_network* network, const chm_bound_way* way,
                         chm_arena* arena, chm_bound_sums* sums);

// One layout, looked up often.
typedef struct chm_bound_view {
    bool routed, partial;
    uint32_t ranks;
    uint32_t* participant;  // [ranks]
    chm_holding* holding;   // [ranks]
    uint32_t* routed_index; // [ranks]
} chm_bound_view;

// Elements that every layout of the way treats alike: of rows in the token interval, those whose
// copies go to `targets` (all, where nothing is routed), times an interval of the width.
typedef struct chm_bound_cell {
    chm_rect rect;
    uint64_t bytes; // all rows
    uint32_t targets[chm_max_top_k];
    uint32_t target_count;
} chm_bound_cell;

// Who holds and who needs the elements of one cell. Arrays over participants.
typedef struct chm_bound_sets {
    uint32_t participants;
    uint32_t classes;        // addends in the sum; 1: complete; 0: nobody has it
    uint32_t* class_of;      // CHM_NONE: holds nothing
    uint32_t* class_holders; // [classes] dies that hold that addend
    uint32_t* class_met;     // scratch
    uint64_t* sides;         // scratch, [(count + 2) * side_words]
    uint32_t* holders;       // list
    uint32_t holder_count;
    uint8_t* needs; // must have the complete value
    uint32_t* needers;
    uint32_t needer_count;
    uint8_t* any; // [any_count * count] of each set some die must get an addend of the value
    uint32_t any_count;
} chm_bound_sets;

chm_status chm_bound_view_build(const chm_bound_network* network, const chm_tensor* tensor,
                                const chm_layout* layout, chm_arena* arena, chm_bound_view* view);

// Room for one cell at a time of at most `layouts` demands.
chm_status chm_bound_sets_build(const chm_bound_network* network, uint32_t layouts,
                                chm_arena* arena, chm_bound_sets* sets);
void chm_bound_sets_clear(chm_bound_sets* sets);

// Dies that hold the cell in the view. A second view adds holders of complete data only.
void chm_bound_sets_add_holders(chm_bound_sets* sets, const chm_bound_view* view,
                                const chm_bound_cell* cell);

// Complete layouts: every die that has the cell needs its value. Partial ones: a plan may spread
// the sum over the addends as it likes, zeros included, so all that is certain is that every
// addend must reach some die of the layout.
void chm_bound_sets_add_needers(chm_bound_sets* sets, const chm_bound_view* view,
                                const chm_bound_cell* cell);

// Adds the least traffic of one cell from its holders to its needers.
void chm_bound_add_cell(const chm_bound_network* network, const chm_bound_sets* sets,
                        uint64_t bytes, chm_bound_sums* sums);

// When each needer of the cell can have it at the earliest, given when holders have their part:
// ready[p] is read for holders and replaced for needers that do not hold it complete.
void chm_bound_arrivals(const chm_bound_network* network, const chm_bound_sets* sets,
                        uint64_t piece_flits, uint64_t* ready, uint64_t* scratch);

// True if the rows must be complete somewhere on the way, which they are not at its start.
bool chm_bound_needs_way_point(const chm_request* request);

// How the dimensions of a layout's mesh become a layout with complete rows.
typedef enum chm_way_point_form {
    chm_way_point_shard = 0,    // everything that does not split tokens yet does
    chm_way_point_keep_replica, // what was replicated stays so
    chm_way_point_replicate,    // token shards stay, everything else is replicated
    chm_way_point_as_written,   // a demand that has complete rows itself
    chm_way_point_forms
} chm_way_point_form;

// False where the form does not apply to `base` (the source or a demand).
bool chm_bound_way_point(const chm_layout* base, chm_way_point_form form, chm_layout* way_point);

#ifdef __cplusplus
}
#endif
