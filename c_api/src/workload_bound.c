// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/workload_bound.h"

#include <string.h>

#include "c_api/src/workload.h"
#include "hw/golden/explain/explain.h"

chm_status chm_api_bound(const chm_platform* platform, const chm_program* program, chm_bound* bound,
                         chm_diagnostics* diagnostics) {
    chm_arena arena;
    chm_arena_init(&arena);
    chm_workload workload;
    chm_explanation explanation = {0};
    chm_costs costs = chm_costs_from(&platform->parameters);
    chm_plan_options options = {&costs, chm_schedule_auto, chm_schedule_auto, chm_schedule_auto,
                                platform->parameters.engine.staging_bytes};
    chm_status status = chm_api_drive(platform, program, true, &arena, &workload, diagnostics);
    if (status == chm_ok) {
        status = chm_explain(&workload, &platform->topology, &options, &arena, &explanation,
                             diagnostics);
    }
    memset(bound, 0, sizeof *bound);
    for (uint32_t i = 0; status == chm_ok && i < explanation.run_count; ++i) {
        const chm_explained_run* run = &explanation.runs[i];
        if (run->transfers && run->bound.lower_bound_cycles > bound->lower_bound_cycles) {
            *bound = run->bound;
        }
    }
    chm_arena_free(&arena);
    return status;
}
