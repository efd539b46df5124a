// SPDX-License-Identifier: Apache-2.0
#include "traces/driver_state.h"

// Who reads each value, and which write ends it by using its buffer again.

enum { most_buffers = 1 << 24 };

static chm_status list_readers(chm_driver* driver) {
    const chm_program* program = driver->program;
    uint32_t values = driver->tables->value_count;
    uint32_t* first = driver->first_reader;
    for (uint32_t seq = 0; seq < program->operation_count; ++seq) {
        for (uint32_t i = 0; i < program->operations[seq].operand_count; ++i) {
            first[program->operations[seq].operands[i].value + 1] += 1;
        }
    }
    for (uint32_t v = 0; v < values; ++v) {
        first[v + 1] += first[v];
    }
    driver->reader_count = first[values];
    driver->readers = chm_arena_alloc(driver->arena, first[values], sizeof *driver->readers);
    uint32_t* filled = chm_arena_copy(driver->arena, first, (size_t)values + 1, sizeof *filled);
    if (driver->readers == NULL || filled == NULL) {
        return chm_no_memory;
    }
    for (uint32_t seq = 0; seq < program->operation_count; ++seq) {
        const chm_operation* operation = &program->operations[seq];
        for (uint32_t i = 0; i < operation->operand_count; ++i) {
            const chm_operand* operand = &operation->operands[i];
            driver->readers[filled[operand->value]++] =
                (chm_reader){.value = operand->value, .layout = operand->layout, .seq = seq};
        }
    }
    return chm_ok;
}

// Inputs are there from the start, before every write.
static chm_status find_overwriters(chm_driver* driver) {
    const chm_program* program = driver->program;
    const chm_value* values = driver->tables->values;
    uint32_t buffers = 0;
    for (uint32_t v = 0; v < driver->tables->value_count; ++v) {
        if (values[v].buffer >= most_buffers) {
            chm_diagnose(driver->diagnostics, NULL, "value '%s': buffer %u; allowed: 0 .. %d",
                         values[v].name, values[v].buffer, most_buffers - 1);
            return chm_bad_input;
        }
        buffers = values[v].buffer >= buffers ? values[v].buffer + 1 : buffers;
        driver->overwriter[v] = CHM_NONE;
    }
    uint32_t* content = chm_arena_alloc(driver->arena, buffers, sizeof *content); // value + 1
    if (content == NULL) {
        return chm_no_memory;
    }
    for (uint32_t v = 0; v < driver->tables->value_count; ++v) {
        uint32_t* there = &content[values[v].buffer];
        if (values[v].producer == CHM_NONE && *there != 0) {
            chm_diagnose(driver->diagnostics, NULL, "inputs '%s' and '%s' are in one buffer",
                         values[*there - 1].name, values[v].name);
        }
        *there = values[v].producer == CHM_NONE ? v + 1 : *there;
    }
    for (uint32_t seq = 0; seq < program->operation_count; ++seq) {
        uint32_t result = program->operations[seq].result;
        if (result == CHM_NONE) {
            continue;
        }
        uint32_t* there = &content[values[result].buffer];
        driver->first_use[result] = *there == 0;
        if (*there != 0) {
            driver->overwriter[*there - 1] = seq;
        }
        *there = result + 1;
    }
    return chm_ok;
}

static void check_reader(const chm_driver* driver, const chm_reader* reader) {
    const chm_operation* operation = &driver->program->operations[reader->seq];
    uint32_t overwriter = driver->overwriter[reader->value];
    if (reader->seq < overwriter) {
        return;
    }
    const chm_operation* writer = &driver->program->operations[overwriter];
    const char* value = driver->tables->values[reader->value].name;
    const char* written = driver->tables->values[writer->result].name;
    if (reader->seq == overwriter) {
        chm_diagnose(driver->diagnostics, &operation->origin,
                     "%s: '%s' is in the buffer of '%s', which it reads; allowed: another buffer",
                     operation->name, written, value);
    } else {
        chm_diagnose(driver->diagnostics, &operation->origin,
                     "%s: reads '%s' after '%s' (operation %u) has overwritten its buffer",
                     operation->name, value, written, overwriter);
    }
}

chm_status chm_driver_buffers(chm_driver* driver) {
    uint32_t before = driver->diagnostics->errors;
    chm_status status = list_readers(driver);
    if (status == chm_ok) {
        status = find_overwriters(driver);
    }
    for (uint32_t r = 0; status == chm_ok && r < driver->reader_count; ++r) {
        check_reader(driver, &driver->readers[r]);
    }
    if (status == chm_ok && driver->diagnostics->errors != before) {
        status = chm_bad_input;
    }
    return status;
}
