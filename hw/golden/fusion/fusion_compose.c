// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/fusion/fusion_rules.h"

// The single redistribution that a run becomes.

typedef struct demand {
    uint32_t value;
    uint32_t operations; // compute operations of the run up to the value
    const chm_layout* layout;
} demand;

typedef struct composer {
    const chm_tables* tables;
    const chm_run* run;
    const chm_tensor* tensor;
    uint32_t depth;
    demand* demands;
    uint32_t count;
} composer;

static bool covers(const composer* c, const demand* a, const demand* b) {
    return a->value == b->value && (chm_layout_same(a->layout, b->layout, c->tensor) ||
                                    chm_value_slices(c->tables, b->value, a->layout, b->layout));
}

// Adds a demand unless an earlier one covers it; drops earlier ones that it covers.
static void add_demand(composer* c, uint32_t member, const chm_layout* layout) {
    demand added = {.value = c->run->members[member].value_out, .layout = layout};
    for (uint32_t i = 0; i <= member; ++i) {
        added.operations += c->run->members[i].kind == chm_descriptor_marker;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        if (covers(c, &c->demands[i], &added)) {
            return;
        }
        if (!covers(c, &added, &c->demands[i])) {
            c->demands[kept++] = c->demands[i];
        }
    }
    c->demands[kept++] = added;
    c->count = kept;
}

// What a reader makes the run deliver: its own layout if it is near and can be cut from the layout
// as written, else that.
static const chm_layout* delivered(const composer* c, const chm_descriptor* producer,
                                   const chm_reader* reader) {
    const chm_layout* written = &c->tables->layouts[producer->layout_out];
    if (!chm_reader_is_near(reader, c->depth)) {
        return written;
    }
    const chm_layout* needed = &c->tables->layouts[reader->layout];
    return chm_value_slices(c->tables, reader->value, written, needed) ? needed : written;
}

// Demands of the value that a member produced, from readers outside the run. The reader that
// continues the line comes last: it is the main result.
static void demand_value(composer* c, uint32_t member, bool is_last) {
    const chm_descriptor* producer = &c->run->members[member];
    const chm_facts* facts = &producer->facts;
    uint32_t distance = 0;
    uint32_t line = is_last ? chm_run_next(c->tables, c->run, &distance) : CHM_NONE;
    const chm_layout* main_result = NULL;
    uint32_t before = c->count;
    if (!facts->readers_unknown) {
        for (uint32_t i = 0; i < facts->reader_count; ++i) {
            const chm_reader* reader = &c->tables->readers[facts->first_reader + i];
            if (chm_run_has_member(c->run, reader->seq)) {
                continue;
            }
            const chm_layout* layout = delivered(c, producer, reader);
            if (reader->seq == line && main_result == NULL) {
                main_result = layout;
            } else {
                add_demand(c, member, layout);
            }
        }
    }
    if (main_result != NULL) {
        add_demand(c, member, main_result);
    }
    if (is_last && (facts->readers_unknown || c->count == before)) {
        add_demand(c, member, &c->tables->layouts[producer->layout_out]);
    }
}

static uint32_t demand_limit(const chm_run* run) {
    uint32_t limit = 1;
    for (uint32_t i = 0; i < run->count; ++i) {
        limit += run->members[i].facts.reader_count;
    }
    return limit;
}

static void collect_demands(composer* c) {
    const chm_run* run = c->run;
    uint32_t last = run->count - 1;
    if (last == 0 && run->members[0].kind == chm_descriptor_marker) {
        add_demand(c, 0, chm_run_from(c->tables, run));
        return;
    }
    uint32_t main_producer = chm_run_producer(run, last);
    for (uint32_t i = 0; i < main_producer; ++i) {
        if (i == 0 || !chm_is_pass_through(&run->members[i])) {
            demand_value(c, i, false);
        }
    }
    demand_value(c, main_producer, true);
}

static chm_status write_demands(const composer* c, chm_arena* arena, chm_composition* result) {
    const chm_layout** layouts = chm_arena_alloc(arena, c->count, sizeof *layouts);
    uint32_t* values = chm_arena_alloc(arena, c->count, sizeof *values);
    uint32_t* operations = chm_arena_alloc(arena, c->count, sizeof *operations);
    if (layouts == NULL || values == NULL || operations == NULL) {
        return chm_no_memory;
    }
    for (uint32_t i = 0; i < c->count; ++i) {
        layouts[i] = c->demands[i].layout;
        values[i] = c->demands[i].value;
        operations[i] = c->demands[i].operations;
    }
    result->request.demands = layouts;
    result->request.demand_operations = operations;
    result->request.demand_count = c->count;
    result->demand_values = values;
    return chm_ok;
}

static chm_status write_operation(const composer* c, const chm_descriptor* d, chm_arena* arena,
                                  chm_inner_operation* operation) {
    const chm_layout** available = chm_arena_alloc(arena, d->available_count, sizeof *available);
    if (available == NULL) {
        return chm_no_memory;
    }
    for (uint32_t i = 0; i < d->available_count; ++i) {
        uint32_t layout = c->tables->available[d->first_available + i];
        available[i] = &c->tables->layouts[layout];
    }
    *operation = (chm_inner_operation){
        .seq = d->seq,
        .is_gating = d->op_class == chm_class_transparent,
        .available = available,
        .available_count = d->available_count,
        .element_wise = d->op_class == chm_class_element_wise || d->op_class == chm_class_linear,
    };
    return chm_ok;
}

// True if the operation stands at another layout than the program wrote.
static bool stands_elsewhere(const composer* c, const chm_descriptor* d) {
    const chm_layout* from = chm_run_from(c->tables, c->run);
    const chm_layout* written = &c->tables->layouts[d->layout_in];
    chm_layout tokens, width;
    if (!chm_scattered(from, chm_axis_tokens, &tokens)) {
        return !chm_layout_same(from, written, c->tensor);
    }
    chm_scattered(from, chm_axis_width, &width);
    return !chm_layout_same(&tokens, written, c->tensor) &&
           !chm_layout_same(&width, written, c->tensor);
}

static chm_status write_operations(const composer* c, chm_arena* arena, chm_composition* result) {
    chm_inner_operation* operations = chm_arena_alloc(arena, c->run->count, sizeof *operations);
    if (operations == NULL) {
        return chm_no_memory;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->run->count; ++i) {
        const chm_descriptor* d = &c->run->members[i];
        if (d->kind != chm_descriptor_marker) {
            continue;
        }
        chm_status status = write_operation(c, d, arena, &operations[count++]);
        if (status != chm_ok) {
            return status;
        }
        result->moved += c->run->count > 1 && stands_elsewhere(c, d);
    }
    result->request.operations = operations;
    result->request.operation_count = count;
    return chm_ok;
}

// The routing of the routed layout, if there is one: of the result if that is routed, else of what
// the run starts from.
static const chm_routing* run_routing(const composer* c, const chm_request* request) {
    bool routed = chm_layout_is_routed(request->from);
    for (uint32_t i = 0; i < request->demand_count; ++i) {
        routed |= chm_layout_is_routed(request->demands[i]);
    }
    const chm_routing* routing = NULL;
    for (uint32_t i = c->run->count; routed && routing == NULL && i-- > 0;) {
        routing = chm_value_routing(c->tables, c->run->members[i].value_out);
        if (routing == NULL) {
            routing = chm_value_routing(c->tables, c->run->members[i].value_in);
        }
    }
    return routing;
}

// An intermediate that is there anyway, since the run's input gives it, is not saved.
static uint32_t count_eliminated(const composer* c, const chm_layout* from) {
    uint32_t eliminated = 0;
    for (uint32_t i = 0; i + 1 < c->run->count; ++i) {
        const chm_descriptor* d = &c->run->members[i];
        const chm_layout* written = &c->tables->layouts[d->layout_out];
        bool given = chm_layout_same(from, written, c->tensor) ||
                     chm_value_slices(c->tables, d->value_out, from, written);
        eliminated += !given && !chm_is_pass_through(&c->run->members[i + 1]);
    }
    return eliminated;
}

chm_status chm_compose(const chm_tables* tables, const chm_run* run, chm_arena* arena,
                       chm_composition* composition, chm_diagnostics* diagnostics) {
    *composition = (chm_composition){0};
    if (run->count == 0 || run->members[0].kind == chm_descriptor_fence) {
        chm_diagnose(diagnostics, NULL, "a run needs at least one collective or marker");
        return chm_bad_argument;
    }
    composer c = {.tables = tables, .run = run, .tensor = chm_run_tensor(tables, run)};
    c.depth = chm_run_depth(tables, run, NULL);
    c.demands = chm_arena_alloc(arena, demand_limit(run), sizeof *c.demands);
    if (c.demands == NULL) {
        return chm_no_memory;
    }
    collect_demands(&c);
    chm_request* request = &composition->request;
    request->tensor = *c.tensor;
    request->from = chm_run_from(tables, run);
    for (uint32_t i = 0; i < run->count; ++i) {
        request->ordered_sum |= run->members[i].ordered_sum;
    }
    chm_status status = write_demands(&c, arena, composition);
    if (status == chm_ok) {
        status = write_operations(&c, arena, composition);
    }
    if (status == chm_ok) {
        request->routing = run_routing(&c, request);
        composition->eliminated = count_eliminated(&c, request->from);
    }
    return status;
}
