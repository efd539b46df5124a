// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/layout/rects.h"
#include "hw/golden/planner/planner.h"

// Private to the planner. A *recipe* is a plan in outline: stages that are emitted into a plan
// slice by slice. The search extends recipes stage by stage, keeps the best of each stage's
// schedules by the estimate of the plan so far, and compares complete recipes.

#ifdef __cplusplus
extern "C" {
#endif

// Blocks on dies; where they are the blocks of a layout, rank i's block is items[i].
typedef struct chm_blocks {
    chm_block* items;
    uint32_t count;
} chm_blocks;

typedef enum chm_stage_kind {
    chm_stage_collective = 0, // reduce-scatter or all-gather by a schedule
    chm_stage_transfers,      // transfers in the listed order
    chm_stage_operations      // the request's operations, at `place`
} chm_stage_kind;

typedef struct chm_stage {
    chm_stage_kind kind;
    chm_phase phase;
    const char* text; // in the form: "R-S(tokens)"
    chm_schedule_kind schedule;
    chm_basic basic; // collective
    const chm_schedule_group* groups;
    uint32_t group_count;
    const chm_transfer* transfers; // listed; phase, slice and after_operation are filled in
    uint32_t transfer_count;
    bool from_input;         // listed: sources send their addends as they were
    const chm_layout* place; // operations
} chm_stage;

enum { chm_max_stages = 40 };

typedef struct chm_recipe {
    chm_stage stages[chm_max_stages];
    uint32_t count;
} chm_recipe;

typedef struct chm_score {
    uint64_t cycles, bytes;
    uint64_t cost; // cycles, and what slices must gain
    uint32_t steps;
    uint32_t transfers, slices; // not compared
} chm_score;

typedef struct chm_search {
    const chm_topology* topology;
    const chm_request* request;
    const chm_plan_options* options;
    chm_arena* arena;
    chm_candidate_list* candidates; // null: not wanted
    uint32_t most_transfers;        // larger plans are not considered
    uint32_t slices;                // at least so many in every plan
    uint16_t** hops;       // [dies] null until asked for; [dies] links + 1, 0: not looked up yet
    chm_arena* hops_arena; // of the rows: plans involve few of a large platform's dies
    bool found;
    chm_recipe best;
    chm_score best_score;
    uint64_t least_staging; // most bytes a die needs in the plan that did not fit, least of all
} chm_search;

// How far the search has come: what is held complete, and where.
typedef struct chm_progress {
    chm_recipe recipe;
    chm_blocks held;
    const chm_layout* layout; // of held before any demand was delivered
    chm_blocks senders;       // routed demands: each row on one die
} chm_progress;

// --- blocks (planner_blocks.c)

chm_status chm_blocks_of(const chm_layout* layout, const chm_tensor* tensor, chm_arena* arena,
                         chm_blocks* blocks);
chm_status chm_blocks_join(chm_blocks* blocks, const chm_blocks* more, chm_arena* arena);

// True if `held` has all of `rect` on `die`.
chm_status chm_blocks_cover(const chm_blocks* held, const chm_block* need, chm_arena* arena,
                            bool* covered);
chm_status chm_blocks_cover_all(const chm_blocks* held, const chm_blocks* need, chm_arena* arena,
                                bool* covered);

// A copy of the layout in which the dimensions of `mask` are shards of an axis, nested last.
chm_status chm_layout_sharded(const chm_layout* layout, uint32_t mask, chm_axis axis,
                              chm_arena* arena, const chm_layout** sharded);

// Dimensions of more than one die that have this placement.
uint32_t chm_layout_mask(const chm_layout* layout, chm_placement_kind kind);

// The same extents and placements, whatever the dies.
bool chm_layout_alike(const chm_layout* a, const chm_layout* b);

// The groups of ranks that differ only along the dimensions of `mask`; blocks[rank] is a member's.
chm_status chm_layout_groups(const chm_layout* layout, uint32_t mask, const chm_blocks* blocks,
                             chm_arena* arena, chm_schedule_group** groups, uint32_t* count);

// --- who sends (planner_sender.c)

// The holder that sends a piece to `needer`: the needer itself, else the nearest, else the one that
// has sent the fewest bytes so far, else the first (lowest rank). `load` is [dies]. With `peer` not
// CHM_NO_RANK that holder is taken instead if it is among them. Returns an index into holders.
uint32_t chm_choose_sender(chm_search* search, const uint32_t* holders, uint32_t count,
                           uint32_t needer, const uint64_t* load, uint32_t peer);

uint32_t chm_search_hops(chm_search* search, uint32_t from, uint32_t to);

// --- stages (planner_pieces.c, planner_move.c, planner_routed.c)

// One piece on its way.
typedef struct chm_piece {
    uint32_t source, destination;
    uint32_t source_index, destination_index; // order of sources and destinations
    uint32_t step;
    chm_rect rect;
} chm_piece;

typedef struct chm_pieces {
    chm_piece* items;
    uint32_t count;
    size_t capacity;
} chm_pieces;

// Joins neighbouring pieces of one (source, destination) and orders them: direct by source, then
// destination; staggered by round. Earlier steps first. Gives transfers like `sample`.
chm_status chm_pieces_order(chm_search* search, chm_pieces* pieces, chm_schedule_kind order,
                            uint32_t destinations, const chm_transfer* sample, chm_stage* stage);

// Moves what is needed and not held. `by_rank`: rank i sends to rank i where it holds the piece.
chm_status chm_stage_move(chm_search* search, const chm_blocks* held, const chm_blocks* need,
                          chm_schedule_kind schedule, bool by_rank, chm_stage* stage);

// Every addend holder of request->from sends to each needer, which adds.
chm_status chm_stage_reduce_move(chm_search* search, const chm_blocks* need,
                                 chm_schedule_kind schedule, chm_stage* stage);

chm_status chm_stage_dispatch(chm_search* search, const chm_blocks* senders,
                              const chm_layout* routed, chm_schedule_kind schedule,
                              chm_stage* stage);
chm_status chm_stage_combine(chm_search* search, const chm_blocks* owners,
                             chm_schedule_kind schedule, chm_stage* stage);

// On the same dies A-G where needs overlap, else A2A; P2P where each block goes to one die of its
// own, else M2MS.
const char* chm_move_name(const chm_blocks* from, const chm_blocks* to, const chm_stage* stage);

// --- evaluation (planner_recipe.c, planner_score.c)

// Builds the plan of a recipe in search->slices, or in as many more as its staging needs.
// chm_unsupported if no number of slices fits.
chm_status chm_recipe_build(chm_search* search, const chm_recipe* recipe, chm_arena* arena,
                            chm_plan* plan);

chm_status chm_recipe_push(chm_recipe* recipe, const chm_stage* stage);

// Estimates a recipe; a complete one is a candidate and may become the best. *fits false: staging.
chm_status chm_recipe_score(chm_search* search, const chm_recipe* recipe, bool complete,
                            chm_score* score, bool* fits);

// Looks for the best recipe, and for the number of slices in which it is fastest: searches with one
// slice and with `streamed` ones, then the neighbours of the better.
enum { chm_streamed_slices = 16 };
chm_status chm_search_slices(chm_search* search);

bool chm_score_less(const chm_score* a, const chm_score* b);

// Extends the recipe by the best of `count` variants of one stage. *fits false: none fits, or the
// recipe so far is large and slower than a complete one.
chm_status chm_recipe_extend(chm_search* search, chm_recipe* recipe, const chm_stage* variants,
                             uint32_t count, bool complete, chm_score* score, bool* fits);

// --- variants (planner_variants.c)

// Layouts that a demand may be assembled from by gathering the dimensions of gathered[i].
enum { chm_max_variants = 34 };
typedef struct chm_gather_variants {
    const chm_layout* layouts[chm_max_variants];
    uint32_t gathered[chm_max_variants]; // masks; 0: no gather
    bool held_only[chm_max_variants];    // only worth while if held already
    uint32_t count;
} chm_gather_variants;

// The demand itself, then with its replicated dimensions split by rows or width, nested last; with
// `subsets` also with some of them split.
chm_status chm_gather_variants_of(chm_search* search, const chm_layout* demand, bool subsets,
                                  chm_gather_variants* variants);

// The demand as it is delivered: partial dimensions become shards (embedding).
chm_status chm_delivered_layout(chm_search* search, const chm_layout* demand,
                                const chm_layout** delivered);

// True if the input is the demand already, addend for addend, or becomes it by embedding.
bool chm_demand_is_met(const chm_search* search, const chm_layout* demand);

// The schedules to try for a basic collective over these groups: the forced one or all that apply.
uint32_t chm_schedule_choices(const chm_search* search, const chm_schedule_request* request,
                              chm_schedule_kind kinds[chm_schedule_count]);

// Blocks that a reduce-scatter of request->from may leave, by rank of from.
enum { chm_max_targets = 24 };
typedef struct chm_reduce_targets {
    chm_blocks blocks[chm_max_targets];
    const chm_layout* layouts[chm_max_targets];
    uint32_t count;
} chm_reduce_targets;

chm_status chm_reduce_targets_of(chm_search* search, bool rows_complete,
                                 chm_reduce_targets* targets);

// Adds the blocks of `layout` if a reduce-scatter can leave them; *added tells.
chm_status chm_reduce_target_add(chm_search* search, const chm_layout* layout, bool rows_complete,
                                 chm_reduce_targets* targets, bool* added);

// --- the ways (planner_ways.c, planner_reduce.c, planner_place.c, planner_deliver.c)

// From what is held complete to every demand, operations included.
chm_status chm_search_from_held(chm_search* search, const chm_progress* progress);

// Brings one demand about in the best way. `last`: the recipe is complete then; *extended is false
// if nothing had to be added.
chm_status chm_search_deliver(chm_search* search, chm_progress* progress, const chm_layout* demand,
                              bool last, bool* extended, bool* fits);

// Adds the move to `need` in the best way, if anything is missing.
chm_status chm_search_move(chm_search* search, chm_recipe* recipe, const chm_blocks* held,
                           const chm_blocks* need, bool complete, chm_score* score, bool* fits);

// Adds the gather of layout's dimensions `mask` from `blocks`, by rank, in the best way.
chm_status chm_search_gather(chm_search* search, chm_recipe* recipe, const chm_layout* layout,
                             uint32_t mask, const chm_blocks* blocks, bool complete,
                             chm_score* score, bool* fits);

// Layouts at which the request's operations may run, or routed rows be sent from; after_main: only
// when the main demand has been delivered.
enum { chm_max_places = 8 };
typedef struct chm_places {
    const chm_layout* layouts[chm_max_places];
    bool after_main[chm_max_places];
    uint32_t count;
} chm_places;

chm_status chm_places_of(chm_search* search, const chm_progress* progress,
                         const chm_layout* routed_demand, chm_places* places);

const chm_layout* chm_routed_demand(const chm_request* request);

// True if the demand is of a value that a later operation of the request changes.
bool chm_demand_is_kept(const chm_request* request, uint32_t demand);

// Operations that need whole rows on one die.
bool chm_needs_rows(const chm_request* request);

// From addends: reduce first, or on the way.
chm_status chm_search_from_partial(chm_search* search);
chm_status chm_search_from_routed_partial(chm_search* search);

chm_status chm_search_all(chm_search* search);

#ifdef __cplusplus
}
#endif
