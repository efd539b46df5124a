// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "traces/graph.h"

// What graph.c (lines and fields) and graph_edges.c (dependencies) share. Not for users of graphs.

typedef struct chm_graph_after {
    uint64_t id;
    uint32_t column; // where it stands, for messages
} chm_graph_after;

// A line of the file.
typedef struct chm_graph_record {
    chm_graph_node node;
    uint64_t id;
    uint32_t line;
    size_t first_after; // into chm_graph_reader.after
    size_t after_count;
} chm_graph_record;

typedef struct chm_graph_reader {
    const char* path;
    uint32_t dies;
    chm_diagnostics* diagnostics;
    uint32_t faults;
    chm_arena scratch; // owns the arrays
    chm_graph_record* records;
    size_t record_count, record_capacity;
    chm_graph_after* after; // in file order
    size_t after_count, after_capacity;
} chm_graph_reader;

enum { chm_graph_most_faults = 100 };

// Adds a fault at a place in the file; those beyond chm_graph_most_faults are only counted.
void chm_graph_fault(chm_graph_reader* in, uint32_t line, uint32_t column, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

// Sorts the records and makes the graph of them; refuses duplicate ids, unknown ids and circles
// (by faults, not by status).
chm_status chm_graph_link(chm_graph_reader* in, chm_arena* arena, chm_graph* graph,
                          const uint64_t** ids);
