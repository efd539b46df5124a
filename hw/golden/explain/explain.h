// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/json.h"
#include "hw/golden/bound/bound.h"
#include "hw/golden/fusion/fusion.h"
#include "hw/golden/fusion/workload.h"
#include "hw/golden/planner/planner.h"

// Why the engine does what it does with a program: the runs that the common view of all dies
// decides, what each becomes on a topology, and for neighbours on a value's line that did not fuse
// the rule.

#ifdef __cplusplus
extern "C" {
#endif

// An operation inside a run, where the program wrote it and where it executes.
typedef struct chm_explained_operation {
    uint32_t seq;
    const chm_layout* written;
    const chm_layout* stands; // null: nowhere (the plan has no place of its own for it)
    bool moved;               // on other blocks than written
} chm_explained_operation;

typedef struct chm_explained_run {
    const chm_run* run;
    chm_composition composition;
    const char* const* forms; // per demand, by the algebra (form.h)
    const uint32_t* kept;     // per demand: seq of the operation of the run that changes the data
                              // behind it, CHM_NONE
    const chm_explained_operation* operations;
    uint32_t operation_count;
    bool transfers; // has a collective or a linear join; else the fields below are empty
    chm_plan plan;
    chm_candidate_list candidates;
    chm_bound bound;
    uint64_t bytes_before; // sum over the members as written, least sends
    uint64_t bytes_after;  // payload of the plan
} chm_explained_run;

// Two neighbours on a value's line that are not in one run.
typedef struct chm_refusal {
    uint32_t first, second; // seqs
    chm_join rule;
    const char* sentence; // names the operations and values
} chm_refusal;

typedef struct chm_explanation {
    const chm_workload* workload;
    const chm_topology* topology;
    chm_explained_run* runs; // in issue order
    uint32_t run_count;
    chm_refusal* refusals; // in the order of the runs' ends
    uint32_t refusal_count;
} chm_explanation;

// Everything lives in the arena and refers to workload and topology.
chm_status chm_explain(const chm_workload* workload, const chm_topology* topology,
                       const chm_plan_options* options, chm_arena* arena,
                       chm_explanation* explanation, chm_diagnostics* diagnostics);

void chm_explain_text(const chm_explanation* explanation, chm_text* text);

// One object with members `runs` and `not_fused`; a run's `plan` lists its transfers with their
// dependencies.
void chm_explain_json(const chm_explanation* explanation, chm_json* json);

// An array of the ways considered.
void chm_candidates_json(const chm_candidate_list* candidates, chm_json* json);

#ifdef __cplusplus
}
#endif
