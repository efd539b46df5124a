// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/fusion/descriptor.h"

// What the machine executes: the common list with its facts, and what each die's host queues. The
// driver (traces/driver.h) makes it from a program; hw/ knows programs only in this form.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum chm_stream_kind {
    chm_stream_descriptor = 0, // queue the operation's descriptor on the engine
    chm_stream_compute,        // push the operation on the compute queue
    chm_stream_wait // the host blocks until the waited value is there (its fence is queued
                    // by an entry of its own before)
} chm_stream_kind;

typedef struct chm_stream_entry {
    chm_stream_kind kind;
    uint32_t seq;
} chm_stream_entry;

typedef struct chm_die_stream {
    const chm_stream_entry* entries;
    uint32_t count;
} chm_die_stream;

typedef struct chm_workload {
    chm_tables tables; // reader table filled
    const chm_operation* operations;
    uint32_t operation_count;
    const chm_facts* facts;            // [operation_count]
    const bool* has_descriptor;        // [operation_count] collectives, markers on a line, waits
    const chm_descriptor* descriptors; // [operation_count], where has_descriptor
    uint32_t dies;
    const chm_die_stream* streams; // [dies]; an idle die has none
    uint64_t observers;            // descriptors queued on dies that take no part in them
} chm_workload;

#ifdef __cplusplus
}
#endif
