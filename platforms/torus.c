// SPDX-License-Identifier: Apache-2.0
#include "platforms/builder.h"

// A torus: minimal, dimension order, x first. Where both ways round are equally long (distance
// exactly half; in a ring of two, always), bit d of the packet's random key chooses in dimension d.
//
// Two virtual channel classes break each ring. A packet's class is fixed when it enters a ring:
// going up, class 1 if its way in that ring passes the wrap link, else 0; going down, class 1 if it
// does not. No cycle is left: the class that avoids the wrap link is a line; ways of the other
// class start in the upper half and end in the lower one, so that none of them uses the link in the
// middle. Order of dimensions and of direction does the rest, as in the mesh.

// The way of a packet in one ring, from its source's and destination's coordinates only: by the
// order of dimensions it enters the ring at its source's coordinate, and so each router on the way
// computes the same.
typedef struct ring_way {
    bool down;
    uint32_t vc_class;
} ring_way;

static ring_way way_round(uint32_t from, uint32_t to, uint32_t extent, bool choice) {
    uint32_t up = to >= from ? to - from : to + extent - from;
    uint32_t down = extent - up;
    bool goes_down = up == down ? choice : down < up;
    bool passes_wrap = goes_down ? to > from : to < from;
    return (ring_way){goes_down, goes_down ? !passes_wrap : passes_wrap};
}

static chm_hop route(const chm_topology* topology, uint32_t node, const chm_route_key* key) {
    const chm_grid* grid = topology->route_context;
    const uint8_t* here = &grid->place[node * 4];
    const uint8_t* from = &grid->place[key->source * 4];
    const uint8_t* there = &grid->place[key->destination * 4];
    for (uint32_t d = 0; d < grid->dimensions; ++d) {
        if (here[d] != there[d]) {
            ring_way way = way_round(from[d], there[d], grid->extent[d], key->random >> d & 1);
            return (chm_hop){grid->port[node * 6 + 2 * d + way.down], way.vc_class};
        }
    }
    // Ejection never blocks, so its class cannot close a cycle: class 0 will do.
    return (chm_hop){chm_die_ejection_port(topology, key->destination), 0};
}

chm_status chm_build_torus(chm_topology* topology, const uint32_t extent[3], uint32_t dimensions,
                           const chm_fabric_params* fabric, chm_arena* arena) {
    chm_status status = chm_build_grid(topology, extent, dimensions, true, fabric, arena);
    topology->route = route;
    topology->vc_classes = 2;
    topology->random_bits = dimensions;
    return status;
}
