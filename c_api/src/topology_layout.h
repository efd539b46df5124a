// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/arena.h"
#include "hw/golden/network/topology.h"

// Where the parts of a platform stand in a picture of it, in pixels.

typedef struct chm_point {
    double x, y;
} chm_point;

typedef struct chm_topology_layout {
    double width, height;
    chm_point* nodes; // [nodes] centres
    chm_point* dies;  // [dies] centres; a die alone on its node stands on it
} chm_topology_layout;

// Grids stand as they are, planes side by side; rings and the like in a circle; switches in a row
// with their dies below, and those without dies above. Points live in the arena.
chm_status chm_topology_place(const chm_topology* topology, chm_arena* arena,
                              chm_topology_layout* layout);
