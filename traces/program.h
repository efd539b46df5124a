// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/arena.h"
#include "hw/golden/operation.h"
#include "hw/golden/topology.h"

// A program: one common list of operations over tensors and groups, placed on a topology.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_program {
    const char* name;
    uint64_t message_bytes; // M: one group's full tensor
    chm_arena arena;        // owns everything below
    chm_tables tables;      // readers are filled by the driver
    const chm_operation* operations;
    uint32_t operation_count;
    bool lookahead; // false: a driver that does not know next_seq and readers
} chm_program;

typedef struct chm_program_options {
    uint64_t message_bytes; // 0: the file's own, else 1 MiB
    uint64_t window_depth;  // what communicators ask for unless the file says
    double skew;            // of the routing, 0: balanced
    uint64_t seed;
} chm_program_options;

// Reads a program file and places its abstract groups on the topology. Every fault is reported with
// file:line:column, key, value and what is allowed. *program is set only on chm_ok; free it.
chm_status chm_program_read(const char* path, const chm_topology* topology,
                            const chm_program_options* options, chm_program** program,
                            chm_diagnostics* diagnostics);

// The same from memory.
chm_status chm_program_read_text(const char* name, const char* text, size_t length,
                                 const chm_topology* topology, const chm_program_options* options,
                                 chm_program** program, chm_diagnostics* diagnostics);

// Checks without a topology (chimera validate): syntax, keys, types, names.
chm_status chm_program_validate(const char* path, chm_diagnostics* diagnostics);

void chm_program_free(chm_program* program);

#ifdef __cplusplus
}
#endif
