// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <string.h>

#include "hw/golden/explain/explain.h"
#include "hw/golden/explain/explain_internal.h"

enum { layout_chars = 512 };

static void put_layout(chm_text* text, const chm_layout* layout) {
    char buffer[layout_chars];
    chm_text_string(text, chm_layout_format(layout, buffer, sizeof buffer));
}

static void put_member(const chm_explanation* x, const chm_descriptor* d, chm_text* text) {
    const chm_operation* operation = &x->workload->operations[d->seq];
    const chm_value* values = x->workload->tables.values;
    chm_text_format(text, "    seq %-4u %-12s ", d->seq,
                    d->kind == chm_descriptor_collective ? chm_collective_name(d->collective)
                                                         : chm_class_name(d->op_class));
    if (operation->name != NULL) {
        chm_text_format(text, "'%s' ", operation->name);
    }
    chm_text_format(text, "%s ", values[d->value_in].name);
    put_layout(text, &x->workload->tables.layouts[d->layout_in]);
    chm_text_format(text, " -> %s ", values[d->value_out].name);
    put_layout(text, &x->workload->tables.layouts[d->layout_out]);
    chm_text_string(text, "\n");
}

static void put_demands(const chm_explanation* x, const chm_explained_run* run, chm_text* text) {
    const chm_request* request = &run->composition.request;
    chm_text_string(text, "  from   ");
    put_layout(text, request->from);
    chm_text_string(text, "\n");
    for (uint32_t i = 0; i < request->demand_count; ++i) {
        uint32_t value = run->composition.demand_values[i];
        chm_text_format(text, "  to     ");
        put_layout(text, request->demands[i]);
        chm_text_format(text, "  for '%s': %s", x->workload->tables.values[value].name,
                        run->forms[i]);
        if (run->kept[i] != CHM_NONE) {
            chm_text_format(text, ", kept before '%s' (seq %u)",
                            x->workload->operations[run->kept[i]].name, run->kept[i]);
        }
        chm_text_string(text, "\n");
    }
}

// A gathering that delivers what it starts from, for an addition that stands there.
static void put_looked_through(const chm_explanation* x, const chm_explained_run* run,
                               chm_text* text) {
    const chm_tables* tables = &x->workload->tables;
    const chm_descriptor* d = &run->run->members[0];
    for (uint32_t i = 0; run->run->count == 1 && i < d->facts.reader_count; ++i) {
        const chm_reader* reader = &tables->readers[d->facts.first_reader + i];
        const chm_operation* join = &x->workload->operations[reader->seq];
        if (join->op_class == chm_class_linear && join->kind == chm_operation_compute &&
            d->kind == chm_descriptor_collective && reader->layout == d->layout_in &&
            reader->value == d->value_out) {
            chm_text_format(text,
                            "  not needed: linear '%s' (seq %u) adds what this starts from, where "
                            "it lies, and gathers the sum\n",
                            join->name, join->seq);
        }
    }
}

static void put_operations(const chm_explanation* x, const chm_explained_run* run, chm_text* text) {
    for (uint32_t i = 0; i < run->operation_count; ++i) {
        const chm_explained_operation* o = &run->operations[i];
        const chm_operation* operation = &x->workload->operations[o->seq];
        chm_text_format(text, "  %s  %s '%s' (seq %u)", o->moved ? "moved" : "stays",
                        chm_class_name(operation->op_class),
                        operation->name != NULL ? operation->name : "", o->seq);
        if (o->moved) {
            chm_text_string(text, " from ");
            put_layout(text, o->written);
            chm_text_string(text, " to ");
            put_layout(text, o->stands);
        }
        chm_text_string(text, "\n");
    }
}

static void put_candidates(const chm_explained_run* run, chm_text* text) {
    for (uint32_t i = 0; i < run->candidates.count; ++i) {
        const chm_candidate* c = &run->candidates.items[i];
        chm_text_format(text,
                        "  %s %-28s %-36s %10" PRIu64 " cycles %12" PRIu64
                        " bytes %4u steps %4u chunks\n",
                        c->chosen ? "chosen" : "      ", c->form, c->schedule, c->estimated_cycles,
                        c->payload_bytes, c->steps, c->slices);
    }
}

static void put_run(const chm_explanation* x, const chm_explained_run* run, uint32_t index,
                    chm_text* text) {
    chm_text_format(text, "run %u, issued at seq %u: %u operation%s\n", index, run->run->key,
                    run->run->count, run->run->count == 1 ? "" : "s");
    for (uint32_t i = 0; i < run->run->count; ++i) {
        put_member(x, &run->run->members[i], text);
    }
    if (!run->transfers) {
        chm_text_string(text, "  executes where it was written; nothing moves\n\n");
        return;
    }
    put_demands(x, run, text);
    put_looked_through(x, run, text);
    put_operations(x, run, text);
    put_candidates(run, text);
    chm_text_format(text, "  bytes  %" PRIu64 " as written, %" PRIu64 " now", run->bytes_before,
                    run->bytes_after);
    chm_text_format(text, "; %u intermediate%s never formed\n", run->composition.eliminated,
                    run->composition.eliminated == 1 ? "" : "s");
    const chm_bound* bound = &run->bound;
    chm_text_format(text,
                    "  bound  %" PRIu64 " cycles (%" PRIu64 " bandwidth + %" PRIu64
                    " latency) by %s; next %s, %" PRIu64 "\n\n",
                    bound->lower_bound_cycles, bound->bandwidth_cycles, bound->latency_cycles,
                    bound->bound_by.name, bound->runner_up.name, bound->runner_up.bandwidth_cycles);
}

void chm_explain_text(const chm_explanation* x, chm_text* text) {
    for (uint32_t i = 0; i < x->run_count; ++i) {
        put_run(x, &x->runs[i], i, text);
    }
    chm_text_string(text, x->refusal_count == 0 ? "every pair of neighbours fused\n"
                                                : "neighbours that did not fuse:\n");
    for (uint32_t i = 0; i < x->refusal_count; ++i) {
        const chm_refusal* r = &x->refusals[i];
        chm_text_format(text, "  [%s] %s\n", chm_join_name(r->rule), r->sentence);
    }
}
