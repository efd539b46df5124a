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

// What a recipe is built by: slices, of which at_once may be in staging.
typedef struct slicing {
    const uint64_t* cuts;
    uint32_t cut_count, slices, at_once;
} slicing;

// Builds it; *that_fit becomes how many slices could be in staging at a time.
static chm_status build(chm_search* search, const chm_recipe* recipe, const slicing* by,
                        chm_arena* arena, chm_plan* plan, uint32_t* that_fit) {
    const chm_request* request = search->request;
    chm_plan_builder builder;
    chm_status status = chm_plan_begin(&builder, arena, plan, search->topology, &request->tensor,
                                       request->from, request->routing);
    if (status == chm_ok) {
        plan->ordered = request->ordered_sum && chm_layout_is_partial(request->from);
        status = chm_plan_demand(&builder, request->demands, request->demand_count);
    }
    for (uint32_t slice = 0; slice < by->slices && status == chm_ok; ++slice) {
        emission e = {.search = search, .builder = &builder};
        chm_plan_slice(&builder, by->cuts, by->cut_count, slice, by->slices, by->at_once);
        for (uint32_t s = 0; s < recipe->count && status == chm_ok; ++s) {
            status = emit_stage(&e, &recipe->stages[s]);
            if (plan->transfer_count > search->most_transfers) {
                return chm_unsupported;
            }
        }
    }
    status = status == chm_ok ? chm_plan_finish(&builder) : status;
    if (status == chm_ok) {
        uint64_t limit = search->options->staging_bytes;
        *that_fit = limit == 0 ? by->slices : chm_plan_slices_that_fit(&builder, limit);
    }
    return status;
}

static uint64_t most_staging(const chm_plan* plan) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < plan->die_count; ++i) {
        most = chm_max_u64(most, plan->dies[i].staging_bytes);
    }
    return most;
}

// Too little staging for `slices`, which keep `staging` bytes in all: as many slices as are needed
// if each keeps its share. If that was too few, rather a few too many than to build a plan for each
// number.
static uint32_t more_slices(const chm_search* search, uint32_t slices, uint64_t staging) {
    uint64_t wanted = chm_max_u64(chm_ceil_div_u64(staging, search->options->staging_bytes),
                                  (uint64_t)slices + 1 + slices / 8);
    return (uint32_t)chm_min_u64(search->request->tensor.tokens, wanted);
}

// Row by row is the least that is possible: remembers what that takes.
static chm_status note_least_staging(chm_search* search, const chm_recipe* recipe, slicing* by,
                                     chm_arena* arena, chm_plan* plan) {
    uint32_t that_fit;
    by->at_once = 1;
    chm_status status = build(search, recipe, by, arena, plan, &that_fit);
    if (status != chm_ok) {
        return status;
    }
    uint64_t staging = most_staging(plan);
    bool first = search->least_staging == 0;
    search->least_staging = first ? staging : chm_min_u64(search->least_staging, staging);
    return chm_unsupported;
}

chm_status chm_recipe_build(chm_search* search, const chm_recipe* recipe, chm_arena* arena,
                            chm_plan* plan) {
    uint64_t* cuts;
    uint32_t cut_count;
    const uint64_t tokens = search->request->tensor.tokens;
    const uint64_t ends[] = {0, tokens};
    slicing by = {.slices = search->slices};
    chm_status status = find_cuts(search, recipe, arena, &cuts, &cut_count);
    by.at_once = by.slices; // where staging is ample, and no slice waits for another
    while (status == chm_ok) {
        uint32_t that_fit = 0;
        bool row_by_row = by.slices == tokens; // wherever blocks begin
        by.cuts = row_by_row ? ends : cuts;
        by.cut_count = row_by_row ? 2 : cut_count;
        status = build(search, recipe, &by, arena, plan, &that_fit);
        if (status != chm_ok || that_fit >= by.at_once) {
            break;
        }
        if (that_fit > 0) {
            by.at_once = that_fit;
        } else if (row_by_row) {
            return note_least_staging(search, recipe, &by, arena, plan);
        } else {
            by.slices = more_slices(search, by.slices, most_staging(plan));
            by.at_once = by.slices;
        }
    }
    return status;
}
