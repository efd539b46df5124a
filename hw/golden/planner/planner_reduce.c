// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/planner/planner_search.h"

// The ways from addends to complete data: reduce-scatter, reduction at the receiver, combine.

// "R-S(tokens)": which axes the members' blocks divide.
static const char* scatter_text(chm_search* search, const chm_blocks* blocks) {
    const chm_request* request = search->request;
    bool tokens = false;
    bool width = false;
    for (uint32_t rank = 0; rank < blocks->count; ++rank) {
        chm_rect whole = chm_layout_holding(request->from, &request->tensor, rank).rect;
        const chm_rect* block = &blocks->items[rank].rect;
        bool empty = chm_rect_empty(block);
        tokens = tokens || empty || block->token_begin != whole.token_begin ||
                 block->token_end != whole.token_end;
        width = width || (!empty && (block->width_begin != whole.width_begin ||
                                     block->width_end != whole.width_end));
    }
    return tokens && width ? "R-S(tokens, width)" : width ? "R-S(width)" : "R-S(tokens)";
}

// The reduce-scatters to `blocks` by every schedule that applies, as stages.
static chm_status scatters_to(chm_search* search, const chm_blocks* blocks,
                              chm_stage stages[chm_schedule_count], uint32_t* count) {
    const chm_layout* from = search->request->from;
    chm_schedule_group* groups;
    uint32_t group_count;
    chm_status status = chm_layout_groups(from, chm_layout_mask(from, chm_place_partial), blocks,
                                          search->arena, &groups, &group_count);
    if (status != chm_ok) {
        return status;
    }
    const chm_schedule_request request = {
        .basic = chm_basic_reduce_scatter, .groups = groups, .group_count = group_count};
    chm_schedule_kind kinds[chm_schedule_count];
    *count = chm_schedule_choices(search, &request, kinds);
    for (uint32_t k = 0; k < *count; ++k) {
        stages[k] = (chm_stage){.kind = chm_stage_collective,
                                .phase = {chm_phase_reduce, "R-S", chm_schedule_name(kinds[k])},
                                .text = scatter_text(search, blocks),
                                .schedule = kinds[k],
                                .basic = chm_basic_reduce_scatter,
                                .groups = groups,
                                .group_count = group_count};
    }
    return chm_ok;
}

// True if blocks held after the reduction are all that is asked for.
static chm_status is_enough(chm_search* search, const chm_blocks* held, bool* enough) {
    const chm_request* request = search->request;
    chm_status status = chm_ok;
    *enough = !chm_needs_rows(request) && request->operation_count == 0;
    for (uint32_t d = 0; d < request->demand_count && *enough && status == chm_ok; ++d) {
        const chm_layout* delivered;
        chm_blocks need;
        if (chm_demand_is_met(search, request->demands[d])) {
            continue;
        }
        status = chm_delivered_layout(search, request->demands[d], &delivered);
        if (status == chm_ok) {
            status = chm_blocks_of(delivered, &request->tensor, search->arena, &need);
        }
        if (status == chm_ok) {
            status = chm_blocks_cover_all(held, &need, search->arena, enough);
        }
    }
    return status;
}

// One M2MS with reduction at the receiver instead of a reduce-scatter and a move.
static chm_status reduce_at_receiver(chm_search* search) {
    const chm_request* request = search->request;
    const chm_layout* delivered;
    chm_gather_variants variants;
    if (request->demand_count != 1 || request->operation_count != 0 ||
        chm_layout_is_routed(request->demands[0])) {
        return chm_ok;
    }
    chm_status status = chm_delivered_layout(search, request->demands[0], &delivered);
    if (status == chm_ok) {
        status = chm_gather_variants_of(search, delivered, false, &variants);
    }
    for (uint32_t v = 0; v < variants.count && status == chm_ok; ++v) {
        chm_reduce_targets scratch = {.count = 0};
        bool scatters;
        status = chm_reduce_target_add(search, variants.layouts[v], false, &scratch, &scatters);
        if (status != chm_ok || scatters) {
            continue; // a reduce-scatter does the same
        }
        const chm_schedule_request move = {.basic = chm_basic_move};
        chm_schedule_kind kinds[chm_schedule_count];
        chm_stage stages[chm_schedule_count];
        uint32_t count = 0;
        uint32_t kind_count = chm_schedule_choices(search, &move, kinds);
        chm_blocks need;
        status = chm_blocks_of(variants.layouts[v], &request->tensor, search->arena, &need);
        for (uint32_t k = 0; k < kind_count && status == chm_ok; ++k) {
            if (kinds[k] != chm_schedule_tree) {
                status = chm_stage_reduce_move(search, &need, kinds[k], &stages[count++]);
            }
        }
        chm_progress progress = {.recipe.count = 0};
        chm_score score;
        bool fits = false;
        bool gathers = variants.gathered[v] != 0;
        if (status == chm_ok) {
            status =
                chm_recipe_extend(search, &progress.recipe, stages, count, !gathers, &score, &fits);
        }
        if (status == chm_ok && fits && gathers) {
            status = chm_search_gather(search, &progress.recipe, variants.layouts[v],
                                       variants.gathered[v], &need, true, &score, &fits);
        }
    }
    return status;
}

// Reduces to one target and goes on from there. Schedules that need staging run in slices, and then
// the phases of different slices overlap, which the time of the reduction alone does not show: the
// best with and the best without slices are both followed.
static chm_status reduce_to(chm_search* search, const chm_blocks* blocks, const chm_layout* layout,
                            bool enough, bool* found) {
    chm_stage stages[chm_schedule_count];
    chm_score best[2];
    chm_recipe recipes[2];
    bool fits[2] = {false, false};
    uint32_t count = 0;
    chm_status status = scatters_to(search, blocks, stages, &count);
    for (uint32_t k = 0; k < count && status == chm_ok; ++k) {
        chm_recipe recipe = {.count = 0};
        chm_score score;
        bool this_fits = false;
        status = chm_recipe_extend(search, &recipe, &stages[k], 1, enough, &score, &this_fits);
        bool sliced = this_fits && score.slices > 1;
        if (this_fits && (!fits[sliced] || chm_score_less(&score, &best[sliced]))) {
            fits[sliced] = true;
            best[sliced] = score;
            recipes[sliced] = recipe;
        }
    }
    for (uint32_t sliced = 0; sliced < 2 && status == chm_ok; ++sliced) {
        *found = *found || fits[sliced];
        if (fits[sliced] && !enough) {
            const chm_progress progress = {
                .recipe = recipes[sliced], .held = *blocks, .layout = layout};
            status = chm_search_from_held(search, &progress);
        }
    }
    return status;
}

chm_status chm_search_from_partial(chm_search* search) {
    chm_reduce_targets targets;
    chm_status status = chm_reduce_targets_of(search, chm_needs_rows(search->request), &targets);
    bool done = false;
    // The demands' own targets come first. One that leaves all that is asked for needs no others.
    for (uint32_t t = 0; t < targets.count && !done && status == chm_ok; ++t) {
        bool enough = false;
        bool found = false;
        status = is_enough(search, &targets.blocks[t], &enough);
        if (status == chm_ok) {
            status = reduce_to(search, &targets.blocks[t], targets.layouts[t], enough, &found);
        }
        done = enough && found;
    }
    return status == chm_ok ? reduce_at_receiver(search) : status;
}

// Weighted addends go back to the owners of the rows: the main demand's blocks, or what it is
// gathered from, or the rows spread over the dies that send them on.
chm_status chm_search_from_routed_partial(chm_search* search) {
    const chm_request* request = search->request;
    const chm_layout* main_demand = request->demands[request->demand_count - 1];
    chm_gather_variants variants = {.count = 0};
    const chm_layout* delivered;
    chm_status status = chm_delivered_layout(search, main_demand, &delivered);
    if (status == chm_ok && chm_layout_is_routed(main_demand)) {
        uint32_t all = (1u << main_demand->mesh.dimensions) - 1;
        status = chm_layout_sharded(main_demand, all, chm_axis_tokens, search->arena,
                                    &variants.layouts[variants.count++]);
    } else if (status == chm_ok) {
        status = chm_gather_variants_of(search, delivered, false, &variants);
    }
    if (status == chm_ok && request->operation_count > 0) { // or to where the experts are
        uint32_t all = (1u << request->from->mesh.dimensions) - 1;
        variants.gathered[variants.count] = 0;
        status = chm_layout_sharded(request->from, all, chm_axis_tokens, search->arena,
                                    &variants.layouts[variants.count++]);
    }
    for (uint32_t v = 0; v < variants.count && status == chm_ok; ++v) {
        const chm_schedule_request move = {.basic = chm_basic_move};
        chm_schedule_kind kinds[chm_schedule_count];
        chm_stage stages[chm_schedule_count];
        uint32_t count = 0;
        uint32_t kind_count = chm_schedule_choices(search, &move, kinds);
        chm_progress progress = {.layout = variants.layouts[v]};
        if (chm_needs_rows(request) && !chm_layout_rows_complete(progress.layout)) {
            continue;
        }
        status = chm_blocks_of(progress.layout, &request->tensor, search->arena, &progress.held);
        for (uint32_t k = 0; k < kind_count && status == chm_ok; ++k) {
            if (kinds[k] != chm_schedule_tree) {
                status = chm_stage_combine(search, &progress.held, kinds[k], &stages[count++]);
            }
        }
        bool fits = false;
        bool enough = false;
        chm_score score;
        if (status == chm_ok) {
            status = is_enough(search, &progress.held, &enough);
        }
        if (status == chm_ok) {
            status =
                chm_recipe_extend(search, &progress.recipe, stages, count, enough, &score, &fits);
        }
        if (status == chm_ok && fits && !enough) {
            status = chm_search_from_held(search, &progress);
        }
    }
    return status;
}
