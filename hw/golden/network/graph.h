// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// A message graph: sends and computes with dependencies, as plain data. traces/graph reads it from
// CSV, hw/fabric/replay executes it.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum chm_graph_kind {
    chm_graph_send = 0, // `bytes` from die to destination
    chm_graph_compute   // `cycles` on die; occupies nothing
} chm_graph_kind;

typedef struct chm_graph_node {
    chm_graph_kind kind;
    uint32_t die;
    uint32_t destination; // send only
    uint64_t bytes;       // send only; 0 travels as one header
    uint64_t cycles;      // compute only
} chm_graph_node;

// Nodes stand in ascending order of the file's ids; a node's id from here on is its index. What
// node i waits for is after[first_after[i] .. first_after[i + 1]); a node may wait for any other,
// on any die, but not in a cycle.
typedef struct chm_graph {
    const chm_graph_node* nodes; // [node_count]
    uint32_t node_count;
    const uint64_t* first_after; // [node_count + 1]
    const uint32_t* after;       // [first_after[node_count]] node indices
    const uint64_t* ids;         // [node_count] as in the file; null: the indices
} chm_graph;

#ifdef __cplusplus
}
#endif
