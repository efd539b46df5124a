// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/layout/layout.h"

// What a program asks of the machine, and the tables that descriptors refer to. `seq` is an
// operation's place in the common list, the same on every die. Every value is written once (one
// producer); values that share a buffer reuse its memory.

#ifdef __cplusplus
extern "C" {
#endif

#define CHM_NONE UINT32_MAX // no seq, value, layout, routing, ...

enum { chm_max_operands = 4 };

typedef enum chm_operation_kind {
    chm_operation_collective = 0,
    chm_operation_compute,
    chm_operation_wait // a host blocks until a value is there
} chm_operation_kind;

typedef enum chm_collective_kind {
    chm_reduce_scatter = 0,
    chm_all_gather,
    chm_all_reduce,
    chm_all_to_all,
    chm_point_to_point,
    chm_many_to_many
} chm_collective_kind;

typedef enum chm_operation_class {
    chm_class_opaque = 0,
    chm_class_transparent, // gating: reads, does not change
    chm_class_row_wise,
    chm_class_element_wise,
    chm_class_linear // join Add(A-R(u), A-G(z)) = A-G(Add(R-S_width(u), z))
} chm_operation_class;

const char* chm_collective_name(chm_collective_kind kind); // "A-R"
const char* chm_class_name(chm_operation_class op_class);  // "row_wise"

typedef struct chm_operand {
    uint32_t value;
    uint32_t layout; // the layout this read needs
} chm_operand;

typedef struct chm_operation {
    uint32_t seq;
    chm_operation_kind kind;
    chm_collective_kind collective; // kind collective
    chm_operation_class op_class;   // kind compute
    const char* name;
    chm_origin origin; // where the program says so
    uint32_t operand_count;
    chm_operand operands[chm_max_operands]; // the first is the value whose line continues
    uint32_t result;                        // value written; CHM_NONE for waits and pure readers
    uint32_t communicator;                  // collectives and waits; CHM_NONE for computes
    uint64_t cycles;          // compute: per die, for the rows of operand 0's layout as written
    uint32_t first_available; // compute: layouts whose meshes hold its other operands (weights):
    uint32_t available_count; // tables.available[first ..]; 0: everywhere
    uint32_t waiting_die;     // wait: the die whose host blocks; CHM_NONE: every die of the group
    bool ordered_sum;
} chm_operation;

typedef struct chm_value {
    const char* name;
    uint32_t tensor;   // tables.tensors
    uint32_t routing;  // tables.routings, CHM_NONE if never routed
    uint32_t layout;   // as produced, as written
    uint32_t buffer;   // values with the same buffer share memory
    uint32_t producer; // seq, CHM_NONE for inputs of the program
} chm_value;

// A reader of a value, as the driver writes it into the reader table.
typedef struct chm_reader {
    uint32_t value;
    uint32_t layout; // what it needs; CHM_NONE: unknown
    uint32_t seq;
    uint32_t distance; // most descriptors any die of the groups queues between producer and reader
} chm_reader;

typedef struct chm_communicator {
    const char* name;
    uint32_t layout;       // its dies are this layout's mesh (union of both groups for a hand-over:
    uint32_t other_layout; // second group, CHM_NONE)
    uint32_t window_depth;
} chm_communicator;

// Facts that the driver, which has the common list, writes into every descriptor: the same on every
// die (docs/contracts.md, decision rule).
typedef struct chm_facts {
    uint32_t next_seq;      // next operation on this value's line; CHM_NONE
    bool next_unknown;      // the driver cannot look ahead
    uint32_t next_distance; // most descriptors any die of the two groups queues from this to that
    uint32_t needed_by;     // lowest seq of a collective or marker that depends on this operation
                            // other than through its next: by another reader of its value, by
                            // overwriting what it or such a reader reads, by a compute queue
    uint32_t first_reader, reader_count; // tables.readers
    bool readers_unknown;
    bool ready_at_start; // its buffer's first use and no earlier run on its dies: needs no credit
} chm_facts;

typedef struct chm_tables {
    const chm_tensor* tensors;
    uint32_t tensor_count;
    const chm_layout* layouts;
    uint32_t layout_count;
    const chm_routing* routings;
    uint32_t routing_count;
    const chm_communicator* communicators;
    uint32_t communicator_count;
    const chm_value* values;
    uint32_t value_count;
    const chm_reader* readers;
    uint32_t reader_count;
    const uint32_t* available; // layout indices
    uint32_t available_count;
} chm_tables;

#ifdef __cplusplus
}
#endif
