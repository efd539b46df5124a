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

// The newest earlier slice in which staging at `die` was used; the current one if none.
static uint32_t last_staged_slice(const chm_plan_builder* builder, uint32_t die) {
    for (uint32_t id = builder->last_in[die]; id != CHM_NO_TRANSFER;
         id = builder->previous_in[id]) {
        const chm_transfer* in = &builder->plan->transfers[id];
        if (in->slice < builder->slice && chm_builder_takes_staging(builder, in)) {
            return in->slice;
        }
    }
    return builder->slice;
}

// The credit by which the destination of `transfer` tells its source that the staging of earlier
// slices is free: everything staged there has arrived and what was sent from it has left. Earlier
// slices than the last one staged are covered by that one's own credits.
chm_status chm_builder_credit(chm_plan_builder* builder, const chm_transfer* transfer,
                              uint32_t* credit_id) {
    *credit_id = CHM_NO_TRANSFER;
    uint32_t from = transfer->destination;
    const chm_plan* plan = builder->plan;
    for (uint32_t id = builder->last_in[transfer->source]; chm_builder_is_current(builder, id);
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
        if (in->slice == staged && chm_builder_takes_staging(builder, in)) {
            status = chm_builder_depend(builder, &credit, id);
        }
    }
    for (uint32_t id = builder->last_out[from]; id != CHM_NO_TRANSFER && status == chm_ok;
         id = builder->previous_out[id]) {
        const chm_transfer* out = &plan->transfers[id];
        if (out->slice == staged && out->from_work &&
            chm_builder_stages(builder, from, &out->region)) {
            status = chm_builder_depend(builder, &credit, id);
        }
    }
    *credit_id = plan->transfer_count;
    return status == chm_ok ? chm_builder_append(builder, &credit) : status;
}
