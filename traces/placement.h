// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/layout/layout.h"
#include "hw/golden/network/topology.h"

// Placement: the dies of an abstract group ("block of 2x2", "next block", "all") on a topology, and
// the die mesh that its named dimensions make of them. docs/programs.md has the table of defaults.

#ifdef __cplusplus
extern "C" {
#endif

enum { chm_max_dimension_name = 31 };

// A rectangle of dies, the index-th of its shape.
typedef struct chm_block {
    bool all;         // every die of the topology; the rest is unused
    uint32_t columns; // dies along x, >= 1
    uint32_t rows;    // dies along y, >= 1
    uint32_t index;   // 0: the first block of this shape
} chm_block;

// How one named dimension of a die mesh runs over a block.
typedef struct chm_dimension {
    const char* name;
    int axis;        // 0, 1, 2: along x, y, z; -1: `extent` dies, row-major over ascending ids
    uint32_t extent; // axis -1 only; 0: all that are there (a mesh of one dimension)
} chm_dimension;

// Reads "all", "block of 2x2", "block 3 of 2x2" (the third block is index 3, counted from 0) or
// "next block" (one after *previous, which may be null). False if the text is none of these.
bool chm_block_parse(const char* text, const chm_block* previous, chm_block* block);

// Fills *mesh with the dies of the block. `topology` may be null (a program is checked without a
// platform): any block then fits. Blocks run along x, then y; on a 3-dimensional platform from
// plane to plane first; on a tree they are consecutive die ids. A block that does not fit, or
// dimensions that do not make up the block, add one message with the arithmetic at `origin`.
chm_status chm_place_block(const chm_block* block, const chm_dimension* dimensions,
                           uint32_t dimension_count, const chm_topology* topology, chm_arena* arena,
                           chm_die_mesh* mesh, const chm_origin* origin,
                           chm_diagnostics* diagnostics);

// The same for dies that the program lists, in rank order.
chm_status chm_place_listed(const uint32_t* dies, uint32_t count, const chm_dimension* dimensions,
                            uint32_t dimension_count, const chm_topology* topology,
                            chm_arena* arena, chm_die_mesh* mesh, const chm_origin* origin,
                            chm_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
