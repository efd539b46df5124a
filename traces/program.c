// SPDX-License-Identifier: Apache-2.0
#include "traces/program.h"

#include <stdlib.h>
#include <string.h>

#include "traces/driver.h"
#include "traces/program_reader.h"

enum { default_message_bytes = 1 << 20 };

static const chm_key program_key_items[] = {
    {"message_bytes", chm_key_u64, "bytes", offsetof(chm_program_scalars, message_bytes),
     default_message_bytes, 64, 1099511627776.0, NULL, "M: the full tensor of one group"},
    {"iterations", chm_key_u64, "", offsetof(chm_program_scalars, iterations), 1, 1, 4096, NULL,
     "how often the operations are repeated"},
    {"buffers", chm_key_u64, "", offsetof(chm_program_scalars, buffers), 2, 1, 64, NULL,
     "buffers that a value uses in turn, from iteration to iteration"},
    {"lookahead", chm_key_choice, "", offsetof(chm_program_scalars, lookahead), 2, 0, 2,
     "none|readers|full", "what the driver knows when it queues a descriptor"},
};
static const chm_key_table program_table = {"program", program_key_items, 4};

typedef struct routing_keys {
    uint64_t top_k;
    double skew;
} routing_keys;

static const chm_key routing_key_items[] = {
    {"top_k", chm_key_u64, "", offsetof(routing_keys, top_k), 2, 1, chm_max_top_k, NULL,
     "experts' dies that a token goes to"},
    {"skew", chm_key_f64, "", offsetof(routing_keys, skew), 0, 0, 1, NULL,
     "0: exactly balanced; 1: every token's first choice is die 0"},
};
static const chm_key_table routing_table = {"routing", routing_key_items, 2};

static void read_routing(chm_program_reader* reader, const chm_yaml_node* node) {
    routing_keys keys;
    if (!chm_reader_is_mapping(reader, node)) {
        return;
    }
    chm_keys_default(&routing_table, &keys);
    chm_reader_keys(reader, node, &routing_table, &keys);
    chm_yaml_refuse_unknown(node, "top_k, skew", reader->diagnostics);
    reader->routing =
        (chm_routing){.top_k = (uint32_t)keys.top_k,
                      .skew = reader->options->skew != 0 ? reader->options->skew : keys.skew,
                      .seed = reader->options->seed};
}

// "buffer_of: {y0: shared, y2: shared}": every name must be a value that something writes.
static void read_buffer_map(chm_program_reader* reader, const chm_yaml_node* node) {
    if (!chm_reader_is_mapping(reader, node)) {
        return;
    }
    for (size_t i = 0; i < node->count; ++i) {
        chm_reader_scalar(reader, &node->items[i]);
    }
    reader->buffer_map = node;
}

static const chm_yaml_node* need(chm_program_reader* reader, const chm_yaml_node* root,
                                 const char* key) {
    const chm_yaml_node* node = chm_yaml_get(root, key);
    if (node == NULL) {
        chm_diagnose(reader->diagnostics, &root->origin, "'%s' is missing", key);
    }
    return node;
}

static chm_status read_blocks(chm_program_reader* reader, const chm_yaml_node* root) {
    const chm_yaml_node* name = need(reader, root, "name");
    const char* name_text = name == NULL ? NULL : chm_reader_scalar(reader, name);
    reader->program->name = name_text == NULL ? root->origin.name : name_text;
    chm_keys_default(&program_table, &reader->scalars);
    chm_reader_keys(reader, root, &program_table, &reader->scalars);
    reader->program->skew = reader->options->skew;
    reader->program->message_bytes = reader->options->message_bytes != 0
                                         ? reader->options->message_bytes
                                         : reader->scalars.message_bytes;
    reader->program->lookahead = (chm_lookahead)reader->scalars.lookahead;
    read_routing(reader, chm_yaml_get(root, "routing"));
    read_buffer_map(reader, chm_yaml_get(root, "buffer_of"));
    typedef chm_status (*read_block)(chm_program_reader*, const chm_yaml_node*);
    static const read_block blocks[] = {chm_read_tensors, chm_read_meshes,
                                        chm_read_layouts, chm_read_communicators,
                                        chm_read_inputs,  chm_read_operations};
    const chm_yaml_node* nodes[] = {
        need(reader, root, "tensors"), need(reader, root, "meshes"),
        need(reader, root, "layouts"), chm_yaml_get(root, "communicators"),
        need(reader, root, "inputs"),  need(reader, root, "operations")};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i) {
        chm_status status = blocks[i](reader, nodes[i]);
        if (status != chm_ok) {
            return status;
        }
    }
    chm_yaml_refuse_unknown(root,
                            "name, message_bytes, iterations, buffers, lookahead, routing, "
                            "buffer_of, tensors, meshes, layouts, communicators, inputs, "
                            "operations",
                            reader->diagnostics);
    chm_status status = chm_unroll_operations(reader);
    if (status == chm_ok && reader->buffer_map != NULL) {
        chm_yaml_refuse_unknown(reader->buffer_map, "values of this program", reader->diagnostics);
    }
    return status == chm_ok ? chm_route_tensors(reader) : status;
}

static void fill_tables(const chm_program_reader* reader) {
    chm_program* program = reader->program;
    program->tables = (chm_tables){
        .tensors = reader->tensors,
        .tensor_count = (uint32_t)reader->tensor_count,
        .layouts = reader->layouts,
        .layout_count = (uint32_t)reader->layout_count,
        .routings = reader->routings,
        .routing_count = (uint32_t)reader->routing_count,
        .communicators = reader->communicators,
        .communicator_count = (uint32_t)reader->communicator_count,
        .values = reader->values,
        .value_count = (uint32_t)reader->value_count,
        .available = reader->available,
        .available_count = (uint32_t)reader->available_count,
    };
    program->operations = reader->operations;
    program->operation_count = (uint32_t)reader->operation_count;
}

// Reads from a file if text is null.
static chm_status read_program(const char* name, const char* text, size_t length,
                               const chm_topology* topology, const chm_program_options* options,
                               chm_program** result, chm_diagnostics* diagnostics) {
    static const chm_program_options no_options = {0};
    uint32_t before = diagnostics->errors;
    chm_program* program = calloc(1, sizeof *program);
    if (program == NULL) {
        return chm_no_memory;
    }
    chm_arena_init(&program->arena);
    chm_program_reader reader = {.program = program,
                                 .arena = &program->arena,
                                 .topology = topology,
                                 .options = options == NULL ? &no_options : options,
                                 .diagnostics = diagnostics};
    const chm_yaml_node* root = NULL;
    const char* kept = chm_arena_string(&program->arena, name); // origins point at it
    chm_status status = chm_no_memory;
    if (kept != NULL) {
        status = text == NULL
                     ? chm_yaml_read_file(kept, &program->arena, &root, diagnostics)
                     : chm_yaml_read_text(kept, text, length, &program->arena, &root, diagnostics);
    }
    if (status == chm_ok && chm_reader_is_mapping(&reader, root)) {
        status = read_blocks(&reader, root);
    }
    if (status == chm_ok && diagnostics->errors != before) {
        status = chm_bad_input;
    }
    if (status != chm_ok) {
        chm_program_free(program);
        return status;
    }
    fill_tables(&reader);
    *result = program;
    return chm_ok;
}

chm_status chm_program_read(const char* path, const chm_topology* topology,
                            const chm_program_options* options, chm_program** program,
                            chm_diagnostics* diagnostics) {
    return read_program(path, NULL, 0, topology, options, program, diagnostics);
}

chm_status chm_program_read_text(const char* name, const char* text, size_t length,
                                 const chm_topology* topology, const chm_program_options* options,
                                 chm_program** program, chm_diagnostics* diagnostics) {
    return read_program(name, text, length, topology, options, program, diagnostics);
}

// Dies that a program placed on no platform uses: one more than its highest id.
static uint32_t dies_of(const chm_program* program) {
    uint32_t dies = 0;
    for (uint32_t l = 0; l < program->tables.layout_count; ++l) {
        const chm_die_mesh* mesh = &program->tables.layouts[l].mesh;
        for (uint32_t rank = 0; rank < chm_mesh_size(mesh); ++rank) {
            dies = mesh->dies[rank] >= dies ? mesh->dies[rank] + 1 : dies;
        }
    }
    return dies;
}

chm_status chm_program_validate(const char* path, chm_diagnostics* diagnostics) {
    chm_program* program = NULL;
    chm_status status = read_program(path, NULL, 0, NULL, NULL, &program, diagnostics);
    if (status != chm_ok) {
        return status;
    }
    chm_arena arena;
    chm_workload workload;
    chm_arena_init(&arena);
    status = chm_drive(program, dies_of(program), &arena, &workload, diagnostics);
    chm_arena_free(&arena);
    chm_program_free(program);
    return status;
}

void chm_program_free(chm_program* program) {
    if (program != NULL) {
        chm_arena arena = program->arena;
        free(program);
        chm_arena_free(&arena);
    }
}
