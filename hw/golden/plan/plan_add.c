// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/layout/rects.h"
#include "hw/golden/plan/plan_builder.h"

// Adding a transfer: take it apart where its region is not uniform, then find what it waits for.

// True if `earlier`, which ends at the source of `later`, left there what `later` reads.
static bool feeds(const chm_plan_builder* builder, const chm_transfer* earlier,
                  const chm_transfer* later) {
    if (builder->from_input || later->kind == chm_transfer_credit ||
        earlier->kind == chm_transfer_credit) {
        return false;
    }
    if (later->route == chm_route_forward && later->source != later->origin) {
        return earlier->route == chm_route_first && earlier->origin == later->origin; // its slot
    }
    return earlier->kind != chm_transfer_routed;
}

// Adds a transfer whose region is uniform at both ends.
static chm_status add_uniform(chm_plan_builder* builder, chm_transfer transfer, bool from_work,
                              uint32_t after_operation) {
    chm_status status = chm_ok;
    uint32_t credit = CHM_NO_TRANSFER;
    if (builder->slice > 0 && chm_builder_takes_staging(builder, &transfer)) {
        status = chm_builder_credit(builder, &transfer, &credit);
        if (status != chm_ok) {
            return status;
        }
    }
    transfer.from_work = from_work;
    transfer.slice = builder->slice;
    transfer.first_dependency = builder->plan->dependency_count;
    transfer.dependency_count = 0;
    if (transfer.after_operation == 0) {
        transfer.after_operation = after_operation;
    }
    if (credit != CHM_NO_TRANSFER) {
        status = chm_builder_depend(builder, &transfer, credit);
    }
    for (uint32_t id = builder->last_in[transfer.source];
         chm_builder_is_current(builder, id) && status == chm_ok; id = builder->previous_in[id]) {
        const chm_transfer* in = &builder->plan->transfers[id];
        if (feeds(builder, in, &transfer) && chm_rect_overlaps(&in->region, &transfer.region)) {
            status = chm_builder_depend(builder, &transfer, id);
        }
    }
    return status == chm_ok ? chm_builder_append(builder, &transfer) : status;
}

// A reduction's region must be uniform at the destination too: either something was delivered
// there, or its own addend is there, or nothing.
static chm_status add_reduction(chm_plan_builder* builder, const chm_transfer* transfer,
                                bool from_work, uint32_t after_operation) {
    const chm_plan* plan = builder->plan;
    chm_rect_list* todo = &builder->parts;
    todo->count = 0;
    chm_status status = chm_rect_list_add(todo, &transfer->region, builder->arena);
    uint32_t rank = builder->from_rank[transfer->destination];
    chm_rect own = {0};
    if (rank != CHM_NO_RANK) {
        own = chm_layout_holding(plan->from, &plan->tensor, rank).rect;
    }
    uint32_t id = builder->last_in[transfer->destination];
    while (status == chm_ok && todo->count > 0) {
        chm_rect hole = own; // after the earlier deliveries, the own addend
        if (chm_builder_is_current(builder, id)) {
            const chm_transfer* in = &plan->transfers[id];
            id = builder->previous_in[id];
            if (in->kind != chm_transfer_reduce) {
                continue;
            }
            hole = in->region;
        } else if (chm_rect_empty(&own)) {
            hole = transfer->region; // neither
        } else {
            own = (chm_rect){0};
        }
        uint32_t count = todo->count;
        for (uint32_t i = 0; i < count && status == chm_ok; ++i) {
            chm_transfer part = *transfer;
            part.region = chm_rect_intersect(&todo->items[i], &hole);
            if (!chm_rect_empty(&part.region)) {
                status = add_uniform(builder, part, from_work, after_operation);
            }
        }
        if (status == chm_ok) {
            status = chm_rect_list_subtract(todo, &hole, &builder->spare, builder->arena);
        }
    }
    return status;
}

static chm_status add_sourced(chm_plan_builder* builder, const chm_transfer* transfer,
                              const chm_rect* region, bool from_work, uint32_t after_operation) {
    chm_transfer part = *transfer;
    part.region = *region;
    return part.kind == chm_transfer_reduce
               ? add_reduction(builder, &part, from_work, after_operation)
               : add_uniform(builder, part, from_work, after_operation);
}

// Leaves in builder->fresh the parts of `region` that the source reads from its input, and in
// *after_operation the last operation that wrote any of it.
static chm_status find_fresh(chm_plan_builder* builder, const chm_transfer* transfer,
                             const chm_rect* region, uint32_t* after_operation) {
    const chm_plan* plan = builder->plan;
    chm_rect_list* fresh = &builder->fresh;
    fresh->count = 0;
    *after_operation = 0;
    chm_status status = chm_rect_list_add(fresh, region, builder->arena);
    for (uint32_t id = builder->last_in[transfer->source];
         fresh->count > 0 && chm_builder_is_current(builder, id) && status == chm_ok;
         id = builder->previous_in[id]) {
        const chm_transfer* in = &plan->transfers[id];
        if (feeds(builder, in, transfer)) {
            status = chm_rect_list_subtract(fresh, &in->region, &builder->spare, builder->arena);
        }
    }
    for (uint32_t i = plan->operation_count; i-- > 0 && status == chm_ok;) {
        const chm_plan_operation* operation = &plan->operations[i];
        if (operation->slice != builder->slice) {
            break;
        }
        for (uint32_t b = 0; b < operation->block_count && !operation->reads_only; ++b) {
            const chm_block* block = &operation->blocks[b];
            if (block->die == transfer->source && chm_rect_overlaps(&block->rect, region)) {
                *after_operation = *after_operation == 0 ? i + 1 : *after_operation;
                status =
                    chm_rect_list_subtract(fresh, &block->rect, &builder->spare, builder->arena);
            }
        }
    }
    return status;
}

// Adds the part of a transfer that belongs to the current slice, in one block.
static chm_status add_block(chm_plan_builder* builder, const chm_transfer* transfer,
                            const chm_rect* region) {
    uint32_t after_operation = 0;
    chm_status status = find_fresh(builder, transfer, region, &after_operation);
    if (status != chm_ok) {
        return status;
    }
    chm_rect_list* fresh = &builder->fresh;
    chm_rect_list* old = &builder->old;
    old->count = 0;
    status = chm_rect_list_add(old, region, builder->arena);
    if (chm_rect_list_elements(fresh) == chm_rect_elements(region)) {
        return add_sourced(builder, transfer, region, false, 0);
    }
    for (uint32_t i = 0; i < fresh->count && status == chm_ok; ++i) {
        status = chm_rect_list_subtract(old, &fresh->items[i], &builder->spare, builder->arena);
    }
    chm_rect_list_merge(old);
    for (uint32_t i = 0; i < old->count && status == chm_ok; ++i) {
        status = add_sourced(builder, transfer, &old->items[i], true, after_operation);
    }
    chm_rect_list_merge(fresh);
    for (uint32_t i = 0; i < fresh->count && status == chm_ok; ++i) {
        status = add_sourced(builder, transfer, &fresh->items[i], false, 0);
    }
    return status;
}

chm_status chm_plan_add(chm_plan_builder* builder, const chm_transfer* transfer) {
    if (transfer->source == transfer->destination || chm_rect_empty(&transfer->region)) {
        return chm_ok;
    }
    chm_transfer cut = *transfer;
    uint32_t rank = builder->from_rank[transfer->source];
    if (rank != CHM_NO_RANK) {
        const chm_plan* plan = builder->plan;
        cut.addend = chm_layout_holding(plan->from, &plan->tensor, rank).addend;
    }
    if (builder->plan->slices == 1) {
        return add_block(builder, &cut, &transfer->region);
    }
    chm_status status = chm_builder_cut(builder, &transfer->region, &builder->pieces);
    for (uint32_t i = 0; i < builder->pieces.count && status == chm_ok; ++i) {
        status = add_block(builder, &cut, &builder->pieces.items[i]);
    }
    return status;
}
