// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/topology_layout.h"

#include <math.h>

static const double margin = 70;
static const double pitch = 110;    // of neighbours in a grid or circle
static const double die_pitch = 46; // of dies below a switch
static const double row_height = 160;
static const double title_height = 50;

static void place_grid(const chm_topology* topology, chm_topology_layout* layout) {
    const double plane = (topology->extent[0] - 1) * pitch + 1.4 * pitch;
    for (uint32_t d = 0; d < topology->dies; ++d) {
        uint32_t xyz[3];
        chm_topology_coordinates(topology, d, xyz);
        layout->dies[d] = (chm_point){margin + xyz[0] * pitch + xyz[2] * plane,
                                      margin + title_height + xyz[1] * pitch};
        layout->nodes[topology->die_node[d]] = layout->dies[d];
    }
    layout->width =
        2 * margin + (topology->extent[0] - 1) * pitch + (topology->extent[2] - 1) * plane;
    layout->height = 2 * margin + title_height + (topology->extent[1] - 1) * pitch;
}

static void place_circle(const chm_topology* topology, chm_topology_layout* layout) {
    const double turn = 6.283185307179586;
    const double radius = fmax(pitch, topology->nodes * pitch / turn);
    for (uint32_t n = 0; n < topology->nodes; ++n) {
        const double angle = turn * n / topology->nodes - turn / 4;
        layout->nodes[n] = (chm_point){margin + radius + radius * cos(angle),
                                       margin + title_height + radius + radius * sin(angle)};
    }
    for (uint32_t d = 0; d < topology->dies; ++d) {
        layout->dies[d] = layout->nodes[topology->die_node[d]];
    }
    layout->width = 2 * (margin + radius);
    layout->height = layout->width + title_height;
}

static void place_switches(const chm_topology* topology, chm_topology_layout* layout) {
    double x = margin;
    uint32_t above = 0;
    for (uint32_t n = 0; n < topology->nodes; ++n) {
        above += topology->node_die_count[n] == 0;
    }
    const double y = margin + title_height + (above > 0 ? row_height : 0);
    for (uint32_t n = 0; n < topology->nodes; ++n) {
        const uint32_t dies = topology->node_die_count[n];
        if (dies == 0) {
            continue;
        }
        const double span = fmax(dies * die_pitch, pitch);
        layout->nodes[n] = (chm_point){x + span / 2, y};
        for (uint32_t i = 0; i < dies; ++i) {
            layout->dies[topology->node_dies[topology->first_node_die[n] + i]] =
                (chm_point){x + (i + 0.5) * span / dies, y + row_height * 0.6};
        }
        x += span + pitch;
    }
    layout->width = fmax(x - pitch, margin + above * pitch) + margin;
    layout->height = y + row_height * 0.6 + margin;
    uint32_t placed = 0;
    for (uint32_t n = 0; n < topology->nodes; ++n) {
        if (topology->node_die_count[n] == 0) {
            layout->nodes[n] =
                (chm_point){layout->width * (placed++ + 0.5) / above, y - row_height};
        }
    }
}

chm_status chm_topology_place(const chm_topology* topology, chm_arena* arena,
                              chm_topology_layout* layout) {
    layout->nodes = chm_arena_alloc(arena, topology->nodes, sizeof *layout->nodes);
    layout->dies = chm_arena_alloc(arena, topology->dies, sizeof *layout->dies);
    if (layout->nodes == NULL || layout->dies == NULL) {
        return chm_no_memory;
    }
    bool one_die_each = topology->nodes == topology->dies;
    for (uint32_t n = 0; n < topology->nodes; ++n) {
        one_die_each = one_die_each && topology->node_die_count[n] == 1;
    }
    if (!one_die_each) {
        place_switches(topology, layout);
    } else if (topology->dimensions > 1) {
        place_grid(topology, layout);
    } else {
        place_circle(topology, layout);
    }
    return chm_ok;
}
