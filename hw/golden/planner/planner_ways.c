// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/planner/planner_search.h"

// The ways from a redistribution's input to its demands: reduce - move - gather.

// Adds the request's operations at `place`. Those that write leave only their own results.
static chm_status operate(chm_search* search, chm_progress* progress, const chm_layout* place) {
    const chm_request* request = search->request;
    bool writes = false;
    bool gates = false;
    for (uint32_t i = 0; i < request->operation_count; ++i) {
        writes = writes || !request->operations[i].is_gating;
        gates = gates || request->operations[i].is_gating;
    }
    chm_blocks blocks;
    chm_status status = chm_blocks_of(place, &request->tensor, search->arena, &blocks);
    if (status != chm_ok) {
        return status;
    }
    if (request->operation_count > 0) {
        const chm_stage stage = {.kind = chm_stage_operations,
                                 .text = !gates   ? "compute"
                                         : writes ? "compute and gating"
                                                  : "gating",
                                 .place = place};
        status = chm_recipe_push(&progress->recipe, &stage);
    }
    progress->senders = blocks;
    if (writes) {
        progress->held = blocks;
        return status;
    }
    return status == chm_ok ? chm_blocks_join(&progress->held, &blocks, search->arena) : status;
}

// Delivers the demands but `skip` and those that are kept where the operations ran, in order.
static chm_status deliver_all(chm_search* search, chm_progress* progress, uint32_t skip) {
    const chm_request* request = search->request;
    uint32_t count = request->demand_count;
    bool recorded = false;
    bool fits = true;
    for (uint32_t d = 0; d < count && fits; ++d) {
        if (d == skip || chm_demand_is_kept(request, d)) {
            continue;
        }
        bool last = d + 1 == count || (d + 2 == count && skip == d + 1);
        bool extended = false;
        chm_status status =
            chm_search_deliver(search, progress, request->demands[d], last, &extended, &fits);
        if (status != chm_ok) {
            return status;
        }
        recorded = last && extended;
    }
    if (!fits || recorded) {
        return chm_ok;
    }
    chm_score score;
    return chm_recipe_score(search, &progress->recipe, true, &score, &fits);
}

// Runs the operations at one place and goes on from there.
static chm_status from_place(chm_search* search, const chm_progress* start, const chm_layout* place,
                             bool after_main) {
    const chm_request* request = search->request;
    chm_progress progress = *start;
    const uint32_t main_demand = request->demand_count - 1;
    bool fits = true;
    bool held = false;
    chm_blocks blocks;
    chm_status status = chm_blocks_of(place, &request->tensor, search->arena, &blocks);
    if (status == chm_ok) {
        status = chm_blocks_cover_all(&progress.held, &blocks, search->arena, &held);
    }
    if (status == chm_ok && !held && after_main) {
        bool extended;
        status = chm_search_deliver(search, &progress, request->demands[main_demand], false,
                                    &extended, &fits);
    } else if (status == chm_ok && !held) {
        chm_score score;
        status = chm_search_move(search, &progress.recipe, &progress.held, &blocks, false, &score,
                                 &fits);
    }
    if (status == chm_ok && fits) {
        status = operate(search, &progress, place);
    }
    return status == chm_ok && fits
               ? deliver_all(search, &progress, after_main ? main_demand : UINT32_MAX)
               : status;
}

chm_status chm_search_from_held(chm_search* search, const chm_progress* start) {
    const chm_layout* routed = chm_routed_demand(search->request);
    if (routed == NULL && search->request->operation_count == 0) {
        chm_progress progress = *start;
        return deliver_all(search, &progress, UINT32_MAX);
    }
    chm_places places;
    chm_status status = chm_places_of(search, start, routed, &places);
    for (uint32_t i = 0; i < places.count && status == chm_ok; ++i) {
        status = from_place(search, start, places.layouts[i], places.after_main[i]);
    }
    return status;
}

static bool all_met(chm_search* search) {
    for (uint32_t d = 0; d < search->request->demand_count; ++d) {
        if (!chm_demand_is_met(search, search->request->demands[d])) {
            return false;
        }
    }
    return true;
}

// Addends that stay addends go die to die.
static chm_status hand_over_addends(chm_search* search, const chm_layout* to) {
    const chm_request* request = search->request;
    const chm_schedule_request move = {.basic = chm_basic_move};
    chm_schedule_kind kinds[chm_schedule_count];
    chm_stage stages[chm_schedule_count];
    uint32_t count = 0;
    chm_blocks held;
    chm_blocks need;
    uint32_t kind_count = chm_schedule_choices(search, &move, kinds);
    chm_status status = chm_blocks_of(request->from, &request->tensor, search->arena, &held);
    if (status == chm_ok) {
        status = chm_blocks_of(to, &request->tensor, search->arena, &need);
    }
    chm_transfer* transfers = chm_arena_alloc(search->arena, need.count, sizeof *transfers);
    if (status != chm_ok || transfers == NULL) {
        return status != chm_ok ? status : chm_no_memory;
    }
    for (uint32_t rank = 0; rank < need.count; ++rank) {
        transfers[rank] = (chm_transfer){.source = held.items[rank].die,
                                         .destination = need.items[rank].die,
                                         .region = need.items[rank].rect};
    }
    for (uint32_t k = 0; k < kind_count; ++k) {
        stages[count++] = (chm_stage){.kind = chm_stage_transfers,
                                      .phase = {chm_phase_move, "P2P", chm_schedule_name(kinds[k])},
                                      .text = "P2P",
                                      .from_input = true,
                                      .schedule = kinds[k],
                                      .transfers = transfers,
                                      .transfer_count = need.count};
    }
    chm_recipe recipe = {.count = 0};
    chm_score score;
    bool fits;
    return chm_recipe_extend(search, &recipe, stages, count, true, &score, &fits);
}

chm_status chm_search_all(chm_search* search) {
    const chm_request* request = search->request;
    const chm_layout* from = request->from;
    chm_progress progress = {.layout = from};
    if (all_met(search)) {
        chm_score score;
        bool fits;
        return chm_recipe_score(search, &progress.recipe, true, &score, &fits);
    }
    if (request->demand_count == 1 && request->operation_count == 0 &&
        chm_layout_is_partial(from) && !chm_layout_is_routed(from) &&
        chm_layout_alike(from, request->demands[0])) {
        return hand_over_addends(search, request->demands[0]);
    }
    if (chm_layout_is_routed(from)) {
        return chm_layout_is_partial(from) ? chm_search_from_routed_partial(search) : chm_ok;
    }
    if (chm_layout_is_partial(from)) {
        return chm_search_from_partial(search);
    }
    chm_status status = chm_blocks_of(from, &request->tensor, search->arena, &progress.held);
    return status == chm_ok ? chm_search_from_held(search, &progress) : status;
}
