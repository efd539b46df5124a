// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "traces/program_reader.h"

// One operation of a program file:
//   - all_reduce: {reads: {u: partial}, writes: {x: complete}, along: tp}
//   - compute: {name: gating, class: transparent, reads: {x: complete}, writes: {g: complete}}
//   - wait: {reads: {x: complete}, rank: 0}

static const char* const kinds[] = {"reduce_scatter", "all_gather",   "all_reduce", "all_to_all",
                                    "point_to_point", "many_to_many", "compute",    "wait"};
enum { kind_compute = 6, kind_wait = 7, kind_count = 8 };

// "value: layout".
static chm_operand_text read_operand(chm_program_reader* reader, const chm_yaml_node* node) {
    const char* layout = chm_reader_scalar(reader, node);
    chm_operand_text operand = {.value = node->key, .layout = CHM_NONE, .origin = node->key_origin};
    if (layout != NULL) {
        operand.layout = chm_reader_find_layout(reader, layout, &node->origin);
    }
    return operand;
}

static void read_operands(chm_program_reader* reader, const chm_yaml_node* body,
                          chm_operation_text* text) {
    const chm_yaml_node* reads = chm_yaml_get(body, "reads");
    uint32_t most = text->operation.kind == chm_operation_compute ? chm_max_operands : 1;
    if (reads == NULL || !chm_reader_is_mapping(reader, reads)) {
        if (reads == NULL) {
            chm_diagnose(reader->diagnostics, &body->key_origin,
                         "%s: 'reads' is missing (value: layout)", body->key);
        }
        return;
    }
    if (reads->count < 1 || reads->count > most) {
        chm_diagnose(reader->diagnostics, &reads->key_origin,
                     "%s: reads %zu values; allowed: 1 .. %u", body->key, reads->count, most);
        return;
    }
    for (size_t i = 0; i < reads->count; ++i) {
        text->reads[i] = read_operand(reader, &reads->items[i]);
    }
    text->operation.operand_count = (uint32_t)reads->count;
}

static void read_result(chm_program_reader* reader, const chm_yaml_node* body,
                        chm_operation_text* text) {
    const chm_yaml_node* writes = chm_yaml_get(body, "writes");
    if (writes == NULL) {
        if (text->operation.kind == chm_operation_collective) {
            chm_diagnose(reader->diagnostics, &body->key_origin,
                         "%s: 'writes' is missing (value: layout)", body->key);
        }
        return;
    }
    if (!chm_reader_is_mapping(reader, writes)) {
        return;
    }
    if (writes->count != 1) {
        chm_diagnose(reader->diagnostics, &writes->key_origin, "%s: writes %zu values; allowed: 1",
                     body->key, writes->count);
        return;
    }
    text->write = read_operand(reader, &writes->items[0]);
}

// The communicator of a collective or wait: named, or one made for its meshes.
static chm_status read_communicator(chm_program_reader* reader, const chm_yaml_node* body,
                                    chm_operation_text* text) {
    const chm_yaml_node* node = chm_yaml_get(body, "communicator");
    const char* name = node == NULL ? NULL : chm_reader_scalar(reader, node);
    uint32_t named =
        name == NULL ? CHM_NONE : chm_reader_find_communicator(reader, name, &node->origin);
    uint32_t from = text->reads[0].value == NULL ? CHM_NONE : text->reads[0].layout;
    uint32_t to = text->write.value == NULL ? from : text->write.layout;
    if (from == CHM_NONE || to == CHM_NONE) {
        return chm_ok;
    }
    return chm_reader_communicator(reader, named, from, to, &text->operation.communicator,
                                   node == NULL ? &body->key_origin : &node->origin);
}

// "along: tp" must be the one dimension whose placement changes.
static void check_along(chm_program_reader* reader, const chm_yaml_node* body,
                        const chm_operation_text* text) {
    const chm_yaml_node* node = chm_yaml_get(body, "along");
    const char* along = node == NULL ? NULL : chm_reader_scalar(reader, node);
    uint32_t from = text->reads[0].value == NULL ? CHM_NONE : text->reads[0].layout;
    uint32_t to = text->write.value == NULL ? CHM_NONE : text->write.layout;
    if (along == NULL || from == CHM_NONE || to == CHM_NONE || !reader->layout_names[from].sound ||
        !reader->layout_names[to].sound) {
        return;
    }
    const chm_named_mesh* mesh = &reader->meshes[reader->layout_names[from].mesh];
    bool found = false;
    for (uint32_t d = 0; d < mesh->mesh.dimensions; ++d) {
        const chm_placement* a = &reader->layouts[from].placement[d];
        const chm_placement* b = &reader->layouts[to].placement[d];
        bool changes = a->kind != b->kind || (a->kind == chm_place_shard && a->axis != b->axis);
        bool is_along = strcmp(mesh->dimensions[d], along) == 0;
        found = found || is_along;
        if (changes != is_along) {
            chm_diagnose(reader->diagnostics, &node->origin,
                         "along: got '%s', but dimension '%s' %s between the layouts", along,
                         mesh->dimensions[d], changes ? "changes" : "does not change");
        }
    }
    if (!found) {
        chm_diagnose(reader->diagnostics, &node->origin,
                     "along: got '%s'; allowed: a dimension of mesh '%s'", along, mesh->name);
    }
}

static void read_wait(chm_program_reader* reader, const chm_yaml_node* body,
                      chm_operation_text* text) {
    const chm_yaml_node* node = chm_yaml_get(body, "rank");
    const char* rank_text = node == NULL ? NULL : chm_reader_scalar(reader, node);
    uint32_t layout = text->reads[0].value == NULL ? CHM_NONE : text->reads[0].layout;
    uint64_t rank = 0;
    if (rank_text == NULL || layout == CHM_NONE || !reader->layout_names[layout].sound) {
        return;
    }
    const chm_die_mesh* mesh = &reader->layouts[layout].mesh;
    if (!chm_parse_u64(rank_text, &rank) || rank >= chm_mesh_size(mesh)) {
        chm_diagnose(reader->diagnostics, &node->origin,
                     "rank: got '%s'; allowed: 0 .. %u, a rank of the layout's mesh", rank_text,
                     chm_mesh_size(mesh) - 1);
        return;
    }
    text->operation.waiting_die = mesh->dies[rank];
}

static const chm_key ordered_sum_items[] = {
    {"ordered_sum", chm_key_bool, "", 0, 0, 0, 1, NULL,
     "only schedules that keep the order of sums as written"},
};
static const chm_key_table ordered_sum_table = {"collective", ordered_sum_items, 1};

static void read_ordered_sum(chm_program_reader* reader, const chm_yaml_node* body,
                             chm_operation* operation) {
    chm_reader_keys(reader, body, &ordered_sum_table, &operation->ordered_sum);
}

static bool read_kind(chm_program_reader* reader, const chm_yaml_node* node, uint32_t* kind) {
    if (!chm_reader_is_mapping(reader, node)) {
        return false;
    }
    for (uint32_t k = 0; node->count == 1 && k < kind_count; ++k) {
        if (strcmp(node->items[0].key, kinds[k]) == 0) {
            *kind = k;
            return chm_reader_is_mapping(reader, &node->items[0]);
        }
    }
    chm_diagnose(reader->diagnostics, node->count == 0 ? &node->origin : &node->items[0].key_origin,
                 "operation: got '%s'; allowed: one of reduce_scatter, all_gather, all_reduce, "
                 "all_to_all, point_to_point, many_to_many, compute, wait",
                 node->count == 0 ? "" : node->items[node->count == 1 ? 0 : 1].key);
    return false;
}

chm_status chm_read_operation(chm_program_reader* reader, const chm_yaml_node* node,
                              chm_operation_text* text) {
    static const char* const allowed[] = {
        "name, reads, writes, along, communicator, ordered_sum",
        "name, class, reads, writes, tensor, weights_on, cycles, cycles_per_row, gemm",
        "name, reads, rank, communicator"};
    uint32_t kind = 0;
    chm_operation* operation = &text->operation;
    operation->result = operation->communicator = operation->waiting_die = CHM_NONE;
    text->write_tensor = CHM_NONE;
    if (!read_kind(reader, node, &kind)) {
        return chm_ok;
    }
    const chm_yaml_node* body = &node->items[0];
    operation->kind = kind == kind_compute ? chm_operation_compute
                      : kind == kind_wait  ? chm_operation_wait
                                           : chm_operation_collective;
    operation->collective = kind < kind_compute ? (chm_collective_kind)kind : chm_reduce_scatter;
    operation->origin = body->key_origin;
    const chm_yaml_node* name = chm_yaml_get(body, "name");
    operation->name = name == NULL ? NULL : chm_reader_scalar(reader, name);
    operation->name = operation->name == NULL ? kinds[kind] : operation->name;
    read_operands(reader, body, text);
    chm_status status = chm_ok;
    if (operation->kind != chm_operation_wait) {
        read_result(reader, body, text);
    } else {
        read_wait(reader, body, text);
    }
    if (operation->kind == chm_operation_compute) {
        status = chm_read_compute(reader, body, text);
    } else {
        status = read_communicator(reader, body, text);
    }
    if (operation->kind == chm_operation_collective) {
        check_along(reader, body, text);
        read_ordered_sum(reader, body, operation);
    }
    chm_yaml_refuse_unknown(body, allowed[operation->kind], reader->diagnostics);
    return status;
}
