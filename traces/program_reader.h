// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/keys.h"
#include "hw/base/yaml.h"
#include "traces/placement.h"
#include "traces/program.h"

// Private to traces/: the state of reading one program file. Names are resolved through the linear
// tables below (programs are small); everything lives in the program's arena. Functions report
// faults to `diagnostics` and go on; only chm_no_memory stops reading.

// Scalar keys at the top of the file.
typedef struct chm_program_scalars {
    uint64_t message_bytes;
    uint64_t iterations;
    uint64_t buffers;
    uint64_t lookahead; // chm_lookahead
} chm_program_scalars;

typedef struct chm_named_mesh {
    const char* name;
    chm_die_mesh mesh;
    const char* dimensions[chm_max_mesh_dimensions];
    bool placed;           // false: its faults are reported, users of it stay silent
    uint32_t weights;      // a replicated layout on it, CHM_NONE until one is asked for
    uint32_t communicator; // default one on it, CHM_NONE until one is asked for
} chm_named_mesh;

typedef struct chm_named_layout {
    const char* name;
    uint32_t mesh; // index of the named mesh
    bool sound;
} chm_named_layout;

typedef struct chm_operand_text {
    const char* value;
    uint32_t layout; // CHM_NONE: its fault is reported
    chm_origin origin;
} chm_operand_text;

// An operation as written, before values are resolved and iterations unrolled.
typedef struct chm_operation_text {
    chm_operation operation; // all but operands, result and seq
    chm_operand_text reads[chm_max_operands];
    chm_operand_text write;  // value null: writes nothing
    uint32_t write_tensor;   // CHM_NONE: that of the first operand
    uint64_t cycles_per_row; // 0: operation.cycles stands
} chm_operation_text;

typedef struct chm_program_reader {
    chm_program* program;
    chm_arena* arena; // &program->arena
    const chm_topology* topology;
    const chm_program_options* options;
    chm_diagnostics* diagnostics;
    chm_program_scalars scalars;
    chm_routing routing; // of every routed tensor; top_k 0: none declared

    const char** tensor_names;
    chm_tensor* tensors;
    size_t tensor_count, tensor_capacity, tensor_name_capacity;

    chm_named_mesh* meshes;
    size_t mesh_count, mesh_capacity;
    chm_block last_block; // for "next block"
    bool has_block;

    chm_named_layout* layout_names; // same index as layouts
    chm_layout* layouts;
    size_t layout_count, layout_capacity, layout_name_capacity;

    chm_communicator* communicators;
    size_t communicator_count, communicator_capacity;
    size_t declared_communicators; // named in the file; those after it are made by default

    uint32_t* available;
    size_t available_count, available_capacity;

    chm_operation_text* texts;
    size_t text_count, text_capacity;

    chm_value* values;
    const char** value_bases; // name without iteration; same index as values
    size_t value_count, value_capacity, value_base_capacity;
    const char** buffer_names;
    size_t buffer_count, buffer_capacity;
    const chm_yaml_node* buffer_map; // "buffers" of the file, null if none

    chm_operation* operations;
    size_t operation_count, operation_capacity;
    chm_routing* routings;
    size_t routing_count, routing_capacity;
} chm_program_reader;

// Grows an array by one zeroed element; null when memory runs out.
void* chm_reader_append(chm_program_reader* reader, void** items, size_t* count, size_t* capacity,
                        size_t size);

// A scalar's text, null with a message if the node is none or empty.
const char* chm_reader_scalar(chm_program_reader* reader, const chm_yaml_node* node);

// Reads those keys of a table that a mapping has; false if one is at fault.
bool chm_reader_keys(chm_program_reader* reader, const chm_yaml_node* mapping,
                     const chm_key_table* table, void* parameters);

// True if the node is there and a mapping (sequence); says so if it is there and is none.
bool chm_reader_is_mapping(chm_program_reader* reader, const chm_yaml_node* node);
bool chm_reader_is_sequence(chm_program_reader* reader, const chm_yaml_node* node);

// Indices by name, CHM_NONE with a message that lists what is declared.
uint32_t chm_reader_find_tensor(chm_program_reader* reader, const char* name,
                                const chm_origin* origin);
uint32_t chm_reader_find_mesh(chm_program_reader* reader, const char* name,
                              const chm_origin* origin);
uint32_t chm_reader_find_layout(chm_program_reader* reader, const char* name,
                                const chm_origin* origin);
uint32_t chm_reader_find_communicator(chm_program_reader* reader, const char* name,
                                      const chm_origin* origin);

// The blocks, in the order they must be read.
chm_status chm_read_tensors(chm_program_reader* reader, const chm_yaml_node* node);
chm_status chm_read_meshes(chm_program_reader* reader, const chm_yaml_node* node);
chm_status chm_read_layouts(chm_program_reader* reader, const chm_yaml_node* node);
chm_status chm_read_communicators(chm_program_reader* reader, const chm_yaml_node* node);
chm_status chm_read_operations(chm_program_reader* reader, const chm_yaml_node* node);
chm_status chm_read_inputs(chm_program_reader* reader, const chm_yaml_node* node);

// A layout without a name of its own: replicated on a mesh. CHM_NONE when memory runs out.
uint32_t chm_reader_weights_layout(chm_program_reader* reader, uint32_t mesh);

// One operation of the sequence; faults leave fields at CHM_NONE.
chm_status chm_read_operation(chm_program_reader* reader, const chm_yaml_node* node,
                              chm_operation_text* text);
chm_status chm_read_compute(chm_program_reader* reader, const chm_yaml_node* body,
                            chm_operation_text* text);

// The communicator of an operation between two layouts: the named one (CHM_NONE: one is made for
// the meshes). One name stands for one pair of meshes.
chm_status chm_reader_communicator(chm_program_reader* reader, uint32_t named, uint32_t from,
                                   uint32_t to, uint32_t* communicator, const chm_origin* origin);

// Adds a value; the name of iteration i > 0 is "x@i+1". CHM_NONE when memory runs out.
uint32_t chm_reader_add_value(chm_program_reader* reader, const char* name, uint32_t iteration,
                              uint32_t tensor, uint32_t layout, uint32_t producer);

// The operations of every iteration with their values, and the routing of the tensors.
chm_status chm_unroll_operations(chm_program_reader* reader);
chm_status chm_route_tensors(chm_program_reader* reader);

// Shape of a tensor of M bytes in 4-byte elements (chm_read_tensors): the widest row of at most
// 1024 elements that leaves at least 16 whole rows. False if M is less than 64 or not whole
// elements.
bool chm_message_shape(uint64_t message_bytes, uint64_t* tokens, uint64_t* width);
