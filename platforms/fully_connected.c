// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/network/route_table.h"
#include "platforms/wiring.h"

// A router per die and a link from each to each other. Every way is one link, so nothing can wait
// in a circle. Ports and routers cost what they cost in a grid.

chm_status chm_build_fully_connected(chm_topology* topology, uint32_t dies,
                                     const chm_fabric_params* fabric, chm_arena* arena) {
    if (dies < 1 || dies > 256) {
        return chm_bad_argument;
    }
    *topology = (chm_topology){.name = chm_arena_format(arena, "fully_connected_%u", dies),
                               .vc_classes = 1};
    if (topology->name == NULL) {
        return chm_no_memory;
    }
    chm_builder_set_fabric(topology, fabric);
    chm_builder_set_grid_costs(topology);
    chm_wiring wiring;
    chm_wiring_init(&wiring, arena);
    for (uint32_t d = 0; d < dies; ++d) {
        uint32_t node = chm_wiring_node(&wiring, chm_arena_format(arena, "router_%u", d));
        chm_wiring_die(&wiring, node, chm_arena_format(arena, "die_%u", d));
    }
    for (uint32_t from = 0; from < dies; ++from) {
        for (uint32_t to = 0; to < dies; ++to) {
            chm_wiring_links(&wiring, from, to, from != to, chm_usual_speed(fabric));
        }
    }
    chm_route_table* table;
    chm_status status = chm_wiring_finish(&wiring, topology);
    if (status == chm_ok) {
        status = chm_route_table_new(topology, arena, &table);
    }
    return status == chm_ok ? chm_route_table_shortest(topology, table, arena) : status;
}
