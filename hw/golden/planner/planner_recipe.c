// SPDX-License-Identifier: Apache-2.0
#include "hw/base/checked.h"
#include "hw/golden/planner/planner_grid.h"

// Recipes: emission into a plan, slice by slice.

chm_status chm_recipe_push(chm_recipe* recipe, const chm_stage* stage) {
    if (recipe->count == chm_max_stages) {
        return chm_unsupported;
    }
    recipe->stages[recipe->count++] = *stage;
    return chm_ok;
}

// A state of one slice's emission: which phase comes next, and the last operation added.
typedef struct emission {
    chm_search* search;
    chm_plan_builder* builder;
    uint32_t phase;
    uint32_t after_operation; // 1 + its index; 0: none
} emission;

static chm_status emit_operations(emission* e, const chm_stage* stage) {
    const chm_request* request = e->search->request;
    chm_status status = chm_ok;
    for (uint32_t i = 0; i < request->operation_count && status == chm_ok; ++i) {
        const chm_plan_operation operation = {.seq = request->operations[i].seq,
                                              .after_phase = e->phase,
                                              .layout = stage->place,
                                              .reads_only = request->operations[i].is_gating};
        status = chm_plan_add_operation(e->builder, &operation);
    }
    e->after_operation = e->builder->plan->operation_count;
    return status;
}

static chm_status emit_transfers(emission* e, const chm_stage* stage) {
    chm_status status = chm_ok;
    e->builder->from_input = stage->from_input;
    for (uint32_t i = 0; i < stage->transfer_count && status == chm_ok; ++i) {
        chm_transfer transfer = stage->transfers[i];
        transfer.phase = e->phase;
        // The gating decides what a source sends of its own rows; others go by headers.
        if (transfer.kind == chm_transfer_routed && transfer.source == transfer.origin) {
            transfer.after_operation = e->after_operation;
        }
        status = chm_plan_add(e->builder, &transfer);
    }
    e->builder->from_input = false;
    return status;
}

static chm_status emit_stage(emission* e, const chm_stage* stage) {
    if (stage->kind == chm_stage_operations) {
        return emit_operations(e, stage);
    }
    chm_status status = chm_ok;
    if (e->builder->slice == 0) {
        status = chm_plan_add_phase(e->builder, &stage->phase);
    }
    if (status == chm_ok && stage->kind == chm_stage_transfers) {
        status = emit_transfers(e, stage);
    } else if (status == chm_ok) {
        const chm_schedule_request request = {.basic = stage->basic,
                                              .groups = stage->groups,
                                              .group_count = stage->group_count,
                                              .phase = e->phase,
                                              .slice = e->builder->slice};
        status = chm_schedule_emit(stage->schedule, e->builder, &request);
    }
    ++e->phase;
    return status;
}

// The row boundaries of all blocks that a recipe works on: slices cut between them, so that in
// every slice every die has its share.
static chm_status find_cuts(const chm_search* search, const chm_recipe* recipe, chm_arena* arena,
                            uint64_t** cuts, uint32_t* count) {
    uint64_t* values = NULL;
    size_t capacity = 0;
    uint32_t next = 0;
    void* items = NULL;
    chm_status status = chm_arena_grow(arena, &items, &capacity, 2, sizeof *values);
    values = items;
    if (status == chm_ok) {
        values[next++] = 0;
        values[next++] = search->request->tensor.tokens;
    }
    for (uint32_t s = 0; s < recipe->count && status == chm_ok; ++s) {
        const chm_stage* stage = &recipe->stages[s];
        uint32_t rects = stage->transfer_count;
        for (uint32_t g = 0; g < stage->group_count; ++g) {
            rects += stage->groups[g].size;
        }
        status = chm_arena_grow(arena, &items, &capacity, next + 2 * (size_t)rects, sizeof *values);
        values = items;
        for (uint32_t t = 0; t < stage->transfer_count && status == chm_ok; ++t) {
            values[next++] = stage->transfers[t].region.token_begin;
            values[next++] = stage->transfers[t].region.token_end;
        }
        for (uint32_t g = 0; g < stage->group_count && status == chm_ok; ++g) {
            for (uint32_t i = 0; i < stage->groups[g].size; ++i) {
                values[next++] = stage->groups[g].blocks[i].token_begin;
                values[next++] = stage->groups[g].blocks[i].token_end;
            }
        }
    }
    return status == chm_ok ? chm_boundaries(values, next, arena, cuts, count) : status;
}

static chm_status build(chm_search* search, const chm_recipe* recipe, uint32_t slices,
                        const uint64_t* cuts, uint32_t cut_count, chm_arena* arena,
                        chm_plan* plan) {
    const chm_request* request = search->request;
    chm_plan_builder builder;
    chm_status status = chm_plan_begin(&builder, arena, plan, search->topology, &request->tensor,
                                       request->from, request->routing);
    if (status == chm_ok) {
        plan->ordered = request->ordered_sum && chm_layout_is_partial(request->from);
        status = chm_plan_demand(&builder, request->demands, request->demand_count);
    }
    for (uint32_t slice = 0; slice < slices && status == chm_ok; ++slice) {
        emission e = {.search = search, .builder = &builder};
        chm_plan_slice(&builder, cuts, cut_count, slice, slices);
        for (uint32_t s = 0; s < recipe->count && status == chm_ok; ++s) {
            status = emit_stage(&e, &recipe->stages[s]);
            if (plan->transfer_count > search->most_transfers) {
                return chm_unsupported;
            }
        }
    }
    return status == chm_ok ? chm_plan_finish(&builder) : status;
}

static uint64_t most_staging(const chm_plan* plan) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < plan->die_count; ++i) {
        most = chm_max_u64(most, plan->dies[i].staging_bytes);
    }
    return most;
}

chm_status chm_recipe_build(chm_search* search, const chm_recipe* recipe, chm_arena* arena,
                            chm_plan* plan) {
    uint64_t* cuts;
    uint32_t cut_count;
    uint64_t limit = search->options->staging_bytes;
    chm_status status = find_cuts(search, recipe, arena, &cuts, &cut_count);
    uint64_t slices = 1;
    while (status == chm_ok) {
        status = build(search, recipe, (uint32_t)slices, cuts, cut_count, arena, plan);
        uint64_t staging = status == chm_ok ? most_staging(plan) : 0;
        if (status != chm_ok || limit == 0 || staging <= limit) {
            break;
        }
        if (slices >= search->request->tensor.tokens) {
            bool first = search->least_staging == 0;
            search->least_staging = first ? staging : chm_min_u64(search->least_staging, staging);
            return chm_unsupported;
        }
        // As many as are needed if staging shrinks in proportion; if that was too few, rather a
        // few too many than to build a plan for each number.
        uint64_t wanted =
            chm_max_u64(chm_ceil_div_u64(staging * slices, limit), slices + 1 + slices / 8);
        slices = chm_min_u64(search->request->tensor.tokens, wanted);
    }
    return status;
}
