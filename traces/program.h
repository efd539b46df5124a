// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/arena.h"
#include "hw/golden/fusion/operation.h"
#include "hw/golden/network/topology.h"

// A program: one common list of operations over tensors and groups, placed on a topology.

#ifdef __cplusplus
extern "C" {
#endif

// What the driver of this program knows when it queues a descriptor.
typedef enum chm_lookahead {
    chm_lookahead_none = 0, // neither what comes next nor who reads: nothing can be fused
    chm_lookahead_readers,  // who reads, but not which of them continues the line
    chm_lookahead_full
} chm_lookahead;

typedef struct chm_program {
    const char* name;
    uint64_t message_bytes; // M: one group's full tensor
    double skew;            // as in the options it was read with
    const char* source;     // how the caller names it, set by him; may be null
    chm_arena arena;        // owns everything
    chm_tables tables;      // readers are filled by the driver
    const chm_operation* operations;
    uint32_t operation_count;
    chm_lookahead lookahead;
} chm_program;

typedef struct chm_program_options {
    uint64_t message_bytes; // 0: the file's own, else 1 MiB
    uint64_t window_depth;  // what communicators ask for unless the file says; 0: 8. 1 stands for
                            // all of them, whatever the file says: the engine is off
    double skew;            // of the routing, 0: the file's own, else balanced
    uint64_t seed;
    uint64_t array_rows, array_columns; // of the systolic arrays, for `gemm`; 0: 256
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
