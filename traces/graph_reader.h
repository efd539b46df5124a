// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "traces/graph.h"

// What graph.c (lines and fields) and graph_edges.c (dependencies) share. Not for users of graphs.

// A dependency on an id that was not known yet when its line was read.
typedef struct chm_graph_pending {
    uint64_t id;
    uint64_t slot; // in `after`
    uint32_t node;
    uint32_t column; // where it stands, for messages
} chm_graph_pending;

// An id in the `after` of the line being read.
typedef struct chm_graph_named {
    uint64_t id;
    uint32_t column;
} chm_graph_named;

// Arrays grow with malloc, so that what is outgrown is given back while a large file is read. They
// are in the order of the file until chm_graph_link.
typedef struct chm_graph_reader {
    const char* path;
    uint32_t dies;
    chm_diagnostics* diagnostics;
    uint32_t faults;

    chm_graph_node* nodes;
    uint64_t* ids;
    uint64_t* first_after; // [count + 1]
    uint32_t* lines;       // where nodes stand
    size_t count, capacity;
    uint32_t* after; // node indices
    size_t after_count, after_capacity;
    chm_graph_pending* pending;
    size_t pending_count, pending_capacity;
    chm_graph_named* named;
    size_t named_capacity;
    bool ascending; // ids, so far
} chm_graph_reader;

enum { chm_graph_most_faults = 100 };

// Adds a fault at a place in the file; those beyond chm_graph_most_faults are only counted.
void chm_graph_fault(chm_graph_reader* in, uint32_t line, uint32_t column, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

// Item `count` of those that the line being read names.
chm_status chm_graph_name(chm_graph_reader* in, size_t count, chm_graph_named item);
// Keeps the first `count` of them for the node that is added next; refuses those named twice.
chm_status chm_graph_add_after(chm_graph_reader* in, uint32_t line, size_t count);
chm_status chm_graph_add_node(chm_graph_reader* in, uint32_t line, uint64_t id,
                              const chm_graph_node* node);
void chm_graph_reader_free(chm_graph_reader* in);

// The index of an id among ascending ones, UINT32_MAX if there is none.
uint32_t chm_graph_find(const chm_graph_reader* in, uint64_t id);

// Brings the nodes into the order of their ids and makes the graph of them; refuses duplicate ids,
// unknown ids and circles (by faults, not by status).
chm_status chm_graph_link(chm_graph_reader* in, chm_arena* arena, chm_graph* graph);
