// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/planner/planner.h"

#include <inttypes.h>

#include "hw/golden/planner/planner_search.h"

// Plans in many slices on many dies grow beyond what is worth comparing: one of more transfers is
// considered only where there is no smaller one.
enum { handy_plan = 32768 };

static chm_status check_layout(const chm_topology* topology, const chm_request* request,
                               const chm_layout* layout, const char* what,
                               chm_diagnostics* diagnostics) {
    uint32_t ranks = chm_mesh_size(&layout->mesh);
    for (uint32_t rank = 0; rank < ranks; ++rank) {
        if (layout->mesh.dies[rank] >= topology->dies) {
            chm_diagnose(diagnostics, NULL,
                         "%s: die %" PRIu32 " is not one of the %" PRIu32 " dies of %s", what,
                         layout->mesh.dies[rank], topology->dies, topology->name);
            return chm_bad_argument;
        }
    }
    if (!chm_layout_is_routed(layout)) {
        return chm_ok;
    }
    if (request->routing == NULL) {
        chm_diagnose(diagnostics, NULL, "%s: a routed layout needs a routing", what);
        return chm_bad_argument;
    }
    if (chm_layout_routed_size(layout) != ranks || request->routing->dies != ranks) {
        chm_diagnose(diagnostics, NULL,
                     "%s: a routed layout with further dimensions, or on %" PRIu32
                     " dies for a routing over %" PRIu32 ", is not supported",
                     what, ranks, request->routing->dies);
        return chm_unsupported;
    }
    return chm_ok;
}

static chm_status check(const chm_topology* topology, const chm_request* request,
                        chm_diagnostics* diagnostics) {
    if (request->demand_count == 0) {
        chm_diagnose(diagnostics, NULL, "a request needs at least one demand");
        return chm_bad_argument;
    }
    chm_status status = check_layout(topology, request, request->from, "from", diagnostics);
    uint32_t routed = 0;
    for (uint32_t d = 0; d < request->demand_count && status == chm_ok; ++d) {
        status = check_layout(topology, request, request->demands[d], "demand", diagnostics);
        routed += chm_layout_is_routed(request->demands[d]);
    }
    if (status == chm_ok && routed > 1) {
        chm_diagnose(diagnostics, NULL, "more than one routed demand is not supported");
        return chm_unsupported;
    }
    return status;
}

static void explain_failure(const chm_search* search, chm_diagnostics* diagnostics) {
    const chm_layout* from = search->request->from;
    if (search->least_staging != 0) {
        chm_diagnose(diagnostics, NULL,
                     "staging_bytes %" PRIu64 " is too small: even row by row a die needs %" PRIu64,
                     search->options->staging_bytes, search->least_staging);
    } else if (chm_layout_is_routed(from) && !chm_layout_is_partial(from)) {
        chm_diagnose(diagnostics, NULL,
                     "routed copies are not sent on from where a dispatch left them; where what "
                     "takes them fuses with the dispatch, rows go to the second place at once");
    } else if (search->request->operation_count > 0) {
        chm_diagnose(diagnostics, NULL,
                     "no layout has complete rows where the operations' operands are");
    } else {
        chm_diagnose(diagnostics, NULL, "no schedule applies to this redistribution%s",
                     search->request->ordered_sum ? " and keeps the order of sums" : "");
    }
}

chm_plan_options chm_plan_options_from(const chm_parameters* parameters, const chm_costs* costs) {
    const chm_engine_params* engine = &parameters->engine;
    return (chm_plan_options){.costs = costs,
                              .reduce_scatter = (chm_schedule_kind)engine->reduce_scatter_schedule,
                              .all_gather = (chm_schedule_kind)engine->all_gather_schedule,
                              .move = (chm_schedule_kind)engine->move_schedule,
                              .staging_bytes = engine->staging_bytes,
                              .chunk_bytes = engine->chunk_bytes};
}

chm_status chm_plan_request(const chm_topology* topology, const chm_request* request,
                            const chm_plan_options* options, chm_arena* arena, chm_plan* plan,
                            chm_candidate_list* candidates, chm_diagnostics* diagnostics) {
    chm_status status = check(topology, request, diagnostics);
    if (status != chm_ok) {
        return status;
    }
    chm_arena scratch;
    chm_arena_init(&scratch);
    chm_search search = {.topology = topology,
                         .request = request,
                         .options = options,
                         .most_transfers = handy_plan,
                         .arena = candidates == NULL ? &scratch : arena,
                         .candidates = candidates};
    search.hops = chm_arena_alloc(&scratch, topology->dies, sizeof *search.hops);
    search.hops_arena = &scratch;
    status = search.hops == NULL ? chm_no_memory : chm_search_slices(&search);
    if (status == chm_ok && !search.found) { // then one that is slow to plan must do
        search.most_transfers = UINT32_MAX;
        status = chm_search_slices(&search);
    }
    if (status == chm_ok && !search.found) {
        explain_failure(&search, diagnostics);
        status = chm_unsupported;
    }
    if (status == chm_ok) {
        search.slices = search.best_score.slices;
        status = chm_recipe_build(&search, &search.best, arena, plan);
        plan->estimated_cycles = search.best_score.cycles;
    }
    chm_arena_free(&scratch);
    return status;
}
