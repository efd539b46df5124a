// SPDX-License-Identifier: Apache-2.0
#include "traces/driver_state.h"

// A value's line: collectives and the movable operations between them, each continuing through its
// first operand. And needed_by: what else waits for a member of the line.

// What works on rows that were dispatched stays there: a run has no place at which a die's rows are
// those that a routing gave it.
static bool may_continue(const chm_driver* driver, const chm_operation* operation) {
    if (operation->kind == chm_operation_collective) {
        return true;
    }
    return operation->kind == chm_operation_compute && operation->op_class != chm_class_opaque &&
           operation->result != CHM_NONE &&
           !chm_layout_is_routed(&driver->tables->layouts[operation->operands[0].layout]);
}

// The first reader that takes the value as its first operand; the others stand beside the line.
static uint32_t find_next(const chm_driver* driver, uint32_t value) {
    for (uint32_t r = driver->first_reader[value]; r < driver->first_reader[value + 1]; ++r) {
        const chm_operation* operation = &driver->program->operations[driver->readers[r].seq];
        if (operation->operands[0].value == value && may_continue(driver, operation)) {
            return operation->seq;
        }
    }
    return CHM_NONE;
}

// A line begins with a collective: a movable operation before any is an ordinary compute.
static void find_lines(chm_driver* driver) {
    uint32_t count = driver->program->operation_count;
    for (uint32_t seq = 0; seq < count; ++seq) {
        driver->next[seq] = driver->previous[seq] = CHM_NONE;
    }
    for (uint32_t seq = 0; seq < count; ++seq) {
        const chm_operation* operation = &driver->program->operations[seq];
        driver->queued[seq] =
            operation->kind == chm_operation_collective || driver->previous[seq] != CHM_NONE;
        uint32_t next = driver->queued[seq] ? find_next(driver, operation->result) : CHM_NONE;
        if (next != CHM_NONE) {
            driver->next[seq] = next;
            driver->previous[next] = seq;
        }
    }
}

static uint32_t lower(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

// first[s]: the lowest seq of a queued operation among s and all that depends on it. Dependants
// come later in the list, so that a queued operation is its own answer.
static uint32_t first_through_readers(const chm_driver* driver, const uint32_t* first,
                                      uint32_t value, uint32_t except) {
    uint32_t lowest = CHM_NONE;
    if (value == CHM_NONE) {
        return lowest;
    }
    for (uint32_t r = driver->first_reader[value]; r < driver->first_reader[value + 1]; ++r) {
        if (driver->readers[r].seq != except) {
            lowest = lower(lowest, first[driver->readers[r].seq]);
        }
    }
    return lowest;
}

// The writes that wait for `seq` to have read what they overwrite.
static uint32_t first_through_buffers(const chm_driver* driver, const uint32_t* first,
                                      uint32_t seq) {
    const chm_operation* operation = &driver->program->operations[seq];
    uint32_t lowest = CHM_NONE;
    for (uint32_t i = 0; i < operation->operand_count; ++i) {
        uint32_t writer = driver->overwriter[operation->operands[i].value];
        if (writer != CHM_NONE) {
            lowest = lower(lowest, first[writer]);
        }
    }
    return lowest;
}

// The computes behind `seq` in the queue of a die. `behind` holds each die's first compute so far,
// going backwards over the list, and is set to `seq`.
static uint32_t first_through_compute_queues(const chm_driver* driver, const uint32_t* first,
                                             uint32_t* behind, uint32_t seq) {
    uint32_t lowest = CHM_NONE;
    if (driver->queued[seq] || driver->program->operations[seq].kind != chm_operation_compute) {
        return lowest;
    }
    for (uint32_t die = 0; die < driver->dies; ++die) {
        if (!chm_set_has(chm_driver_group(driver, seq), die)) {
            continue;
        }
        if (behind[die] != CHM_NONE) {
            lowest = lower(lowest, first[behind[die]]);
        }
        behind[die] = seq;
    }
    return lowest;
}

// A run takes the place of its last member, and what is issued before it must not wait for it. So
// an operation is needed by the first queued operation that depends on it other than through its
// next: through another reader of its value, or by overwriting what it reads (were the two in one
// run, the run would wait for itself; were the writer another run, for a later one). A compute also
// waits for those before it on its dies, which work through their computes in order.
static chm_status find_needed_by(chm_driver* driver) {
    uint32_t count = driver->program->operation_count;
    uint32_t* first = chm_arena_alloc(driver->arena, count, sizeof *first);
    uint32_t* behind = chm_arena_alloc(driver->arena, driver->dies, sizeof *behind);
    if (first == NULL || behind == NULL) {
        return chm_no_memory;
    }
    for (uint32_t die = 0; die < driver->dies; ++die) {
        behind[die] = CHM_NONE;
    }
    for (uint32_t s = count; s > 0; --s) {
        uint32_t seq = s - 1;
        uint32_t value = driver->program->operations[seq].result;
        uint32_t lowest = first_through_buffers(driver, first, seq);
        lowest = lower(lowest, first_through_readers(driver, first, value, driver->next[seq]));
        lowest = lower(lowest, first_through_compute_queues(driver, first, behind, seq));
        driver->facts[seq].needed_by = driver->queued[seq] ? lowest : CHM_NONE;
        first[seq] = driver->queued[seq] ? seq : lowest;
    }
    return chm_ok;
}

chm_status chm_driver_lines(chm_driver* driver) {
    find_lines(driver);
    return find_needed_by(driver);
}
