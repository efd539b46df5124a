// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/plan_builder.h"
#include "hw/golden/rects.h"

// Adding a transfer: take it apart where its region is not uniform, then find what it waits for.

// Slices have no element in common: only transfers of the current slice are of interest.
static bool is_current(const chm_plan_builder* builder, uint32_t id) {
    return id != CHM_NO_TRANSFER && builder->plan->transfers[id].slice == builder->slice;
}

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

static chm_status append(chm_plan_builder* builder, const chm_transfer* transfer) {
    chm_plan* plan = builder->plan;
    size_t needed = (size_t)plan->transfer_count + 1;
    void* transfers = plan->transfers;
    void* previous_in = builder->previous_in;
    void* previous_out = builder->previous_out;
    if (chm_arena_grow(builder->arena, &transfers, &builder->transfer_capacity, needed,
                       sizeof *transfer) != chm_ok ||
        chm_arena_grow(builder->arena, &previous_in, &builder->previous_in_capacity, needed,
                       sizeof(uint32_t)) != chm_ok ||
        chm_arena_grow(builder->arena, &previous_out, &builder->previous_out_capacity, needed,
                       sizeof(uint32_t)) != chm_ok) {
        return chm_no_memory;
    }
    plan->transfers = transfers;
    builder->previous_in = previous_in;
    builder->previous_out = previous_out;
    uint32_t id = plan->transfer_count++;
    plan->transfers[id] = *transfer;
    builder->previous_in[id] = builder->last_in[transfer->destination];
    builder->last_in[transfer->destination] = id;
    builder->previous_out[id] = builder->last_out[transfer->source];
    builder->last_out[transfer->source] = id;
    return chm_ok;
}

static chm_status add_dependency(chm_plan_builder* builder, chm_transfer* transfer, uint32_t id) {
    chm_plan* plan = builder->plan;
    void* items = plan->dependencies;
    chm_status status = chm_arena_grow(builder->arena, &items, &builder->dependency_capacity,
                                       (size_t)plan->dependency_count + 1, sizeof id);
    if (status != chm_ok) {
        return status;
    }
    plan->dependencies = items;
    // Lists are walked from the newest; a transfer's dependencies stand in ascending order.
    uint32_t place = plan->dependency_count++;
    for (; place > transfer->first_dependency && plan->dependencies[place - 1] > id; --place) {
        plan->dependencies[place] = plan->dependencies[place - 1];
    }
    plan->dependencies[place] = id;
    ++transfer->dependency_count;
    return chm_ok;
}

// True if `transfer` takes staging space at its destination until it is sent on or added.
static bool takes_staging(const chm_plan_builder* builder, const chm_transfer* transfer) {
    if (transfer->kind == chm_transfer_credit || transfer->kind == chm_transfer_routed) {
        return false;
    }
    return (builder->plan->ordered && transfer->kind != chm_transfer_copy) ||
           chm_builder_stages(builder, transfer->destination, &transfer->region);
}

// The newest earlier slice in which staging at `die` was used; the current one if none.
static uint32_t last_staged_slice(const chm_plan_builder* builder, uint32_t die) {
    for (uint32_t id = builder->last_in[die]; id != CHM_NO_TRANSFER;
         id = builder->previous_in[id]) {
        const chm_transfer* in = &builder->plan->transfers[id];
        if (in->slice < builder->slice && takes_staging(builder, in)) {
            return in->slice;
        }
    }
    return builder->slice;
}

// The credit by which the destination of `transfer` tells its source that the staging of earlier
// slices is free: everything staged there has arrived and what was sent from it has left. Earlier
// slices than the last one staged are covered by that one's own credits.
static chm_status add_credit(chm_plan_builder* builder, const chm_transfer* transfer,
                             uint32_t* credit_id) {
    *credit_id = CHM_NO_TRANSFER;
    uint32_t from = transfer->destination;
    const chm_plan* plan = builder->plan;
    for (uint32_t id = builder->last_in[transfer->source]; is_current(builder, id);
         id = builder->previous_in[id]) {
        const chm_transfer* in = &plan->transfers[id];
        if (in->kind == chm_transfer_credit && in->source == from) {
            *credit_id = id;
            return chm_ok;
        }
    }
    uint32_t staged = last_staged_slice(builder, from);
    if (staged == builder->slice) {
        return chm_ok;
    }
    chm_transfer credit = {.source = from,
                           .destination = transfer->source,
                           .kind = chm_transfer_credit,
                           .phase = transfer->phase,
                           .step = transfer->step,
                           .slice = builder->slice,
                           .first_dependency = plan->dependency_count};
    chm_status status = chm_ok;
    for (uint32_t id = builder->last_in[from]; id != CHM_NO_TRANSFER && status == chm_ok;
         id = builder->previous_in[id]) {
        const chm_transfer* in = &plan->transfers[id];
        if (in->slice == staged && takes_staging(builder, in)) {
            status = add_dependency(builder, &credit, id);
        }
    }
    for (uint32_t id = builder->last_out[from]; id != CHM_NO_TRANSFER && status == chm_ok;
         id = builder->previous_out[id]) {
        const chm_transfer* out = &plan->transfers[id];
        if (out->slice == staged && out->from_work &&
            chm_builder_stages(builder, from, &out->region)) {
            status = add_dependency(builder, &credit, id);
        }
    }
    *credit_id = plan->transfer_count;
    return status == chm_ok ? append(builder, &credit) : status;
}

// Adds a transfer whose region is uniform at both ends.
static chm_status add_uniform(chm_plan_builder* builder, chm_transfer transfer, bool from_work,
                              uint32_t after_operation) {
    chm_status status = chm_ok;
    uint32_t credit = CHM_NO_TRANSFER;
    if (builder->slice > 0 && takes_staging(builder, &transfer)) {
        status = add_credit(builder, &transfer, &credit);
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
        status = add_dependency(builder, &transfer, credit);
    }
    for (uint32_t id = builder->last_in[transfer.source];
         is_current(builder, id) && status == chm_ok; id = builder->previous_in[id]) {
        const chm_transfer* in = &builder->plan->transfers[id];
        if (feeds(builder, in, &transfer) && chm_rect_overlaps(&in->region, &transfer.region)) {
            status = add_dependency(builder, &transfer, id);
        }
    }
    return status == chm_ok ? append(builder, &transfer) : status;
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
        if (is_current(builder, id)) {
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
         is_current(builder, id) && status == chm_ok; id = builder->previous_in[id]) {
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
