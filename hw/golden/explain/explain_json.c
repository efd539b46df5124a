// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/explain/explain.h"

enum { layout_chars = 512 };

static void put_layout(chm_json* json, const char* key, const chm_layout* layout) {
    char buffer[layout_chars];
    chm_json_put_string(json, key,
                        layout == NULL ? NULL : chm_layout_format(layout, buffer, sizeof buffer));
}

static void put_member(const chm_explanation* x, const chm_descriptor* d, chm_json* json) {
    const chm_tables* tables = &x->workload->tables;
    bool collective = d->kind == chm_descriptor_collective;
    chm_json_object_begin(json);
    chm_json_put_u64(json, "seq", d->seq);
    chm_json_put_string(json, "name", x->workload->operations[d->seq].name);
    chm_json_put_string(json, "kind", collective ? "collective" : "compute");
    chm_json_put_string(json, collective ? "collective" : "class",
                        collective ? chm_collective_name(d->collective)
                                   : chm_class_name(d->op_class));
    chm_json_put_string(json, "value_in", tables->values[d->value_in].name);
    put_layout(json, "layout_in", &tables->layouts[d->layout_in]);
    chm_json_put_string(json, "value_out", tables->values[d->value_out].name);
    put_layout(json, "layout_out", &tables->layouts[d->layout_out]);
    chm_json_object_end(json);
}

static void put_demands(const chm_explanation* x, const chm_explained_run* run, chm_json* json) {
    chm_json_key(json, "demands");
    chm_json_array_begin(json);
    for (uint32_t i = 0; i < run->composition.request.demand_count; ++i) {
        uint32_t value = run->composition.demand_values[i];
        chm_json_object_begin(json);
        chm_json_put_string(json, "value", x->workload->tables.values[value].name);
        put_layout(json, "layout", run->composition.request.demands[i]);
        if (run->kept[i] != CHM_NONE) {
            chm_json_put_u64(json, "kept_before", run->kept[i]);
        }
        chm_json_put_string(json, "form", run->forms[i]);
        chm_json_object_end(json);
    }
    chm_json_array_end(json);
}

static void put_operations(const chm_explained_run* run, chm_json* json) {
    chm_json_key(json, "operations");
    chm_json_array_begin(json);
    for (uint32_t i = 0; i < run->operation_count; ++i) {
        const chm_explained_operation* o = &run->operations[i];
        chm_json_object_begin(json);
        chm_json_put_u64(json, "seq", o->seq);
        put_layout(json, "written", o->written);
        put_layout(json, "stands", o->stands);
        chm_json_put_bool(json, "moved", o->moved);
        chm_json_object_end(json);
    }
    chm_json_array_end(json);
}

void chm_candidates_json(const chm_candidate_list* candidates, chm_json* json) {
    chm_json_array_begin(json);
    for (uint32_t i = 0; i < candidates->count; ++i) {
        const chm_candidate* c = &candidates->items[i];
        chm_json_object_begin(json);
        chm_json_put_string(json, "form", c->form);
        chm_json_put_string(json, "schedule", c->schedule);
        chm_json_put_u64(json, "estimated_cycles", c->estimated_cycles);
        chm_json_put_u64(json, "payload_bytes", c->payload_bytes);
        chm_json_put_u64(json, "steps", c->steps);
        chm_json_put_u64(json, "slices", c->slices);
        chm_json_put_bool(json, "chosen", c->chosen);
        chm_json_object_end(json);
    }
    chm_json_array_end(json);
}

static const char* transfer_kind_name(chm_transfer_kind kind) {
    switch (kind) {
    case chm_transfer_copy: return "copy";
    case chm_transfer_reduce: return "reduce";
    case chm_transfer_routed: return "routed";
    case chm_transfer_routed_reduce: return "routed_reduce";
    case chm_transfer_credit: return "credit";
    }
    return "?";
}

static const char* route_rule_name(chm_route_rule rule) {
    switch (rule) {
    case chm_route_none: return "none";
    case chm_route_direct: return "direct";
    case chm_route_first: return "first";
    case chm_route_forward: return "forward";
    case chm_route_combine: return "combine";
    }
    return "?";
}

static void put_row(chm_json* json, const char* key, const uint64_t* values, uint32_t count) {
    chm_json_key(json, key);
    chm_json_row_begin(json);
    for (uint32_t i = 0; i < count; ++i) {
        chm_json_u64(json, values[i]);
    }
    chm_json_array_end(json);
}

static void put_transfer(const chm_plan* plan, uint32_t id, chm_json* json) {
    const chm_transfer* t = &plan->transfers[id];
    chm_json_object_begin(json);
    chm_json_put_u64(json, "id", id);
    chm_json_put_u64(json, "source", t->source);
    chm_json_put_u64(json, "destination", t->destination);
    put_row(json, "tokens", (uint64_t[]){t->region.token_begin, t->region.token_end}, 2);
    put_row(json, "width", (uint64_t[]){t->region.width_begin, t->region.width_end}, 2);
    chm_json_put_string(json, "kind", transfer_kind_name(t->kind));
    if (t->route != chm_route_none) {
        chm_json_put_string(json, "route", route_rule_name(t->route));
        chm_json_put_u64(json, "origin", t->origin);
    }
    chm_json_put_u64(json, "bytes", chm_plan_transfer_bytes(plan, t));
    chm_json_put_bool(json, "from_work", t->from_work);
    chm_json_put_u64(json, "phase", t->phase);
    chm_json_put_u64(json, "step", t->step);
    chm_json_put_u64(json, "slice", t->slice);
    if (t->after_operation != 0) {
        chm_json_put_u64(json, "after_seq", plan->operations[t->after_operation - 1].seq);
    }
    chm_json_key(json, "after");
    chm_json_row_begin(json);
    for (uint32_t i = 0; i < t->dependency_count; ++i) {
        chm_json_u64(json, plan->dependencies[t->first_dependency + i]);
    }
    chm_json_array_end(json);
    chm_json_object_end(json);
}

static void put_plan(const chm_plan* plan, chm_json* json) {
    chm_json_key(json, "plan");
    chm_json_object_begin(json);
    chm_json_put_u64(json, "estimated_cycles", plan->estimated_cycles);
    chm_json_put_u64(json, "slices", plan->slices);
    chm_json_key(json, "phases");
    chm_json_array_begin(json);
    for (uint32_t i = 0; i < plan->phase_count; ++i) {
        chm_json_object_begin(json);
        chm_json_put_string(json, "collective", plan->phases[i].collective);
        chm_json_put_string(json, "schedule", plan->phases[i].schedule);
        chm_json_object_end(json);
    }
    chm_json_array_end(json);
    chm_json_key(json, "transfers");
    chm_json_array_begin(json);
    for (uint32_t id = 0; id < plan->transfer_count; ++id) {
        put_transfer(plan, id, json);
    }
    chm_json_array_end(json);
    chm_json_object_end(json);
}

static void put_bound_term(const chm_bound_term* term, const char* key, chm_json* json) {
    chm_json_key(json, key);
    chm_json_object_begin(json);
    chm_json_put_string(json, "name", term->name);
    chm_json_put_u64(json, "bandwidth_cycles", term->bandwidth_cycles);
    chm_json_put_u64(json, "latency_cycles", term->latency_cycles);
    chm_json_object_end(json);
}

static void put_cost(const chm_explained_run* run, chm_json* json) {
    chm_json_put_u64(json, "bytes_before", run->bytes_before);
    chm_json_put_u64(json, "bytes_after", run->bytes_after);
    chm_json_put_u64(json, "eliminated", run->composition.eliminated);
    chm_json_put_u64(json, "bandwidth_cycles", run->bound.bandwidth_cycles);
    chm_json_put_u64(json, "latency_cycles", run->bound.latency_cycles);
    chm_json_put_u64(json, "lower_bound_cycles", run->bound.lower_bound_cycles);
    put_bound_term(&run->bound.bound_by, "bound_by", json);
    put_bound_term(&run->bound.runner_up, "runner_up", json);
    chm_json_key(json, "candidates");
    chm_candidates_json(&run->candidates, json);
    put_plan(&run->plan, json);
}

static void put_run(const chm_explanation* x, const chm_explained_run* run, chm_json* json) {
    chm_json_object_begin(json);
    chm_json_put_u64(json, "issued_at_seq", run->run->key);
    chm_json_key(json, "members");
    chm_json_array_begin(json);
    for (uint32_t i = 0; i < run->run->count; ++i) {
        put_member(x, &run->run->members[i], json);
    }
    chm_json_array_end(json);
    put_layout(json, "from", run->composition.request.from);
    put_demands(x, run, json);
    put_operations(run, json);
    if (run->transfers) {
        put_cost(run, json);
    }
    chm_json_object_end(json);
}

void chm_explain_json(const chm_explanation* x, chm_json* json) {
    chm_json_object_begin(json);
    chm_json_put_string(json, "platform", x->topology->name);
    chm_json_key(json, "runs");
    chm_json_array_begin(json);
    for (uint32_t i = 0; i < x->run_count; ++i) {
        put_run(x, &x->runs[i], json);
    }
    chm_json_array_end(json);
    chm_json_key(json, "not_fused");
    chm_json_array_begin(json);
    for (uint32_t i = 0; i < x->refusal_count; ++i) {
        const chm_refusal* r = &x->refusals[i];
        chm_json_object_begin(json);
        chm_json_put_u64(json, "first", r->first);
        chm_json_put_u64(json, "second", r->second);
        chm_json_put_string(json, "rule", chm_join_name(r->rule));
        chm_json_put_string(json, "sentence", r->sentence);
        chm_json_object_end(json);
    }
    chm_json_array_end(json);
    chm_json_object_end(json);
}
