// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/plan/plan_builder.h"

// Appending transfers with their dependencies, and the credits that let later slices into staging.

chm_status chm_builder_append(chm_plan_builder* builder, const chm_transfer* transfer) {
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

chm_status chm_builder_depend(chm_plan_builder* builder, chm_transfer* transfer, uint32_t id) {
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
bool chm_builder_takes_staging(const chm_plan_builder* builder, const chm_transfer* transfer) {
    if (transfer->kind == chm_transfer_credit || transfer->kind == chm_transfer_routed) {
        return false;
    }
    return (builder->plan->ordered && transfer->kind != chm_transfer_copy) ||
           chm_builder_stages(builder, transfer->destination, &transfer->region);
}

// True if a transfer keeps staging at `die` in use until it has arrived (and been added) or left.
static bool uses_staging(const chm_plan_builder* builder, const chm_transfer* transfer,
                         uint32_t die) {
    if (transfer->destination == die) {
        return chm_builder_takes_staging(builder, transfer);
    }
    return transfer->from_work && chm_builder_stages(builder, die, &transfer->region);
}

// Makes a credit of `die` depend on what uses staging there in the slices [first, last], of the
// transfers that end there or of those that start there, newest first in `id`.
static chm_status wait_for_slices(chm_plan_builder* builder, chm_transfer* credit, uint32_t id,
                                  const uint32_t* previous, uint32_t first, uint32_t last) {
    const chm_plan* plan = builder->plan;
    chm_status status = chm_ok;
    for (; id != CHM_NO_TRANSFER && plan->transfers[id].slice >= first && status == chm_ok;
         id = previous[id]) {
        if (plan->transfers[id].slice <= last &&
            uses_staging(builder, &plan->transfers[id], credit->source)) {
            status = chm_builder_depend(builder, credit, id);
        }
    }
    return status;
}

// The credit that `from` has given to `to` in this slice; CHM_NO_TRANSFER if none.
static uint32_t find_credit(const chm_plan_builder* builder, uint32_t from, uint32_t to) {
    uint32_t id = builder->last_in[to];
    for (; chm_builder_is_current(builder, id); id = builder->previous_in[id]) {
        const chm_transfer* in = &builder->plan->transfers[id];
        if (in->kind == chm_transfer_credit && in->source == from) {
            return id;
        }
    }
    return CHM_NO_TRANSFER;
}

// The destination of `transfer` tells its source that the staging of the slice slices_at_once
// before, and of those before that one, is free: everything staged there has arrived and what was
// sent from it has left. What an earlier credit said need not be found out again: this one waits
// for it.
chm_status chm_builder_credit(chm_plan_builder* builder, const chm_transfer* transfer,
                              uint32_t* credit_id) {
    const chm_plan* plan = builder->plan;
    uint32_t from = transfer->destination;
    *credit_id = CHM_NO_TRANSFER;
    if (builder->slice < plan->slices_at_once) {
        return chm_ok;
    }
    *credit_id = find_credit(builder, from, transfer->source);
    if (*credit_id != CHM_NO_TRANSFER) {
        return chm_ok;
    }
    chm_transfer credit = {.source = from,
                           .destination = transfer->source,
                           .kind = chm_transfer_credit,
                           .phase = transfer->phase,
                           .step = transfer->step,
                           .slice = builder->slice,
                           .first_dependency = plan->dependency_count};
    const uint32_t first = builder->covered[from];
    const uint32_t last = builder->slice - plan->slices_at_once;
    chm_status status = wait_for_slices(builder, &credit, builder->last_in[from],
                                        builder->previous_in, first, last);
    if (status == chm_ok) {
        status = wait_for_slices(builder, &credit, builder->last_out[from], builder->previous_out,
                                 first, last);
    }
    if (status == chm_ok && builder->last_credit[from] != CHM_NO_TRANSFER) {
        status = chm_builder_depend(builder, &credit, builder->last_credit[from]);
    }
    if (status != chm_ok || credit.dependency_count == 0) {
        return status; // nothing was staged there before
    }
    *credit_id = plan->transfer_count;
    builder->covered[from] = last + 1;
    builder->last_credit[from] = *credit_id;
    return chm_builder_append(builder, &credit);
}
