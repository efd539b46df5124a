// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/planner/planner_search.h"

// From complete data to one demand: a move, a gather, or both.

static bool same_transfers(const chm_stage* a, const chm_stage* b) {
    bool same = a->transfer_count == b->transfer_count;
    for (uint32_t i = 0; i < a->transfer_count && same; ++i) {
        same = a->transfers[i].source == b->transfers[i].source &&
               a->transfers[i].destination == b->transfers[i].destination &&
               chm_rect_same(&a->transfers[i].region, &b->transfers[i].region);
    }
    return same;
}

chm_status chm_search_move(chm_search* search, chm_recipe* recipe, const chm_blocks* held,
                           const chm_blocks* need, bool complete, chm_score* score, bool* fits) {
    const chm_schedule_request request = {.basic = chm_basic_move};
    chm_schedule_kind kinds[chm_schedule_count];
    uint32_t kind_count = chm_schedule_choices(search, &request, kinds);
    chm_stage stages[2 * chm_schedule_count];
    uint32_t count = 0;
    for (uint32_t k = 0; k < kind_count; ++k) {
        for (uint32_t by_rank = 0; by_rank < 2; ++by_rank) {
            chm_stage* stage = &stages[count];
            chm_status status = chm_stage_move(search, held, need, kinds[k], by_rank != 0, stage);
            if (status != chm_ok) {
                return status;
            }
            bool fresh = true; // a tree without branches is staggered, and so on
            for (uint32_t i = 0; i < count && fresh; ++i) {
                fresh = !same_transfers(&stages[i], stage);
            }
            count += fresh;
        }
    }
    return chm_recipe_extend(search, recipe, stages, count, complete, score, fits);
}

chm_status chm_search_gather(chm_search* search, chm_recipe* recipe, const chm_layout* layout,
                             uint32_t mask, const chm_blocks* blocks, bool complete,
                             chm_score* score, bool* fits) {
    chm_schedule_group* groups;
    uint32_t group_count;
    chm_status status =
        chm_layout_groups(layout, mask, blocks, search->arena, &groups, &group_count);
    const chm_schedule_request request = {
        .basic = chm_basic_all_gather, .groups = groups, .group_count = group_count};
    if (status != chm_ok) {
        return status;
    }
    chm_schedule_kind kinds[chm_schedule_count];
    uint32_t count = chm_schedule_choices(search, &request, kinds);
    chm_stage stages[chm_schedule_count];
    for (uint32_t k = 0; k < count; ++k) {
        stages[k] = (chm_stage){.kind = chm_stage_collective,
                                .phase = {chm_phase_gather, "A-G", chm_schedule_name(kinds[k])},
                                .text = "A-G",
                                .schedule = kinds[k],
                                .basic = chm_basic_all_gather,
                                .groups = groups,
                                .group_count = group_count};
    }
    return chm_recipe_extend(search, recipe, stages, count, complete, score, fits);
}

// The best way so far to deliver a demand.
typedef struct choice {
    chm_recipe recipe;
    chm_score score;
    bool found;
} choice;

static void keep_better(choice* best, const chm_recipe* recipe, const chm_score* score) {
    if (!best->found || chm_score_less(score, &best->score)) {
        best->recipe = *recipe;
        best->score = *score;
        best->found = true;
    }
}

// Moves to the variant's blocks where they are not held, then gathers.
static chm_status try_variant(chm_search* search, const chm_progress* progress,
                              const chm_layout* layout, uint32_t mask, const chm_blocks* blocks,
                              bool held, bool last, choice* best) {
    chm_recipe recipe = progress->recipe;
    chm_score score;
    bool fits = true;
    chm_status status = chm_ok;
    if (!held) {
        status = chm_search_move(search, &recipe, &progress->held, blocks, last && mask == 0,
                                 &score, &fits);
    }
    if (status == chm_ok && fits && mask != 0) {
        status = chm_search_gather(search, &recipe, layout, mask, blocks, last, &score, &fits);
    }
    if (status == chm_ok && fits) {
        keep_better(best, &recipe, &score);
    }
    return status;
}

// What each rank of the demand holds now, if that makes up the demand group by group: gathering
// needs no move then, whatever the shape of the blocks.
static chm_status blocks_as_held(chm_search* search, const chm_progress* progress,
                                 const chm_blocks* need, const chm_layout* demand, uint32_t mask,
                                 chm_blocks* blocks, bool* complete) {
    const chm_block* held = progress->held.items;
    blocks->count = need->count;
    blocks->items = chm_arena_copy(search->arena, need->items, need->count, sizeof *need->items);
    if (blocks->items == NULL) {
        return chm_no_memory;
    }
    for (uint32_t rank = 0; rank < need->count; ++rank) {
        chm_rect found = {0};
        for (uint32_t h = 0; h < progress->held.count && chm_rect_empty(&found); ++h) {
            if (held[h].die == need->items[rank].die) {
                found = chm_rect_intersect(&held[h].rect, &need->items[rank].rect);
            }
        }
        blocks->items[rank].rect = found;
    }
    chm_schedule_group* groups;
    uint32_t count;
    chm_status status = chm_layout_groups(demand, mask, blocks, search->arena, &groups, &count);
    *complete = status == chm_ok;
    for (uint32_t g = 0; g < count && *complete; ++g) {
        uint64_t elements = 0;
        for (uint32_t i = 0; i < groups[g].size; ++i) {
            elements += chm_rect_elements(&groups[g].blocks[i]);
            for (uint32_t j = 0; j < i && *complete; ++j) {
                *complete = !chm_rect_overlaps(&groups[g].blocks[i], &groups[g].blocks[j]);
            }
        }
        uint32_t rank = chm_mesh_rank(&demand->mesh, groups[g].dies[0]);
        *complete = *complete && elements == chm_rect_elements(&need->items[rank].rect);
    }
    return status;
}

static chm_status try_variants(chm_search* search, const chm_progress* progress,
                               const chm_layout* demand, const chm_blocks* need, bool last,
                               choice* best) {
    chm_gather_variants variants;
    chm_blocks blocks[chm_max_variants];
    bool held[chm_max_variants] = {false};
    bool gathers_held = false;
    chm_status status = chm_gather_variants_of(search, demand, true, &variants);
    for (uint32_t v = 0; v < variants.count && status == chm_ok; ++v) {
        status =
            chm_blocks_of(variants.layouts[v], &search->request->tensor, search->arena, &blocks[v]);
        if (status == chm_ok) {
            status = chm_blocks_cover_all(&progress->held, &blocks[v], search->arena, &held[v]);
        }
        gathers_held = gathers_held || held[v];
    }
    for (uint32_t v = 0; v < variants.count && status == chm_ok; ++v) {
        // Moving first what can be gathered as it is held makes no sense.
        bool moves_first = !held[v] && variants.gathered[v] != 0;
        if (!moves_first || (!gathers_held && !variants.held_only[v])) {
            status = try_variant(search, progress, variants.layouts[v], variants.gathered[v],
                                 &blocks[v], held[v], last, best);
        }
    }
    const uint32_t mask = chm_layout_mask(demand, chm_place_replicate);
    if (status == chm_ok && mask != 0 && !gathers_held) {
        chm_blocks as_held;
        bool complete = false;
        status = blocks_as_held(search, progress, need, demand, mask, &as_held, &complete);
        if (status == chm_ok && complete) {
            status = try_variant(search, progress, demand, mask, &as_held, true, last, best);
        }
    }
    return status;
}

// Rows to the dies of their experts, straight or with one copy that is forwarded.
static chm_status dispatch(chm_search* search, chm_progress* progress, const chm_layout* routed,
                           bool last, bool* fits) {
    const chm_schedule_request request = {.basic = chm_basic_move};
    chm_schedule_kind kinds[chm_schedule_count];
    uint32_t kind_count = chm_schedule_choices(search, &request, kinds);
    uint64_t ways = (uint64_t)progress->senders.count * chm_mesh_size(&routed->mesh) *
                    chm_mesh_size(&routed->mesh);
    chm_stage stages[chm_schedule_count];
    uint32_t count = 0;
    for (uint32_t k = 0; k < kind_count; ++k) {
        // A forward per (origin, first, last): beyond this many, headers would outweigh rows.
        const uint64_t most_forwards = 16384;
        if (kinds[k] == chm_schedule_tree && kind_count > 1 && ways > most_forwards) {
            continue;
        }
        chm_status status =
            chm_stage_dispatch(search, &progress->senders, routed, kinds[k], &stages[count++]);
        if (status != chm_ok) {
            return status;
        }
    }
    chm_score score;
    return chm_recipe_extend(search, &progress->recipe, stages, count, last, &score, fits);
}

chm_status chm_search_deliver(chm_search* search, chm_progress* progress, const chm_layout* demand,
                              bool last, bool* extended, bool* fits) {
    const chm_layout* delivered;
    chm_blocks need;
    *fits = true;
    *extended = false;
    if (chm_demand_is_met(search, demand)) {
        return chm_ok;
    }
    if (chm_layout_is_routed(demand)) {
        *extended = true;
        return dispatch(search, progress, demand, last, fits);
    }
    bool held = false;
    chm_status status = chm_delivered_layout(search, demand, &delivered);
    if (status == chm_ok) {
        status = chm_blocks_of(delivered, &search->request->tensor, search->arena, &need);
    }
    if (status == chm_ok) {
        status = chm_blocks_cover_all(&progress->held, &need, search->arena, &held);
    }
    if (status != chm_ok || held) {
        return status;
    }
    *extended = true;
    choice best = {.found = false};
    status = try_variants(search, progress, delivered, &need, last, &best);
    *fits = best.found;
    if (status == chm_ok && best.found) {
        progress->recipe = best.recipe;
        status = chm_blocks_join(&progress->held, &need, search->arena);
    }
    return status;
}
