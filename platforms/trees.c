// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/network/route_table.h"
#include "platforms/wiring.h"

// Platforms of switches, whose dies hang on them by links of the same length as all others: these
// are their injection and ejection latency. A packet goes up at most once, then down at most once,
// so no cycle of channels exists. Parallel links are chosen by destination.

enum { switch_cycles = 4 }; // paper: 204 = 100 + 4 + 100 on one switch, + 104 for one more

static void set_costs(chm_topology* topology, const chm_fabric_params* fabric) {
    *topology = (chm_topology){.router_cycles = switch_cycles,
                               .injection_latency_cycles = (uint32_t)fabric->link_latency_cycles,
                               .ejection_latency_cycles = (uint32_t)fabric->link_latency_cycles,
                               .vc_classes = 1};
    chm_builder_set_fabric(topology, fabric);
}

// Switches with the same number of dies each; die id = place on the switch + places * switch.
static void add_switches(chm_wiring* wiring, const char* name, uint32_t switches, uint32_t dies) {
    for (uint32_t s = 0; s < switches; ++s) {
        uint32_t node = chm_wiring_node(wiring, chm_arena_format(wiring->arena, "%s_%u", name, s));
        for (uint32_t d = 0; d < dies; ++d) {
            chm_wiring_die(wiring, node, chm_arena_format(wiring->arena, "die_%u_%u", d, s));
        }
    }
}

static chm_status finish(chm_wiring* wiring, chm_topology* topology, const char* name,
                         uint32_t dies_per_switch) {
    topology->name = name;
    chm_route_table* table;
    chm_status status = name != NULL ? chm_wiring_finish(wiring, topology) : chm_no_memory;
    if (status != chm_ok) {
        return status;
    }
    topology->dimensions = 2;
    topology->extent[0] = dies_per_switch;
    topology->extent[1] = topology->dies / dies_per_switch;
    status = chm_route_table_new(topology, wiring->arena, &table);
    return status == chm_ok ? chm_route_table_shortest(topology, table, wiring->arena) : status;
}

// Each switch has one link up per die; link u leads to spine (u mod spines).
static void add_spine(chm_wiring* wiring, uint32_t switches, uint32_t dies_per_switch,
                      uint32_t spines, chm_link_speed speed) {
    for (uint32_t s = 0; s < spines; ++s) {
        chm_wiring_node(wiring, chm_arena_format(wiring->arena, "spine_%u", s));
    }
    for (uint32_t leaf = 0; leaf < switches; ++leaf) {
        for (uint32_t up = 0; up < dies_per_switch; ++up) {
            uint32_t spine = switches + up % spines;
            chm_wiring_links(wiring, leaf, spine, 1, speed);
            chm_wiring_links(wiring, spine, leaf, 1, speed);
        }
    }
}

chm_status chm_build_fat_tree(chm_topology* topology, uint32_t switches, uint32_t dies_per_switch,
                              uint32_t spines, const chm_fabric_params* fabric, chm_arena* arena) {
    spines = spines != 0 ? spines : dies_per_switch;
    if (switches < 1 || dies_per_switch < 1 || (uint64_t)switches * dies_per_switch > 65536 ||
        (switches > 2 && dies_per_switch % spines != 0)) {
        return chm_bad_argument;
    }
    set_costs(topology, fabric);
    chm_wiring wiring;
    chm_wiring_init(&wiring, arena);
    add_switches(&wiring, "switch", switches, dies_per_switch);
    if (switches == 2) {
        chm_wiring_links(&wiring, 0, 1, dies_per_switch, chm_usual_speed(fabric));
        chm_wiring_links(&wiring, 1, 0, dies_per_switch, chm_usual_speed(fabric));
    } else if (switches > 2) {
        add_spine(&wiring, switches, dies_per_switch, spines, chm_usual_speed(fabric));
    }
    return finish(&wiring, topology,
                  chm_arena_format(arena, "fat_tree_%ux%u", switches, dies_per_switch),
                  dies_per_switch);
}

chm_status chm_build_switch(chm_topology* topology, uint32_t dies, const chm_fabric_params* fabric,
                            chm_arena* arena) {
    chm_status status = chm_build_fat_tree(topology, 1, dies, 0, fabric, arena);
    if (status == chm_ok) {
        topology->name = chm_arena_format(arena, "switch_%u", dies);
    }
    return topology->name != NULL ? status : chm_no_memory;
}

// Devices behind host bridges that are joined among themselves by few links, as in a server of
// several sockets: all that crosses shares these.
chm_status chm_build_pcie_box(chm_topology* topology, uint32_t host_bridges,
                              uint32_t devices_per_bridge, uint32_t bridge_links,
                              const chm_fabric_params* fabric, chm_arena* arena) {
    if (host_bridges < 1 || devices_per_bridge < 1 || bridge_links < 1 ||
        (uint64_t)host_bridges * devices_per_bridge > 65536) {
        return chm_bad_argument;
    }
    set_costs(topology, fabric);
    chm_wiring wiring;
    chm_wiring_init(&wiring, arena);
    add_switches(&wiring, "bridge", host_bridges, devices_per_bridge);
    for (uint32_t from = 0; from < host_bridges; ++from) {
        for (uint32_t to = 0; to < host_bridges; ++to) {
            chm_wiring_links(&wiring, from, to, from != to ? bridge_links : 0,
                             chm_usual_speed(fabric));
        }
    }
    return finish(&wiring, topology,
                  chm_arena_format(arena, "pcie_box_%ux%u", host_bridges, devices_per_bridge),
                  devices_per_bridge);
}
