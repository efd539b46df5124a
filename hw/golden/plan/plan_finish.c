// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/layout/rects.h"
#include "hw/golden/plan/plan_builder.h"

// Completing a plan: each participant's view of it, staging and payload.

static void grow_box(chm_rect* box, const chm_rect* rect) {
    if (chm_rect_empty(rect)) {
        return;
    }
    if (chm_rect_empty(box)) {
        *box = *rect;
        return;
    }
    box->token_begin = chm_min_u64(box->token_begin, rect->token_begin);
    box->token_end = chm_max_u64(box->token_end, rect->token_end);
    box->width_begin = chm_min_u64(box->width_begin, rect->width_begin);
    box->width_end = chm_max_u64(box->width_end, rect->width_end);
}

// Room for the indices of one die's transfers, oldest first, out of a newest-first chain.
static const uint32_t* unchain(chm_arena* arena, uint32_t last, const uint32_t* previous,
                               uint32_t* count) {
    *count = 0;
    for (uint32_t id = last; id != CHM_NO_TRANSFER; id = previous[id]) {
        ++*count;
    }
    uint32_t* items = chm_arena_alloc(arena, *count, sizeof *items);
    if (items != NULL) {
        uint32_t place = *count;
        for (uint32_t id = last; id != CHM_NO_TRANSFER; id = previous[id]) {
            items[--place] = id;
        }
    }
    return items;
}

// Adds to builder->old (what is in work in this slice) the block `rect`, and to *elements what of
// it is new there and belongs to no demand. Blocks of demands count as being there already.
static chm_status put(chm_plan_builder* builder, const chm_rect* rect, uint64_t* elements) {
    chm_rect_list* fresh = &builder->fresh;
    chm_rect_list* old = &builder->old;
    fresh->count = 0;
    chm_status status = chm_rect_list_add(fresh, rect, builder->arena);
    for (uint32_t i = 0; i < old->count && status == chm_ok && fresh->count > 0; ++i) {
        status = chm_rect_list_subtract(fresh, &old->items[i], &builder->spare, builder->arena);
    }
    *elements += chm_rect_list_elements(fresh);
    for (uint32_t i = 0; i < fresh->count && status == chm_ok; ++i) {
        status = chm_rect_list_add(old, &fresh->items[i], builder->arena);
    }
    return status;
}

// Bytes that one slice keeps in work at a die outside what the demands leave there. In an ordered
// plan every addend is kept until the last is there. *next is the slice's first incoming transfer;
// slices follow each other.
static chm_status slice_staging(chm_plan_builder* builder, chm_plan_die* die, uint32_t slice,
                                uint32_t* next, uint64_t* bytes) {
    const chm_plan* plan = builder->plan;
    uint64_t elements = 0;
    chm_status status = chm_ok;
    builder->old.count = 0;
    for (uint32_t i = builder->first_demanded[die->die];
         i < builder->first_demanded[die->die + 1] && status == chm_ok; ++i) {
        uint64_t ignored = 0;
        status = put(builder, &builder->demanded[i].rect, &ignored);
    }
    for (; *next < die->incoming_count && status == chm_ok; ++*next) {
        const chm_transfer* in = &plan->transfers[die->incoming[*next]];
        if (in->slice != slice) {
            break;
        }
        if (in->kind == chm_transfer_credit || in->kind == chm_transfer_routed) {
            continue;
        }
        if (plan->ordered && in->kind != chm_transfer_copy) {
            elements += chm_rect_elements(&in->region);
        }
        status = put(builder, &in->region, &elements);
    }
    for (uint32_t o = 0; o < plan->operation_count; ++o) {
        const chm_plan_operation* operation = &plan->operations[o];
        for (uint32_t b = 0; b < operation->block_count && status == chm_ok; ++b) {
            if (operation->slice == slice && !operation->reads_only &&
                operation->blocks[b].die == die->die) {
                status = put(builder, &operation->blocks[b].rect, &elements);
            }
        }
    }
    *bytes = elements * plan->tensor.element_bytes;
    return status;
}

static void find_work(const chm_plan* plan, chm_plan_die* die) {
    for (uint32_t i = 0; i < die->incoming_count; ++i) {
        const chm_transfer* in = &plan->transfers[die->incoming[i]];
        if (in->kind != chm_transfer_credit && in->kind != chm_transfer_routed) {
            grow_box(&die->work, &in->region);
        }
    }
    for (uint32_t o = 0; o < plan->operation_count; ++o) {
        const chm_plan_operation* operation = &plan->operations[o];
        for (uint32_t b = 0; b < operation->block_count && !operation->reads_only; ++b) {
            if (operation->blocks[b].die == die->die) {
                grow_box(&die->work, &operation->blocks[b].rect);
            }
        }
    }
}

static chm_status finish_die(chm_plan_builder* builder, uint32_t id, chm_plan_die* die) {
    die->die = id;
    die->incoming =
        unchain(builder->arena, builder->last_in[id], builder->previous_in, &die->incoming_count);
    die->outgoing =
        unchain(builder->arena, builder->last_out[id], builder->previous_out, &die->outgoing_count);
    if (die->incoming == NULL || die->outgoing == NULL) {
        return chm_no_memory;
    }
    find_work(builder->plan, die);
    uint32_t next = 0;
    for (uint32_t slice = 0; slice < builder->plan->slices; ++slice) {
        uint64_t bytes = 0;
        chm_status status = slice_staging(builder, die, slice, &next, &bytes);
        if (status != chm_ok) {
            return status;
        }
        die->staging_bytes = chm_max_u64(die->staging_bytes, bytes);
    }
    return chm_ok;
}

static bool takes_part(const chm_plan_builder* builder, uint32_t die) {
    if (builder->last_in[die] != CHM_NO_TRANSFER || builder->last_out[die] != CHM_NO_TRANSFER ||
        builder->from_rank[die] != CHM_NO_RANK) {
        return true;
    }
    const chm_plan* plan = builder->plan;
    if (builder->first_demanded[die] < builder->first_demanded[die + 1]) {
        return true;
    }
    return plan->routed != NULL && chm_mesh_rank(&plan->routed->mesh, die) != CHM_NO_RANK;
}

chm_status chm_plan_finish(chm_plan_builder* builder) {
    chm_plan* plan = builder->plan;
    uint32_t dies = plan->topology->dies;
    plan->dies = chm_arena_alloc(builder->arena, dies, sizeof *plan->dies);
    if (plan->dies == NULL) {
        return chm_no_memory;
    }
    for (uint32_t id = 0; id < dies; ++id) {
        if (takes_part(builder, id)) {
            chm_status status = finish_die(builder, id, &plan->dies[plan->die_count++]);
            if (status != chm_ok) {
                return status;
            }
        }
    }
    for (uint32_t i = 0; i < plan->transfer_count; ++i) {
        plan->payload_bytes += chm_plan_transfer_bytes(plan, &plan->transfers[i]);
    }
    return chm_ok;
}
