// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "traces/driver.h"

// Private to traces/: what the driver works out, step by step. Arrays live in the caller's arena.
// Sets of dies are bit sets of `words` 64-bit words.

typedef struct chm_driver {
    const chm_program* program; // its operations are the driver's own
    const chm_tables* tables;   // of the program
    chm_arena* arena;
    chm_diagnostics* diagnostics;
    uint32_t dies;
    uint32_t words;

    chm_reader* readers;    // by value, then by seq
    uint32_t reader_count;  // operands of all operations
    uint32_t* first_reader; // [values + 1] into readers
    uint32_t* overwriter;   // [values] seq that writes over the value's buffer, CHM_NONE
    bool* first_use;        // [values] nothing was in the buffer before

    bool* queued;       // [operations] collectives and markers
    uint32_t* next;     // [operations] of queued ones: next on the value's line, CHM_NONE
    uint32_t* previous; // [operations] the other way
    uint64_t* groups;   // [operations][words] dies that take part; of a wait: that block
    uint64_t* domains;  // [operations][words] dies that queue its descriptor
    chm_facts* facts;   // [operations]

    chm_operation* operations; // of `program`, with operands as they are needed
    uint32_t* available;       // the program's, and places of operations with several operands
    uint32_t available_count;
    bool* idle; // [operations] gatherings whose reader needs no more than what they start from

    uint32_t** queue;      // [dies] seqs of the descriptors a die queues, ascending
    uint32_t* queue_count; // [dies]
} chm_driver;

static inline uint64_t* chm_driver_group(const chm_driver* driver, uint32_t seq) {
    return driver->groups + (size_t)seq * driver->words;
}

static inline uint64_t* chm_driver_domain(const chm_driver* driver, uint32_t seq) {
    return driver->domains + (size_t)seq * driver->words;
}

static inline bool chm_set_has(const uint64_t* set, uint32_t die) {
    return (set[die / 64] >> (die % 64) & 1) != 0;
}

bool chm_sets_meet(const uint64_t* a, const uint64_t* b, uint32_t words);
void chm_set_add(uint64_t* set, const uint64_t* other, uint32_t words);

// driver_check.c: operands, layouts, communicators, routing; and driver_type.c: what each
// collective may turn into what. Every fault is reported; chm_bad_input if there was one.
chm_status chm_driver_check(chm_driver* driver);

// Null if the collective may turn `from` into `to`, else why not.
const char* chm_collective_fault(chm_collective_kind kind, const chm_layout* from,
                                 const chm_layout* to);

// driver_buffers.c: readers by value, who overwrites what; refuses reads after the overwriting
// write.
chm_status chm_driver_buffers(chm_driver* driver);

// driver_line.c: which operations are queued, next and previous on each line, needed_by.
chm_status chm_driver_lines(chm_driver* driver);

// driver_domain.c: groups, domains, fences, distances.
chm_status chm_driver_groups(chm_driver* driver);
chm_status chm_driver_domains(chm_driver* driver);

// Most descriptors with first < seq <= last that a die of the two sets queues.
uint32_t chm_driver_distance(const chm_driver* driver, const uint64_t* a, const uint64_t* b,
                             uint32_t first, uint32_t last);

// Lists for each die the operations whose set (groups or domains) has it.
chm_status chm_driver_list_queues(chm_driver* driver, const uint64_t* sets, bool with_waits);

// driver_operands.c. First the order of operands; and, when distances of readers are there, in
// which layouts movable operations need their other operands.
chm_status chm_driver_order(chm_driver* driver);
chm_status chm_driver_operands(chm_driver* driver);
// An output row of a movable operation needs the same row of each operand of its shape: true if
// some of them are routed copies, of which a die has not the rows of the others.
bool chm_driver_mixes_copies(const chm_driver* driver, const chm_operation* operation);
