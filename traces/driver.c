// SPDX-License-Identifier: Apache-2.0
#include "traces/driver.h"

#include "traces/driver_state.h"

static chm_status allocate(chm_driver* driver) {
    uint32_t operations = driver->program->operation_count;
    uint32_t values = driver->tables->value_count;
    chm_arena* arena = driver->arena;
    driver->words = driver->dies / 64 + (driver->dies % 64 != 0);
    driver->first_reader = chm_arena_alloc(arena, (size_t)values + 1, sizeof(uint32_t));
    driver->overwriter = chm_arena_alloc(arena, values, sizeof(uint32_t));
    driver->first_use = chm_arena_alloc(arena, values, sizeof(bool));
    driver->queued = chm_arena_alloc(arena, operations, sizeof(bool));
    driver->next = chm_arena_alloc(arena, operations, sizeof(uint32_t));
    driver->previous = chm_arena_alloc(arena, operations, sizeof(uint32_t));
    driver->groups = chm_arena_alloc(arena, (size_t)operations * driver->words, sizeof(uint64_t));
    driver->domains = chm_arena_alloc(arena, (size_t)operations * driver->words, sizeof(uint64_t));
    driver->facts = chm_arena_alloc(arena, operations, sizeof(chm_facts));
    driver->queue = chm_arena_alloc(arena, driver->dies, sizeof(uint32_t*));
    driver->queue_count = chm_arena_alloc(arena, driver->dies, sizeof(uint32_t));
    bool all = driver->first_reader && driver->overwriter && driver->first_use && driver->queued &&
               driver->next && driver->previous && driver->groups && driver->domains &&
               driver->facts && driver->queue && driver->queue_count;
    return all ? chm_ok : chm_no_memory;
}

// No earlier collective of another line that moves anything has a die in common, so nobody can
// still hold buffer or staging.
static bool dies_are_fresh(const chm_driver* driver, uint32_t seq) {
    uint32_t member = driver->previous[seq];
    for (uint32_t s = seq; s > 0; --s) {
        uint32_t earlier = s - 1;
        if (earlier == member) {
            member = driver->previous[earlier];
        } else if (driver->program->operations[earlier].kind == chm_operation_collective &&
                   !driver->idle[earlier] &&
                   chm_sets_meet(chm_driver_group(driver, earlier), chm_driver_group(driver, seq),
                                 driver->words)) {
            return false;
        }
    }
    return true;
}

static void fill_readers(chm_driver* driver, uint32_t seq) {
    uint32_t value = driver->program->operations[seq].result;
    chm_facts* facts = &driver->facts[seq];
    if (value == CHM_NONE) {
        return;
    }
    uint32_t first = driver->first_reader[value];
    uint32_t end = driver->first_reader[value + 1];
    for (uint32_t r = first; r < end; ++r) {
        chm_reader* reader = &driver->readers[r];
        reader->distance =
            chm_driver_distance(driver, chm_driver_group(driver, seq),
                                chm_driver_group(driver, reader->seq), seq, reader->seq);
    }
    facts->readers_unknown =
        driver->queued[seq] && driver->program->lookahead == chm_lookahead_none;
    facts->first_reader = facts->readers_unknown ? 0 : first;
    facts->reader_count = facts->readers_unknown ? 0 : end - first;
}

static void fill_facts(chm_driver* driver) {
    const chm_program* program = driver->program;
    for (uint32_t seq = 0; seq < program->operation_count; ++seq) {
        chm_facts* facts = &driver->facts[seq]; // needed_by is there already
        uint32_t next = driver->next[seq];
        fill_readers(driver, seq);
        facts->next_seq = CHM_NONE;
        if (!driver->queued[seq]) {
            continue;
        }
        facts->next_unknown = program->lookahead != chm_lookahead_full;
        if (next != CHM_NONE && !facts->next_unknown) {
            facts->next_seq = next;
            facts->next_distance = chm_driver_distance(driver, chm_driver_group(driver, seq),
                                                       chm_driver_group(driver, next), seq, next);
        }
    }
}

static void fill_ready(chm_driver* driver) {
    for (uint32_t seq = 0; seq < driver->program->operation_count; ++seq) {
        uint32_t result = driver->program->operations[seq].result;
        driver->facts[seq].ready_at_start = driver->queued[seq] && result != CHM_NONE &&
                                            driver->first_use[result] &&
                                            dies_are_fresh(driver, seq);
    }
}

static uint32_t entries_of(const chm_driver* driver, uint32_t seq, uint32_t die,
                           chm_stream_entry entries[2]) {
    const chm_operation* operation = &driver->program->operations[seq];
    bool takes_part = chm_set_has(chm_driver_group(driver, seq), die);
    uint32_t count = 0;
    if (chm_set_has(chm_driver_domain(driver, seq), die)) {
        entries[count++] = (chm_stream_entry){chm_stream_descriptor, seq};
    }
    if (takes_part && operation->kind == chm_operation_wait) {
        entries[count++] = (chm_stream_entry){chm_stream_wait, seq};
    } else if (takes_part && !driver->queued[seq]) {
        entries[count++] = (chm_stream_entry){chm_stream_compute, seq};
    }
    return count;
}

static chm_status fill_streams(const chm_driver* driver, chm_workload* workload) {
    chm_die_stream* streams = chm_arena_alloc(driver->arena, driver->dies, sizeof *streams);
    if (streams == NULL) {
        return chm_no_memory;
    }
    for (uint32_t die = 0; die < driver->dies; ++die) {
        chm_stream_entry entries[2];
        uint32_t count = 0;
        for (uint32_t seq = 0; seq < driver->program->operation_count; ++seq) {
            count += entries_of(driver, seq, die, entries);
        }
        chm_stream_entry* list = chm_arena_alloc(driver->arena, count, sizeof *list);
        if (list == NULL) {
            return chm_no_memory;
        }
        streams[die] = (chm_die_stream){.entries = list, .count = count};
        for (uint32_t seq = 0; seq < driver->program->operation_count; ++seq) {
            uint32_t here = entries_of(driver, seq, die, entries);
            for (uint32_t i = 0; i < here; ++i) {
                *list++ = entries[i];
            }
            bool observes = here > 0 && entries[0].kind == chm_stream_descriptor &&
                            !chm_set_has(chm_driver_group(driver, seq), die);
            workload->observers += observes;
        }
    }
    workload->streams = streams;
    return chm_ok;
}

static chm_status fill_workload(chm_driver* driver, chm_workload* workload) {
    const chm_program* program = driver->program;
    uint32_t count = program->operation_count;
    *workload = (chm_workload){.tables = program->tables,
                               .operations = driver->operations,
                               .operation_count = count,
                               .facts = driver->facts,
                               .dies = driver->dies};
    workload->tables.readers = driver->readers;
    workload->tables.reader_count = driver->reader_count;
    workload->tables.available = driver->available;
    workload->tables.available_count = driver->available_count;
    bool* has_descriptor = chm_arena_alloc(driver->arena, count, sizeof *has_descriptor);
    chm_descriptor* descriptors = chm_arena_alloc(driver->arena, count, sizeof *descriptors);
    if (has_descriptor == NULL || descriptors == NULL) {
        return chm_no_memory;
    }
    for (uint32_t seq = 0; seq < count; ++seq) {
        has_descriptor[seq] =
            driver->queued[seq] || program->operations[seq].kind == chm_operation_wait;
        if (has_descriptor[seq]) {
            chm_descriptor_from_operation(&driver->operations[seq], &driver->facts[seq],
                                          &workload->tables, &descriptors[seq]);
        }
    }
    workload->has_descriptor = has_descriptor;
    workload->descriptors = descriptors;
    return fill_streams(driver, workload);
}

chm_status chm_drive(const chm_program* program, uint32_t dies, chm_arena* arena,
                     chm_workload* workload, chm_diagnostics* diagnostics) {
    chm_program own = *program;
    chm_operation* operations =
        chm_arena_copy(arena, program->operations, program->operation_count, sizeof *operations);
    if (operations == NULL) {
        return chm_no_memory;
    }
    own.operations = operations;
    chm_driver driver = {.program = &own,
                         .operations = operations,
                         .tables = &program->tables,
                         .arena = arena,
                         .diagnostics = diagnostics,
                         .dies = dies};
    typedef chm_status (*step)(chm_driver*);
    static const step steps[] = {chm_driver_check,  chm_driver_order, chm_driver_buffers,
                                 chm_driver_groups, chm_driver_lines, chm_driver_domains};
    chm_status status = allocate(&driver);
    for (size_t i = 0; status == chm_ok && i < sizeof steps / sizeof steps[0]; ++i) {
        status = steps[i](&driver);
    }
    if (status != chm_ok) {
        return status;
    }
    fill_facts(&driver);
    status = chm_driver_operands(&driver);
    if (status != chm_ok) {
        return status;
    }
    fill_ready(&driver);
    return fill_workload(&driver, workload);
}
