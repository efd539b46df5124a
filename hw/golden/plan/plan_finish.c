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

// The most that `at_once` slices in a row keep.
static uint64_t most_staged(const uint64_t* staged, uint32_t slices, uint32_t at_once) {
    uint64_t now = 0;
    uint64_t most = 0;
    for (uint32_t slice = 0; slice < slices; ++slice) {
        now += staged[slice] - (slice >= at_once ? staged[slice - at_once] : 0);
        most = chm_max_u64(most, now);
    }
    return most;
}

// The longest row of slices in which no stretch keeps more than `limit`.
static uint32_t slices_within(const uint64_t* staged, uint32_t slices, uint64_t limit) {
    uint32_t most = slices;
    uint32_t first = 0;
    uint64_t now = 0;
    // From every last slice back to the first one that still fits.
    for (uint32_t last = 0; last < slices; ++last) {
        now += staged[last];
        for (; now > limit; ++first) {
            now -= staged[first];
        }
        if (first > 0 && last + 1 - first < most) {
            most = last + 1 - first;
        }
    }
    return most;
}

uint32_t chm_plan_slices_that_fit(const chm_plan_builder* builder, uint64_t staging_bytes) {
    const chm_plan* plan = builder->plan;
    uint32_t most = plan->slices;
    for (uint32_t i = 0; i < plan->die_count; ++i) {
        const uint64_t* staged = &builder->staged[(size_t)plan->dies[i].die * plan->slices];
        uint32_t here = slices_within(staged, plan->slices, staging_bytes);
        most = here < most ? here : most;
    }
    return most;
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
    const uint32_t slices = builder->plan->slices;
    uint64_t* staged = &builder->staged[(size_t)id * slices];
    for (uint32_t slice = 0; slice < slices; ++slice) {
        chm_status status = slice_staging(builder, die, slice, &next, &staged[slice]);
        if (status != chm_ok) {
            return status;
        }
    }
    die->staging_bytes = most_staged(staged, slices, builder->plan->slices_at_once);
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

static chm_status count_rounds(chm_plan* plan, chm_arena* arena) {
    uint32_t* first = chm_arena_alloc(arena, (size_t)plan->phase_count + 1, sizeof *first);
    if (first == NULL) {
        return chm_no_memory;
    }
    for (uint32_t i = 0; i < plan->transfer_count; ++i) {
        uint32_t* steps = &first[plan->transfers[i].phase + 1];
        *steps = plan->transfers[i].step + 1 > *steps ? plan->transfers[i].step + 1 : *steps;
    }
    for (uint32_t phase = 0; phase < plan->phase_count; ++phase) {
        first[phase + 1] += first[phase];
    }
    for (uint32_t i = 0; i < plan->transfer_count; ++i) {
        chm_transfer* transfer = &plan->transfers[i];
        transfer->round = transfer->slice + first[transfer->phase] + transfer->step;
    }
    return chm_ok;
}

chm_status chm_plan_finish(chm_plan_builder* builder) {
    chm_plan* plan = builder->plan;
    uint32_t dies = plan->topology->dies;
    plan->dies = chm_arena_alloc(builder->arena, dies, sizeof *plan->dies);
    builder->staged =
        chm_arena_alloc(builder->arena, (size_t)dies * plan->slices, sizeof *builder->staged);
    if (plan->dies == NULL || builder->staged == NULL) {
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
    return count_rounds(plan, builder->arena);
}
