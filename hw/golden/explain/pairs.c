// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/explain/pairs.h"

#include <inttypes.h>
#include <string.h>

#include "hw/golden/explain/form.h"
#include "hw/golden/explain/pairs_types.h"
#include "hw/golden/fusion/fusion.h"

enum { pair_window = 8, smallest_message_bytes = 1024 };

typedef struct pair_search {
    const chm_topology* topology;
    const chm_plan_options* options;
    chm_arena* arena;
    chm_tensor tensor;
    chm_routing routing;
    chm_pair_layout* layouts; // in the arena, since rows refer to them
    uint32_t layout_count;
    chm_pair_row* rows;
    uint32_t count;
    size_t capacity;
    uint32_t first_of_pair; // index of the current pair's first row
    chm_diagnostics* diagnostics;
} pair_search;

typedef struct pair_path {
    chm_collective_kind first, second;
    const chm_pair_layout* at[4]; // first in, first out, second in, second out
} pair_path;

// Tables for two collectives in a row on one value's line; the last value has no reader.
typedef struct pair_tables {
    chm_layout layouts[4];
    chm_value values[3];
    chm_communicator communicator;
    chm_reader reader;
    chm_tables tables;
    chm_run run;
    chm_descriptor second;
} pair_tables;

static void fill_tables(const pair_search* search, const pair_path* path, pair_tables* t) {
    for (uint32_t i = 0; i < 4; ++i) {
        t->layouts[i] = path->at[i]->layout;
    }
    for (uint32_t v = 0; v < 3; ++v) {
        t->values[v] = (chm_value){.name = "x",
                                   .layout = v == 0   ? 0
                                             : v == 1 ? 1
                                                      : 3,
                                   .buffer = v,
                                   .producer = v == 0 ? CHM_NONE : v - 1};
    }
    t->communicator = (chm_communicator){
        .name = "pair", .layout = 0, .other_layout = 3, .window_depth = pair_window};
    t->reader = (chm_reader){.value = 1, .layout = 2, .seq = 1, .distance = 1};
    t->tables = (chm_tables){.tensors = &search->tensor,
                             .tensor_count = 1,
                             .layouts = t->layouts,
                             .layout_count = 4,
                             .routings = &search->routing,
                             .routing_count = 1,
                             .communicators = &t->communicator,
                             .communicator_count = 1,
                             .values = t->values,
                             .value_count = 3,
                             .readers = &t->reader,
                             .reader_count = 1};
}

static chm_descriptor descriptor_of(chm_collective_kind kind, uint32_t seq) {
    chm_descriptor d = {.kind = chm_descriptor_collective,
                        .collective = kind,
                        .seq = seq,
                        .value_in = seq,
                        .value_out = seq + 1,
                        .layout_in = seq == 0 ? 0 : 2,
                        .layout_out = seq == 0 ? 1 : 3,
                        .waiting_die = CHM_NONE};
    d.facts = (chm_facts){.next_seq = CHM_NONE, .needed_by = CHM_NONE};
    if (seq == 0) {
        d.facts.next_seq = 1;
        d.facts.next_distance = 1;
        d.facts.reader_count = 1;
    }
    return d;
}

static const char* reason_for(const chm_pair_row* row) {
    if (strcmp(row->form, "nothing") == 0) {
        return "the second takes everything back to where it was";
    }
    if (strcmp(row->form, "slice") == 0) {
        return "what is needed was there before the first";
    }
    if (row->bytes_after == row->bytes_before) {
        return "all that either moves is needed; the intermediate needs no completion in between";
    }
    switch (row->first) {
    case chm_reduce_scatter:
        return "the sum is scattered in the first place as the second would have split it";
    case chm_all_gather:
        return "nobody needs the gathered tensor, only what the second takes of it";
    case chm_all_to_all: return "nobody needs the split in between";
    case chm_point_to_point:
    case chm_many_to_many: return "data goes straight to where the second would have sent it";
    case chm_all_reduce: break;
    }
    return "";
}

static bool is_known(const pair_search* search, const chm_pair_row* row) {
    for (uint32_t i = search->first_of_pair; i < search->count; ++i) {
        const chm_pair_row* other = &search->rows[i];
        if (strcmp(other->form, row->form) == 0 && other->bytes_before == row->bytes_before &&
            other->bytes_after == row->bytes_after) {
            return true;
        }
    }
    return false;
}

static chm_status plan_row(const pair_search* search, const chm_request* request,
                           chm_pair_row* row) {
    chm_plan plan;
    chm_status status = chm_plan_request(search->topology, request, search->options, search->arena,
                                         &plan, &row->candidates, search->diagnostics);
    row->chosen = row->schedule = "";
    for (uint32_t i = 0; status == chm_ok && i < row->candidates.count; ++i) {
        const chm_candidate* c = &row->candidates.items[i];
        if (c->chosen) {
            row->chosen = c->form;
            row->schedule = c->schedule;
            row->estimated_cycles = c->estimated_cycles;
        }
    }
    return status;
}

static chm_status add_row(pair_search* search, const pair_path* path, const pair_tables* t,
                          const chm_request* request) {
    chm_pair_row row = {.first = path->first, .second = path->second};
    row.form = chm_form_of(request, request->demand_count - 1);
    row.bytes_before = chm_volume_as_written(&t->tables, &t->run.members[0]) +
                       chm_volume_as_written(&t->tables, &t->second);
    row.bytes_after = chm_request_volume(request);
    if (is_known(search, &row)) {
        return chm_ok;
    }
    row.reason = reason_for(&row);
    row.first_in = &path->at[0]->layout;
    row.first_out = &path->at[1]->layout;
    row.second_in = &path->at[2]->layout;
    row.second_out = &path->at[3]->layout;
    chm_status status = plan_row(search, request, &row);
    if (status == chm_ok) {
        status = chm_arena_grow(search->arena, (void**)&search->rows, &search->capacity,
                                (size_t)search->count + 1, sizeof *search->rows);
    }
    if (status == chm_ok) {
        search->rows[search->count++] = row;
    }
    return status;
}

static chm_status try_path(pair_search* search, const pair_path* path, chm_arena* scratch) {
    pair_tables t = {0};
    fill_tables(search, path, &t);
    chm_descriptor first = descriptor_of(path->first, 0);
    t.second = descriptor_of(path->second, 1);
    chm_run_start(&t.run, &first);
    if (chm_run_may_join(&t.tables, &t.run, &t.second) != chm_join_yes) {
        return chm_ok;
    }
    chm_run_append(&t.tables, &t.run, &t.second);
    chm_composition composition;
    chm_status status = chm_compose(&t.tables, &t.run, scratch, &composition, search->diagnostics);
    return status == chm_ok ? add_row(search, path, &t, &composition.request) : status;
}

// To gather what was cut off a complete tensor a moment ago is no use to anybody.
static bool follows(const pair_path* path, const chm_pair_layout* next) {
    return path->second == chm_all_gather ? next == path->at[1]
                                          : chm_pair_follows(path->at[1], next);
}

static chm_status extend_path(pair_search* search, pair_path* path, uint32_t length,
                              chm_arena* scratch) {
    if (length == 4) {
        return try_path(search, path, scratch);
    }
    chm_status status = chm_ok;
    for (uint32_t i = 0; status == chm_ok && i < search->layout_count; ++i) {
        const chm_pair_layout* next = &search->layouts[i];
        bool good = length == 0   ? next->group == 0
                    : length == 1 ? chm_pair_types(path->first, path->at[0], next)
                    : length == 2 ? follows(path, next)
                                  : chm_pair_types(path->second, path->at[2], next);
        bool goes_back = length == 3 && next->group == 0 && path->at[2]->group != 0;
        if (good && !goes_back) { // the way back and forth teaches nothing
            path->at[length] = next;
            status = extend_path(search, path, length + 1, scratch);
        }
    }
    return status;
}

static chm_status search_dimension(pair_search* search, const chm_collective_kind kinds[2],
                                   const uint32_t dies[chm_pair_groups][chm_pair_group_dies],
                                   uint32_t dimensions) {
    search->layouts = chm_arena_alloc(search->arena, chm_pair_layouts, sizeof *search->layouts);
    if (search->layouts == NULL) {
        return chm_no_memory;
    }
    search->layout_count = chm_pair_list_layouts(dies, dimensions, search->layouts);
    pair_path path = {.first = kinds[0], .second = kinds[1]};
    chm_arena scratch;
    chm_arena_init(&scratch);
    chm_status status = extend_path(search, &path, 0, &scratch);
    chm_arena_free(&scratch);
    return status;
}

static chm_status search_all(pair_search* search, const uint32_t* dies) {
    static const chm_collective_kind kinds[] = {chm_reduce_scatter, chm_all_gather, chm_all_to_all,
                                                chm_point_to_point, chm_many_to_many};
    enum { kind_count = sizeof kinds / sizeof *kinds };
    const uint32_t(*groups)[chm_pair_group_dies] = (const uint32_t(*)[chm_pair_group_dies])dies;
    chm_status status = chm_ok;
    for (uint32_t pair = 0; status == chm_ok && pair < kind_count * kind_count; ++pair) {
        chm_collective_kind both[2] = {kinds[pair / kind_count], kinds[pair % kind_count]};
        search->first_of_pair = search->count;
        for (uint32_t dimensions = 1; dimensions <= 2 && status == chm_ok; ++dimensions) {
            if (search->count == search->first_of_pair) {
                status = search_dimension(search, both, groups, dimensions);
            }
        }
    }
    return status;
}

static chm_tensor square_tensor(uint64_t message_bytes) {
    uint64_t elements = message_bytes / 4, tokens = 1;
    while (tokens * tokens * 4 <= elements) {
        tokens *= 2;
    }
    return (chm_tensor){.tokens = tokens, .width = elements / tokens, .element_bytes = 4};
}

chm_status chm_pairs_derive(const chm_topology* topology, const chm_plan_options* options,
                            uint64_t message_bytes, chm_arena* arena, chm_pair_table* table,
                            chm_diagnostics* diagnostics) {
    if (message_bytes < smallest_message_bytes || message_bytes > (uint64_t)1 << 40) {
        chm_diagnose(diagnostics, NULL,
                     "message_bytes is %" PRIu64 ", allowed for pairs: %d bytes to 1 TiB",
                     message_bytes, smallest_message_bytes);
        return chm_bad_argument;
    }
    uint32_t* dies = chm_arena_alloc(arena, chm_pair_groups * chm_pair_group_dies, sizeof *dies);
    if (dies == NULL) {
        return chm_no_memory;
    }
    if (!chm_pair_choose_groups(topology, (uint32_t(*)[chm_pair_group_dies])dies)) {
        chm_diagnose(diagnostics, NULL,
                     "pairs need two groups of 4 dies, and %s has %" PRIu32 " dies", topology->name,
                     topology->dies);
        return chm_unsupported;
    }
    pair_search search = {.topology = topology,
                          .options = options,
                          .arena = arena,
                          .tensor = square_tensor(message_bytes),
                          .routing = {.top_k = 2, .dies = chm_pair_group_dies, .seed = 1},
                          .diagnostics = diagnostics};
    chm_status status = search_all(&search, dies);
    *table = (chm_pair_table){
        .topology = topology, .tensor = search.tensor, .rows = search.rows, .count = search.count};
    return status;
}
