// SPDX-License-Identifier: Apache-2.0
#include "hw/base/checked.h"
#include "traces/program_reader.h"

// What is particular to compute operations: class, duration, where their other operands are.

typedef struct compute_keys {
    uint64_t op_class;
    uint64_t cycles;
    uint64_t cycles_per_row;
} compute_keys;

static const chm_key compute_key_items[] = {
    {"class", chm_key_choice, "", offsetof(compute_keys, op_class), 0, 0, 4,
     "opaque|transparent|row_wise|element_wise|linear", "what fusion may assume of it"},
    {"cycles", chm_key_u64, "cycles", offsetof(compute_keys, cycles), 0, 0, 1e15, NULL,
     "duration on each die"},
    {"cycles_per_row", chm_key_u64, "cycles", offsetof(compute_keys, cycles_per_row), 0, 0, 1e9,
     NULL, "duration per row of the first operand that a die holds"},
};
static const chm_key_table compute_table = {"compute", compute_key_items, 3};

// "tensor": an opaque operation may write another tensor than it reads.
static void read_tensor(chm_program_reader* reader, const chm_yaml_node* body,
                        chm_operation_text* text) {
    const chm_yaml_node* node = chm_yaml_get(body, "tensor");
    const char* name = node == NULL ? NULL : chm_reader_scalar(reader, node);
    if (name != NULL) {
        text->write_tensor = chm_reader_find_tensor(reader, name, &node->origin);
    }
}

static chm_status read_weights(chm_program_reader* reader, const chm_yaml_node* body,
                               chm_operation_text* text) {
    const chm_yaml_node* node = chm_yaml_get(body, "weights_on");
    if (node == NULL || !chm_reader_is_sequence(reader, node)) {
        return chm_ok;
    }
    text->operation.first_available = (uint32_t)reader->available_count;
    for (size_t i = 0; i < node->count; ++i) {
        const char* name = chm_reader_scalar(reader, &node->items[i]);
        uint32_t mesh =
            name == NULL ? CHM_NONE : chm_reader_find_mesh(reader, name, &node->items[i].origin);
        uint32_t* slot =
            chm_reader_append(reader, (void**)&reader->available, &reader->available_count,
                              &reader->available_capacity, sizeof *reader->available);
        if (slot == NULL) {
            return chm_no_memory;
        }
        *slot = mesh == CHM_NONE ? CHM_NONE : chm_reader_weights_layout(reader, mesh);
    }
    text->operation.available_count = (uint32_t)node->count;
    return chm_ok;
}

static uint64_t whole_number(chm_program_reader* reader, const chm_yaml_node* node) {
    const char* text = chm_reader_scalar(reader, node);
    uint64_t number = 0;
    if (text != NULL && (!chm_parse_u64(text, &number) || number < 1 || number > 1u << 24)) {
        chm_diagnose(reader->diagnostics, &node->origin,
                     "gemm: got '%s'; allowed: a number 1 .. 16777216", text);
        return 0;
    }
    return number;
}

// A GEMM [M, N, K] on an output-stationary array of R x C: every fold of R x C outputs takes
// K + R + C - 2 cycles (SCALE-Sim v2, no memory stalls), and the last does not drain.
static uint64_t gemm_cycles(chm_program_reader* reader, const chm_yaml_node* node) {
    uint64_t rows = reader->options->array_rows == 0 ? 256 : reader->options->array_rows;
    uint64_t columns = reader->options->array_columns == 0 ? 256 : reader->options->array_columns;
    uint64_t size[3];
    if (!chm_reader_is_sequence(reader, node)) {
        return 0;
    }
    if (node->count != 3) {
        chm_diagnose(reader->diagnostics, &node->key_origin,
                     "gemm: got %zu numbers; allowed: [M, N, K]", node->count);
        return 0;
    }
    for (size_t i = 0; i < 3; ++i) {
        size[i] = whole_number(reader, &node->items[i]);
        if (size[i] == 0) {
            return 0;
        }
    }
    uint64_t cycles = 0;
    if (!chm_mul_u64(chm_ceil_div_u64(size[0], rows) * chm_ceil_div_u64(size[1], columns),
                     size[2] + rows + columns - 2, &cycles)) {
        chm_diagnose(reader->diagnostics, &node->key_origin,
                     "gemm: the duration does not fit 64 bits");
        return 0;
    }
    return cycles - 1;
}

chm_status chm_read_compute(chm_program_reader* reader, const chm_yaml_node* body,
                            chm_operation_text* text) {
    compute_keys keys;
    chm_keys_default(&compute_table, &keys);
    chm_reader_keys(reader, body, &compute_table, &keys);
    const chm_yaml_node* gemm = chm_yaml_get(body, "gemm");
    text->operation.op_class = (chm_operation_class)keys.op_class;
    text->operation.cycles = keys.cycles;
    if ((keys.cycles != 0) + (keys.cycles_per_row != 0) + (gemm != NULL) > 1) {
        chm_diagnose(reader->diagnostics, &body->key_origin,
                     "compute: allowed: one of cycles, cycles_per_row and gemm");
    } else if (gemm != NULL) {
        text->operation.cycles = gemm_cycles(reader, gemm);
    }
    text->cycles_per_row = keys.cycles_per_row;
    read_tensor(reader, body, text);
    return read_weights(reader, body, text);
}
