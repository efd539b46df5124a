// SPDX-License-Identifier: Apache-2.0
#include "platforms/builder.h"

// Nodes, links, names and cuts that mesh and torus share; they differ in the wrap links and in
// routing.

enum {
    every_interval_extent = 16 // tori above this get only cuts of about half their length
};

static const char* const line_names[3] = {"columns", "rows", "planes"};

static chm_status add_places(const chm_topology* topology, chm_grid* grid, chm_arena* arena) {
    grid->place = chm_arena_alloc(arena, (size_t)topology->nodes * 4, sizeof *grid->place);
    if (grid->place == NULL) {
        return chm_no_memory;
    }
    for (uint32_t node = 0; node < topology->nodes; ++node) {
        uint32_t xyz[3];
        chm_topology_coordinates(topology, node, xyz); // a node is a die
        for (uint32_t d = 0; d < 3; ++d) {
            grid->place[node * 4 + d] = (uint8_t)xyz[d]; // extents are at most 256
        }
    }
    return chm_ok;
}

static void coordinates(const chm_topology* topology, uint32_t node, uint32_t xyz[3]) {
    chm_topology_coordinates(topology, node, xyz); // a node is a die
}

// Whether a node has a link in a direction, and where it leads.
static bool neighbour(const chm_topology* topology, uint32_t node, uint32_t dimension, bool down,
                      uint32_t* to) {
    uint32_t xyz[3];
    coordinates(topology, node, xyz);
    uint32_t extent = topology->extent[dimension];
    bool at_end = down ? xyz[dimension] == 0 : xyz[dimension] == extent - 1;
    if (extent == 1 || (at_end && !topology->wraps)) {
        return false;
    }
    xyz[dimension] = at_end ? (down ? extent - 1 : 0) : xyz[dimension] + (down ? -1u : 1u);
    *to = xyz[0] + topology->extent[0] * (xyz[1] + topology->extent[1] * xyz[2]);
    return true;
}

static uint32_t count_links(const chm_topology* topology) {
    uint32_t count = 0;
    for (uint32_t d = 0; d < topology->dimensions; ++d) {
        uint32_t extent = topology->extent[d];
        uint32_t lines = topology->dies / extent;
        uint32_t pairs = extent == 1 ? 0 : (topology->wraps ? extent : extent - 1);
        count += 2 * pairs * lines;
    }
    return count;
}

static chm_status add_links(chm_topology* topology, chm_grid* grid, const chm_fabric_params* fabric,
                            chm_arena* arena) {
    topology->link_count = count_links(topology);
    chm_link* links = chm_arena_alloc(arena, topology->link_count, sizeof *links);
    if (links == NULL) {
        return chm_no_memory;
    }
    uint32_t count = 0;
    for (uint32_t node = 0; node < topology->nodes; ++node) {
        uint32_t port = 0;
        for (uint32_t way = 0; way < 2 * topology->dimensions; ++way) {
            uint32_t to;
            if (neighbour(topology, node, way / 2, way % 2 == 1, &to)) {
                links[count++] =
                    (chm_link){.from_node = node,
                               .to_node = to,
                               .latency_cycles = (uint32_t)fabric->link_latency_cycles,
                               .cycles_per_flit = (uint32_t)fabric->link_cycles_per_flit};
                grid->port[node * 6 + way] = port++;
            }
        }
    }
    return chm_topology_index(topology, links, arena);
}

// "die_3_2": as many coordinates as the grid has dimensions.
static const char* place_name(const chm_topology* topology, const char* what, uint32_t node,
                              chm_arena* arena) {
    uint32_t xyz[3];
    coordinates(topology, node, xyz);
    if (topology->dimensions == 3) {
        return chm_arena_format(arena, "%s_%u_%u_%u", what, xyz[0], xyz[1], xyz[2]);
    }
    return topology->dimensions == 2 ? chm_arena_format(arena, "%s_%u_%u", what, xyz[0], xyz[1])
                                     : chm_arena_format(arena, "%s_%u", what, xyz[0]);
}

static chm_status add_names(chm_topology* topology, chm_arena* arena) {
    const char** dies = chm_arena_alloc(arena, topology->dies, sizeof *dies);
    const char** routers = chm_arena_alloc(arena, topology->nodes, sizeof *routers);
    if (dies == NULL || routers == NULL) {
        return chm_no_memory;
    }
    for (uint32_t d = 0; d < topology->dies; ++d) {
        dies[d] = place_name(topology, "die", d, arena);
        routers[d] = place_name(topology, "router", d, arena);
        if (dies[d] == NULL || routers[d] == NULL) {
            return chm_no_memory;
        }
    }
    topology->die_names = dies;
    topology->node_names = routers;
    const char* kind = topology->wraps ? "torus" : "mesh";
    const uint32_t* e = topology->extent;
    if (topology->dimensions == 3) {
        topology->name = chm_arena_format(arena, "%s_%ux%ux%u", kind, e[0], e[1], e[2]);
    } else if (topology->dimensions == 2) {
        topology->name = chm_arena_format(arena, "%s_%ux%u", kind, e[0], e[1]);
    } else {
        topology->name = chm_arena_format(arena, "%s_%u", topology->wraps ? "ring" : "line", e[0]);
    }
    return topology->name != NULL ? chm_ok : chm_no_memory;
}

// A cut counts both directions, so of an interval and its complement one is kept: the one without
// the last coordinate. On a mesh, intervals that start at 0 are enough: another interval's boundary
// is two of theirs.
static bool wanted_interval(const chm_topology* topology, uint32_t dimension, uint32_t begin,
                            uint32_t end) {
    uint32_t extent = topology->extent[dimension];
    if (!topology->wraps) {
        return begin == 0;
    }
    uint32_t length = end - begin + 1;
    return extent <= every_interval_extent || length == extent / 2 || length == extent - extent / 2;
}

static chm_status add_cuts(chm_topology* topology, chm_arena* arena) {
    chm_cut_list list = {.arena = arena};
    for (uint32_t d = 0; d < topology->dimensions; ++d) {
        const char* what = topology->dimensions == 1 ? "dies" : line_names[d];
        for (uint32_t begin = 0; begin + 1 < topology->extent[d]; ++begin) {
            for (uint32_t end = begin; end + 1 < topology->extent[d]; ++end) {
                if (!wanted_interval(topology, d, begin, end)) {
                    continue;
                }
                uint8_t* inside = chm_builder_add_cut(
                    &list, chm_arena_format(arena, "%s %u..%u", what, begin, end), topology->nodes);
                if (inside == NULL) {
                    return chm_no_memory;
                }
                for (uint32_t n = 0; n < topology->nodes; ++n) {
                    uint32_t xyz[3];
                    coordinates(topology, n, xyz);
                    inside[n] = begin <= xyz[d] && xyz[d] <= end;
                }
            }
        }
    }
    topology->cuts = list.cuts;
    topology->cut_count = (uint32_t)list.count;
    return chm_ok;
}

static chm_status set_shape(chm_topology* topology, const uint32_t extent[3], uint32_t dimensions,
                            chm_grid* grid) {
    uint64_t nodes = 1;
    for (uint32_t d = 0; d < 3; ++d) {
        uint32_t size = d < dimensions ? extent[d] : 1;
        if (size < 1 || size > 256) {
            return chm_bad_argument;
        }
        topology->extent[d] = size;
        grid->extent[d] = size;
        nodes *= size;
    }
    if (dimensions < 1 || dimensions > 3) {
        return chm_bad_argument;
    }
    topology->dimensions = dimensions;
    grid->dimensions = dimensions;
    topology->dies = (uint32_t)nodes;
    topology->nodes = (uint32_t)nodes;
    return chm_ok;
}

chm_status chm_build_grid(chm_topology* topology, const uint32_t extent[3], uint32_t dimensions,
                          bool wraps, const chm_fabric_params* fabric, chm_arena* arena) {
    *topology = (chm_topology){.wraps = wraps};
    chm_builder_set_grid_costs(topology);
    chm_builder_set_fabric(topology, fabric);
    chm_grid* grid = chm_arena_alloc(arena, 1, sizeof *grid);
    if (grid == NULL) {
        return chm_no_memory;
    }
    chm_status status = set_shape(topology, extent, dimensions, grid);
    if (status != chm_ok) {
        return status;
    }
    topology->route_context = grid;
    grid->port = chm_arena_alloc(arena, (size_t)topology->nodes * 6, sizeof *grid->port);
    uint32_t* die_node = chm_arena_alloc(arena, topology->dies, sizeof *die_node);
    if (grid->port == NULL || die_node == NULL) {
        return chm_no_memory;
    }
    for (uint32_t d = 0; d < topology->dies; ++d) {
        die_node[d] = d;
    }
    topology->die_node = die_node;
    status = add_links(topology, grid, fabric, arena);
    if (status == chm_ok) {
        status = add_places(topology, grid, arena);
    }
    if (status == chm_ok) {
        status = add_names(topology, arena);
    }
    return status == chm_ok ? add_cuts(topology, arena) : status;
}
