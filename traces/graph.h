// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/arena.h"
#include "hw/base/diagnostics.h"
#include "hw/golden/network/graph.h"

// Graphs of messages and computes, as `chimera replay` reads them: a CSV file with the header
//
//     id,kind,die,destination,bytes,cycles,after
//
// where kind is send (die, destination, bytes) or compute (die, cycles), the fields of the other
// kind are empty, and after separates ids by spaces.
//
// Meaning: a send is issued by `die` one cycle after the last of `after` has arrived or ended, at
// cycle 0 if there is none; sends that are ready together leave in id order through the die's
// injection port. A compute occupies nothing, starts one cycle after its last dependency and lasts
// `cycles`; what depends on it starts one cycle after its end. The result is the cycle of the last
// arrival or compute start, plus 1.

//
// Packets that choose between ways at random hash (seed, number of the packet). A node's packets
// are numbered from id * 2^32 if the id is below that, else from the low half of the id: recorded
// files use this to make parts of one message nodes of their own.

#define CHM_GRAPH_HEADER "id,kind,die,destination,bytes,cycles,after"

#ifdef __cplusplus
extern "C" {
#endif

// Limits of a field, so that sums over a graph fit 64 bits.
#define CHM_GRAPH_MAX_BYTES (UINT64_C(1) << 40)
#define CHM_GRAPH_MAX_CYCLES (UINT64_C(1) << 40)

// Reads a graph for a platform of `dies` dies, line by line; the result, without circles and each
// node's after list ascending, lives in the arena. *ids gets the id that each node has in the file,
// if ids is not null. Faults come with file:line:column, at most 100 of them: a wrong header;
// fields missing, in excess, or not allowed for the kind; numbers that are none or out of range;
// dies the platform does not have; an id twice; dependencies that are unknown, named twice or in a
// circle. chm_io if the file cannot be read, chm_bad_input for faults in it.
chm_status chm_graph_read(const char* path, uint32_t dies, chm_arena* arena, chm_graph* graph,
                          const uint64_t** ids, chm_diagnostics* diagnostics);

// A graph file that is to be written: beside `path`, which gets its place when all is written.
typedef struct chm_graph_file chm_graph_file;

// chm_io, with the reason, if the file cannot be written.
chm_status chm_graph_file_create(chm_graph_file** file, const char* path,
                                 chm_diagnostics* diagnostics);
// Writes the graph, in the order of its nodes, and frees the file in any case.
chm_status chm_graph_file_commit(chm_graph_file* file, const chm_graph* graph,
                                 chm_diagnostics* diagnostics);
// Leaves nothing behind; null is allowed.
void chm_graph_file_discard(chm_graph_file* file);

#ifdef __cplusplus
}
#endif
