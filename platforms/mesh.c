// SPDX-License-Identifier: Apache-2.0
#include "platforms/builder.h"

// A mesh: dimension order, x first. One virtual channel class is enough: a packet never turns from
// a later dimension to an earlier one, and within a dimension it keeps its direction, so channels
// can be ranked along every path.

static chm_hop route(const chm_topology* topology, uint32_t node, const chm_route_key* key) {
    const chm_grid* grid = topology->route_context;
    const uint8_t* here = &grid->place[node * 4];
    const uint8_t* there = &grid->place[key->destination * 4];
    for (uint32_t d = 0; d < grid->dimensions; ++d) {
        if (here[d] != there[d]) {
            return (chm_hop){grid->port[node * 6 + 2 * d + (there[d] < here[d])], 0};
        }
    }
    return (chm_hop){chm_die_ejection_port(topology, key->destination), 0};
}

chm_status chm_build_mesh(chm_topology* topology, const uint32_t extent[3], uint32_t dimensions,
                          const chm_fabric_params* fabric, chm_arena* arena) {
    chm_status status = chm_build_grid(topology, extent, dimensions, false, fabric, arena);
    topology->route = route;
    topology->routes_by_destination = true;
    topology->vc_classes = 1;
    return status;
}
