// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/explain/explain.h"

#include "hw/golden/explain/explain_internal.h"
#include "hw/golden/explain/form.h"
#include "hw/golden/fusion/window.h"

typedef struct explainer {
    const chm_workload* workload;
    const chm_topology* topology;
    const chm_plan_options* options;
    chm_arena* arena;
    chm_explanation* explanation;
    chm_diagnostics* diagnostics;
    size_t run_capacity, refusal_capacity;
} explainer;

static uint64_t volume_as_written(const chm_tables* tables, const chm_run* run) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < run->count; ++i) {
        bytes += chm_volume_as_written(tables, &run->members[i]);
    }
    return bytes;
}

static const chm_layout* place_of(const chm_plan* plan, uint32_t seq) {
    for (uint32_t i = 0; i < plan->operation_count; ++i) {
        if (plan->operations[i].seq == seq) {
            return plan->operations[i].layout;
        }
    }
    return NULL;
}

static chm_status explain_operations(explainer* e, chm_explained_run* run) {
    chm_explained_operation* operations =
        chm_arena_alloc(e->arena, run->run->count, sizeof *operations);
    if (operations == NULL) {
        return chm_no_memory;
    }
    for (uint32_t i = 0; i < run->run->count; ++i) {
        const chm_descriptor* d = &run->run->members[i];
        if (d->kind != chm_descriptor_marker) {
            continue;
        }
        const chm_layout* written = &e->workload->tables.layouts[d->layout_in];
        const chm_layout* stands = run->transfers ? place_of(&run->plan, d->seq) : written;
        bool moved =
            stands != NULL && !chm_layout_same(stands, written, &run->composition.request.tensor);
        operations[run->operation_count++] =
            (chm_explained_operation){d->seq, written, stands, moved};
    }
    run->operations = operations;
    return chm_ok;
}

// The first operation behind the demanded value that writes.
static uint32_t changed_by(const chm_request* request, uint32_t demand) {
    for (uint32_t i = request->demand_operations[demand]; i < request->operation_count; ++i) {
        if (!request->operations[i].is_gating) {
            return request->operations[i].seq;
        }
    }
    return CHM_NONE;
}

static chm_status name_forms(explainer* e, chm_explained_run* run) {
    const chm_request* request = &run->composition.request;
    const char** forms = chm_arena_alloc(e->arena, request->demand_count, sizeof *forms);
    uint32_t* kept = chm_arena_alloc(e->arena, request->demand_count, sizeof *kept);
    if (forms == NULL || kept == NULL) {
        return chm_no_memory;
    }
    for (uint32_t i = 0; i < request->demand_count; ++i) {
        forms[i] = chm_form_of(request, i);
        kept[i] = changed_by(request, i);
    }
    run->forms = forms;
    run->kept = kept;
    return chm_ok;
}

static chm_status plan_run(explainer* e, chm_explained_run* run) {
    const chm_request* request = &run->composition.request;
    chm_status status = chm_plan_request(e->topology, request, e->options, e->arena, &run->plan,
                                         &run->candidates, e->diagnostics);
    if (status == chm_ok) {
        status = chm_bound_request(e->topology, request, e->arena, &run->bound);
    }
    run->bytes_before = volume_as_written(&e->workload->tables, run->run);
    run->bytes_after = run->plan.payload_bytes;
    return status;
}

static chm_status explain_run(explainer* e, const chm_run* decided) {
    chm_explanation* x = e->explanation;
    chm_status status = chm_arena_grow(e->arena, (void**)&x->runs, &e->run_capacity,
                                       (size_t)x->run_count + 1, sizeof *x->runs);
    if (status != chm_ok) {
        return status;
    }
    chm_explained_run* run = &x->runs[x->run_count++];
    *run = (chm_explained_run){.run = chm_arena_copy(e->arena, decided, 1, sizeof *decided)};
    if (run->run == NULL) {
        return chm_no_memory;
    }
    for (uint32_t i = 0; i < decided->count; ++i) {
        const chm_descriptor* d = &decided->members[i];
        // A linear join alone may still stand at a slice, and gather its result.
        run->transfers |= d->kind == chm_descriptor_collective || d->op_class == chm_class_linear;
    }
    status =
        chm_compose(&e->workload->tables, run->run, e->arena, &run->composition, e->diagnostics);
    if (status == chm_ok) {
        status = name_forms(e, run);
    }
    if (status == chm_ok && run->transfers) {
        status = plan_run(e, run);
    }
    return status == chm_ok ? explain_operations(e, run) : status;
}

// The neighbour behind the run on its value's line that did not join, CHM_NONE if the line ends.
static uint32_t neighbour(const explainer* e, const chm_run* run, chm_join* rule) {
    uint32_t distance;
    uint32_t next = chm_run_next(&e->workload->tables, run, &distance);
    if (next == CHM_NONE) {
        next = chm_explain_opaque_end(e->workload, run);
    }
    // What has no descriptor of its own is an ordinary compute operation.
    if (next < e->workload->operation_count && !e->workload->has_descriptor[next] &&
        (*rule == chm_join_not_next || *rule == chm_join_window)) {
        *rule = chm_join_opaque;
    }
    return next;
}

static chm_status explain_end(explainer* e, const chm_run* run, chm_join rule) {
    chm_explanation* x = e->explanation;
    uint32_t next = neighbour(e, run, &rule);
    if (next == CHM_NONE) {
        return chm_ok;
    }
    chm_status status = chm_arena_grow(e->arena, (void**)&x->refusals, &e->refusal_capacity,
                                       (size_t)x->refusal_count + 1, sizeof *x->refusals);
    if (status != chm_ok) {
        return status;
    }
    const char* sentence = chm_explain_sentence(e->workload, run, next, rule, e->arena);
    x->refusals[x->refusal_count++] =
        (chm_refusal){run->members[run->count - 1].seq, next, rule, sentence};
    return sentence == NULL ? chm_no_memory : chm_ok;
}

static chm_status take_decided(explainer* e, chm_window* window) {
    chm_decided_run decided;
    chm_status status = chm_ok;
    while (status == chm_ok && chm_window_pop(window, &decided)) {
        status = explain_run(e, decided.run);
        if (status == chm_ok) {
            status = explain_end(e, decided.run, decided.end_rule);
        }
    }
    return status;
}

static chm_status replay(explainer* e, chm_window* window) {
    const chm_workload* workload = e->workload;
    chm_status status = chm_ok;
    for (uint32_t seq = 0; status == chm_ok && seq < workload->operation_count; ++seq) {
        if (!workload->has_descriptor[seq]) {
            continue;
        }
        status = chm_window_push(window, &workload->descriptors[seq]);
        if (status == chm_ok) {
            status = take_decided(e, window);
        }
    }
    if (status == chm_ok) {
        chm_window_drain(window);
        status = take_decided(e, window);
    }
    return status;
}

chm_status chm_explain(const chm_workload* workload, const chm_topology* topology,
                       const chm_plan_options* options, chm_arena* arena,
                       chm_explanation* explanation, chm_diagnostics* diagnostics) {
    *explanation = (chm_explanation){.workload = workload, .topology = topology};
    explainer e = {.workload = workload,
                   .topology = topology,
                   .options = options,
                   .arena = arena,
                   .explanation = explanation,
                   .diagnostics = diagnostics};
    chm_window* window = chm_window_create(&workload->tables);
    if (window == NULL) {
        return chm_no_memory;
    }
    chm_status status = replay(&e, window);
    chm_window_free(window);
    return status;
}
