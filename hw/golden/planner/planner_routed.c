// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/planner/planner_search.h"

// Routed transfers: the dispatch of rows to the dies of their experts and the way back.

static chm_status add(chm_search* search, chm_stage* stage, size_t* capacity,
                      const chm_transfer* transfer) {
    void* items = (void*)stage->transfers;
    chm_status status = chm_arena_grow(search->arena, &items, capacity,
                                       (size_t)stage->transfer_count + 1, sizeof *transfer);
    if (status == chm_ok) {
        stage->transfers = items;
        ((chm_transfer*)items)[stage->transfer_count++] = *transfer;
    }
    return status;
}

static void name(chm_stage* stage, const chm_blocks* from, const chm_blocks* to,
                 chm_schedule_kind schedule) {
    bool same_dies = from->count == to->count;
    for (uint32_t i = 0; i < from->count && same_dies; ++i) {
        bool found = false;
        for (uint32_t j = 0; j < to->count && !found; ++j) {
            found = from->items[i].die == to->items[j].die;
        }
        same_dies = found;
    }
    stage->text = same_dies ? "A2A" : "M2MS";
    stage->phase.collective = stage->text;
    stage->phase.schedule = chm_schedule_name(schedule);
    stage->schedule = schedule;
}

// Every source to every destination, zero rows included (the header tells): the rows that are in
// both blocks. `sample` gives the rest.
static chm_status add_all_pairs(chm_search* search, const chm_blocks* from, const chm_blocks* to,
                                chm_schedule_kind schedule, const chm_transfer* sample,
                                chm_stage* stage, size_t* capacity) {
    bool direct = schedule == chm_schedule_direct;
    uint32_t rounds = direct ? from->count : to->count;
    uint32_t turns = direct ? to->count : from->count;
    chm_status status = chm_ok;
    for (uint32_t round = 0; round < rounds; ++round) {
        for (uint32_t turn = 0; turn < turns && status == chm_ok; ++turn) {
            uint32_t i = direct ? round : turn;
            uint32_t j = direct ? turn : (turn + round) % to->count;
            chm_transfer transfer = *sample;
            transfer.source = from->items[i].die;
            transfer.destination = to->items[j].die;
            transfer.origin = transfer.source;
            transfer.region = chm_rect_intersect(&from->items[i].rect, &to->items[j].rect);
            status = add(search, stage, capacity, &transfer);
        }
    }
    return status;
}

// Behind the first hop every expert die may have rows of every origin to pass on.
static chm_status add_forwards(chm_search* search, const chm_blocks* senders, const chm_blocks* to,
                               chm_stage* stage, size_t* capacity) {
    chm_status status = chm_ok;
    for (uint32_t round = 1; round < to->count; ++round) {
        for (uint32_t f = 0; f < to->count; ++f) {
            for (uint32_t o = 0; o < senders->count && status == chm_ok; ++o) {
                chm_transfer transfer = {.kind = chm_transfer_routed,
                                         .route = chm_route_forward,
                                         .source = to->items[f].die,
                                         .destination = to->items[(f + round) % to->count].die,
                                         .origin = senders->items[o].die,
                                         .region = senders->items[o].rect,
                                         .step = 1};
                // An expert die that sends its own rows gets none back.
                if (transfer.destination != transfer.origin) {
                    status = add(search, stage, capacity, &transfer);
                }
            }
        }
    }
    return status;
}

chm_status chm_stage_dispatch(chm_search* search, const chm_blocks* senders,
                              const chm_layout* routed, chm_schedule_kind schedule,
                              chm_stage* stage) {
    chm_blocks to;
    chm_status status = chm_blocks_of(routed, &search->request->tensor, search->arena, &to);
    if (status != chm_ok) {
        return status;
    }
    *stage = (chm_stage){
        .kind = chm_stage_transfers, .basic = chm_basic_move, .phase.kind = chm_phase_move};
    name(stage, senders, &to, schedule);
    bool forward = schedule == chm_schedule_tree;
    const chm_transfer sample = {.kind = chm_transfer_routed,
                                 .route = forward ? chm_route_first : chm_route_direct};
    size_t capacity = 0;
    status = add_all_pairs(search, senders, &to, schedule, &sample, stage, &capacity);
    if (status == chm_ok && forward) {
        status = add_forwards(search, senders, &to, stage, &capacity);
    }
    return status;
}

chm_status chm_stage_combine(chm_search* search, const chm_blocks* owners,
                             chm_schedule_kind schedule, chm_stage* stage) {
    chm_blocks from;
    chm_status status =
        chm_blocks_of(search->request->from, &search->request->tensor, search->arena, &from);
    if (status != chm_ok) {
        return status;
    }
    *stage = (chm_stage){.kind = chm_stage_transfers,
                         .basic = chm_basic_move,
                         .phase.kind = chm_phase_reduce,
                         .from_input = true};
    name(stage, &from, owners, schedule);
    const chm_transfer sample = {.kind = chm_transfer_routed_reduce, .route = chm_route_combine};
    size_t capacity = 0;
    return add_all_pairs(search, &from, owners, schedule, &sample, stage, &capacity);
}
