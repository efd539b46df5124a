// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/platform.h"

// What the builders share. Not for users of platforms.

// Copies packet, channel and clock costs. Latencies and classes are the builder's.
void chm_builder_set_fabric(chm_topology* topology, const chm_fabric_params* fabric);

// Latencies of ports and routers as the paper measures them on mesh and torus.
void chm_builder_set_grid_costs(chm_topology* topology);

// Growing the list of cuts.
typedef struct chm_cut_list {
    chm_arena* arena;
    chm_cut* cuts;
    size_t count, capacity;
} chm_cut_list;

// Adds a cut with room for `nodes` flags, all outside; null when memory runs out. `name` lives in
// the arena (null is taken as memory that ran out).
uint8_t* chm_builder_add_cut(chm_cut_list* list, const char* name, uint32_t nodes);

// The rectangular grids. A node is a router with one die. Out-ports of a node are up x, down x,
// up y, down y, up z, down z, those that exist.
typedef struct chm_grid {
    uint32_t extent[3];
    uint32_t dimensions;
    uint32_t* port; // [nodes][6]: output port of 2 * dimension + (down ? 1 : 0)
    uint8_t* place; // [nodes][4]: x, y, z; routing divides nothing
} chm_grid;

chm_status chm_build_grid(chm_topology* topology, const uint32_t extent[3], uint32_t dimensions,
                          bool wraps, const chm_fabric_params* fabric, chm_arena* arena);
