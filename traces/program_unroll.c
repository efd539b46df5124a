// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "hw/base/checked.h"
#include "traces/program_reader.h"

// From operations as written to the common list: iterations are unrolled, names become values,
// every value gets its buffer.

chm_status chm_read_operations(chm_program_reader* reader, const chm_yaml_node* node) {
    if (!chm_reader_is_sequence(reader, node)) {
        return chm_ok;
    }
    for (size_t i = 0; i < node->count; ++i) {
        chm_operation_text* text =
            chm_reader_append(reader, (void**)&reader->texts, &reader->text_count,
                              &reader->text_capacity, sizeof *reader->texts);
        if (text == NULL) {
            return chm_no_memory;
        }
        chm_status status = chm_read_operation(reader, &node->items[i], text);
        if (status != chm_ok) {
            return status;
        }
    }
    return chm_ok;
}

static uint32_t buffer_index(chm_program_reader* reader, const char* name) {
    for (size_t i = 0; i < reader->buffer_count; ++i) {
        if (strcmp(reader->buffer_names[i], name) == 0) {
            return (uint32_t)i;
        }
    }
    const char** added =
        chm_reader_append(reader, (void**)&reader->buffer_names, &reader->buffer_count,
                          &reader->buffer_capacity, sizeof *reader->buffer_names);
    if (added == NULL) {
        return CHM_NONE;
    }
    *added = name;
    return (uint32_t)reader->buffer_count - 1;
}

// The buffer that the file names for a value, or the value's own, round robin over `buffers` of
// them as iterations go. '#' keeps them apart from names of the file.
static uint32_t buffer_of(chm_program_reader* reader, const char* value, uint32_t iteration) {
    const chm_yaml_node* named =
        reader->buffer_map == NULL ? NULL : chm_yaml_get(reader->buffer_map, value);
    if (named != NULL && named->kind == chm_yaml_scalar) {
        return buffer_index(reader, named->text);
    }
    const char* own = chm_arena_format(reader->arena, "%s#%u", value,
                                       (unsigned)(iteration % reader->scalars.buffers));
    return own == NULL ? CHM_NONE : buffer_index(reader, own);
}

uint32_t chm_reader_add_value(chm_program_reader* reader, const char* name, uint32_t iteration,
                              uint32_t tensor, uint32_t layout, uint32_t producer) {
    size_t count = reader->value_count;
    const char** base = chm_reader_append(reader, (void**)&reader->value_bases, &count,
                                          &reader->value_base_capacity, sizeof *base);
    chm_value* value =
        base == NULL ? NULL
                     : chm_reader_append(reader, (void**)&reader->values, &reader->value_count,
                                         &reader->value_capacity, sizeof *value);
    if (value == NULL) {
        return CHM_NONE;
    }
    *base = name;
    *value = (chm_value){.tensor = tensor,
                         .routing = CHM_NONE,
                         .layout = layout,
                         .buffer = buffer_of(reader, name, iteration),
                         .producer = producer};
    value->name =
        iteration == 0 ? name : chm_arena_format(reader->arena, "%s@%u", name, iteration + 1);
    return value->name == NULL || value->buffer == CHM_NONE ? CHM_NONE
                                                            : (uint32_t)reader->value_count - 1;
}

// The latest value of that name: of this iteration if it is written before, else an input.
static uint32_t find_value(const chm_program_reader* reader, const char* name) {
    for (size_t v = reader->value_count; v > 0; --v) {
        if (strcmp(reader->value_bases[v - 1], name) == 0) {
            return (uint32_t)v - 1;
        }
    }
    return CHM_NONE;
}

static uint64_t most_rows(const chm_program_reader* reader, const chm_operand* operand) {
    uint64_t most = 0;
    uint32_t tensor = operand->value == CHM_NONE ? CHM_NONE : reader->values[operand->value].tensor;
    if (operand->layout == CHM_NONE || !reader->layout_names[operand->layout].sound ||
        tensor == CHM_NONE) {
        return 0;
    }
    const chm_layout* layout = &reader->layouts[operand->layout];
    for (uint32_t rank = 0; rank < chm_mesh_size(&layout->mesh); ++rank) {
        chm_rect rect = chm_layout_holding(layout, &reader->tensors[tensor], rank).rect;
        most = chm_max_u64(most, rect.token_end - rect.token_begin);
    }
    return most;
}

static void resolve_reads(chm_program_reader* reader, const chm_operation_text* text,
                          uint32_t iteration, size_t iteration_values, chm_operation* operation) {
    for (uint32_t i = 0; i < operation->operand_count; ++i) {
        const chm_operand_text* read = &text->reads[i];
        uint32_t value = find_value(reader, read->value);
        bool stale = value != CHM_NONE && iteration > 0 && value < iteration_values &&
                     reader->values[value].producer != CHM_NONE;
        if (value == CHM_NONE || stale) {
            chm_diagnose(reader->diagnostics, &read->origin,
                         "value '%s' is read before anything writes it", read->value);
            value = CHM_NONE;
        }
        operation->operands[i] = (chm_operand){.value = value, .layout = read->layout};
    }
}

static chm_status resolve_write(chm_program_reader* reader, const chm_operation_text* text,
                                uint32_t iteration, size_t iteration_values,
                                chm_operation* operation) {
    const chm_operand_text* write = &text->write;
    if (write->value == NULL) {
        return chm_ok;
    }
    uint32_t earlier = find_value(reader, write->value);
    if (earlier != CHM_NONE &&
        (earlier >= iteration_values || reader->values[earlier].producer == CHM_NONE)) {
        chm_diagnose(reader->diagnostics, &write->origin,
                     "value '%s' is written twice; allowed: once (name another value)",
                     write->value);
        return chm_ok;
    }
    uint32_t tensor = text->write_tensor;
    if (tensor == CHM_NONE && operation->operand_count > 0 &&
        operation->operands[0].value != CHM_NONE) {
        tensor = reader->values[operation->operands[0].value].tensor;
    }
    operation->result = chm_reader_add_value(reader, write->value, iteration, tensor, write->layout,
                                             operation->seq);
    return operation->result == CHM_NONE ? chm_no_memory : chm_ok;
}

static chm_status unroll_one(chm_program_reader* reader, const chm_operation_text* text,
                             uint32_t iteration, size_t iteration_values) {
    chm_operation* operation =
        chm_reader_append(reader, (void**)&reader->operations, &reader->operation_count,
                          &reader->operation_capacity, sizeof *operation);
    if (operation == NULL) {
        return chm_no_memory;
    }
    *operation = text->operation;
    operation->seq = (uint32_t)reader->operation_count - 1;
    resolve_reads(reader, text, iteration, iteration_values, operation);
    if (text->cycles_per_row != 0 && operation->operand_count > 0 &&
        !chm_mul_u64(text->cycles_per_row, most_rows(reader, &operation->operands[0]),
                     &operation->cycles)) {
        chm_diagnose(reader->diagnostics, &operation->origin,
                     "cycles_per_row: the duration does not fit 64 bits");
    }
    return resolve_write(reader, text, iteration, iteration_values, operation);
}

// Faults show in the first iteration; a list with faults is not unrolled further.
chm_status chm_unroll_operations(chm_program_reader* reader) {
    for (uint32_t i = 0; i < reader->scalars.iterations; ++i) {
        size_t iteration_values = reader->value_count;
        for (size_t t = 0; t < reader->text_count; ++t) {
            chm_status status = unroll_one(reader, &reader->texts[t], i, iteration_values);
            if (status != chm_ok) {
                return status;
            }
        }
        if (reader->diagnostics->errors != 0) {
            return chm_ok;
        }
    }
    return chm_ok;
}

// The size of the routed dimensions of a tensor's layouts; 0 if none is routed. Reports two sizes.
static uint32_t routed_size(chm_program_reader* reader, uint32_t tensor) {
    uint32_t size = 0;
    for (size_t o = 0; o < reader->operation_count; ++o) {
        const chm_operation* operation = &reader->operations[o];
        for (uint32_t i = 0; i <= operation->operand_count; ++i) {
            bool result = i == operation->operand_count;
            uint32_t value = result ? operation->result : operation->operands[i].value;
            if (value == CHM_NONE || reader->values[value].tensor != tensor) {
                continue;
            }
            uint32_t layout = result ? reader->values[value].layout : operation->operands[i].layout;
            if (layout == CHM_NONE || !reader->layout_names[layout].sound ||
                !chm_layout_is_routed(&reader->layouts[layout])) {
                continue;
            }
            uint32_t here = chm_layout_routed_size(&reader->layouts[layout]);
            if (size != 0 && size != here) {
                chm_diagnose(reader->diagnostics, &operation->origin,
                             "layout '%s' routes over %u dies, another of tensor '%s' over %u",
                             reader->layout_names[layout].name, here, reader->tensor_names[tensor],
                             size);
                return size;
            }
            size = here;
        }
    }
    return size;
}

chm_status chm_route_tensors(chm_program_reader* reader) {
    for (uint32_t t = 0; t < reader->tensor_count; ++t) {
        uint32_t size = routed_size(reader, t);
        if (size == 0) {
            continue;
        }
        if (reader->routing.top_k == 0) {
            chm_diagnose(reader->diagnostics, NULL,
                         "%s: tensor '%s' has a routed layout, but 'routing' is missing",
                         reader->program->name, reader->tensor_names[t]);
            return chm_ok;
        }
        chm_routing* routing =
            chm_reader_append(reader, (void**)&reader->routings, &reader->routing_count,
                              &reader->routing_capacity, sizeof *routing);
        if (routing == NULL) {
            return chm_no_memory;
        }
        *routing = reader->routing;
        routing->dies = size;
        for (size_t v = 0; v < reader->value_count; ++v) {
            if (reader->values[v].tensor == t) {
                reader->values[v].routing = (uint32_t)reader->routing_count - 1;
            }
        }
    }
    return chm_ok;
}
