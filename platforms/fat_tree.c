// SPDX-License-Identifier: Apache-2.0
#include "platforms/builder.h"

// Two switches joined by one link per die of a switch, the link chosen by destination; or a single
// switch. Dies hang on their switch by links of the same length, which are its injection and
// ejection latency. No cycle of channels exists: a packet takes at most one link.

enum {
    router_cycles = 4,
    most_switches = 2
}; // paper: 204 = 100 + 4 + 100, + 104 for a switch more

static chm_hop route(const chm_topology* topology, uint32_t node, const chm_route_key* key) {
    if (topology->die_node[key->destination] == node) {
        return (chm_hop){chm_die_ejection_port(topology, key->destination), 0};
    }
    uint32_t links = topology->extent[0];
    return (chm_hop){key->destination % links, 0};
}

static chm_status add_links(chm_topology* topology, uint32_t latency_cycles, chm_arena* arena) {
    uint32_t per_direction = topology->extent[0];
    topology->link_count = topology->nodes == 2 ? 2 * per_direction : 0;
    chm_link* links = chm_arena_alloc(arena, topology->link_count, sizeof *links);
    if (links == NULL) {
        return chm_no_memory;
    }
    for (uint32_t l = 0; l < topology->link_count; ++l) {
        uint32_t from = l / per_direction;
        links[l] =
            (chm_link){.from_node = from, .to_node = 1 - from, .latency_cycles = latency_cycles};
    }
    return chm_topology_index(topology, links, arena);
}

static chm_status add_dies(chm_topology* topology, chm_arena* arena) {
    uint32_t* die_node = chm_arena_alloc(arena, topology->dies, sizeof *die_node);
    const char** names = chm_arena_alloc(arena, topology->dies, sizeof *names);
    const char** switches = chm_arena_alloc(arena, topology->nodes, sizeof *switches);
    if (die_node == NULL || names == NULL || switches == NULL) {
        return chm_no_memory;
    }
    for (uint32_t d = 0; d < topology->dies; ++d) {
        die_node[d] = d / topology->extent[0];
        names[d] = chm_arena_format(arena, "die_%u_%u", d % topology->extent[0], die_node[d]);
        if (names[d] == NULL) {
            return chm_no_memory;
        }
    }
    for (uint32_t s = 0; s < topology->nodes; ++s) {
        switches[s] = chm_arena_format(arena, "switch_%u", s);
        if (switches[s] == NULL) {
            return chm_no_memory;
        }
    }
    topology->die_node = die_node;
    topology->die_names = names;
    topology->node_names = switches;
    return chm_ok;
}

static chm_status add_cuts(chm_topology* topology, chm_arena* arena) {
    chm_cut_list list = {.arena = arena};
    for (uint32_t s = 0; topology->nodes > 1 && s < topology->nodes; ++s) {
        uint8_t* inside =
            chm_builder_add_cut(&list, chm_arena_format(arena, "switch %u", s), topology->nodes);
        if (inside == NULL) {
            return chm_no_memory;
        }
        inside[s] = 1;
    }
    topology->cuts = list.cuts;
    topology->cut_count = (uint32_t)list.count;
    return chm_ok;
}

chm_status chm_build_fat_tree(chm_topology* topology, uint32_t switches, uint32_t dies_per_switch,
                              const chm_fabric_params* fabric, chm_arena* arena) {
    if (switches < 1 || dies_per_switch < 1 || dies_per_switch > 65536 / 2) {
        return chm_bad_argument;
    }
    if (switches > most_switches) {
        return chm_unsupported;
    }
    *topology = (chm_topology){
        .dies = switches * dies_per_switch,
        .nodes = switches,
        .dimensions = 2,
        .extent = {dies_per_switch, switches, 1},
        .router_cycles = router_cycles,
        .injection_latency_cycles = (uint32_t)fabric->link_latency_cycles,
        .ejection_latency_cycles = (uint32_t)fabric->link_latency_cycles,
        .vc_classes = 1,
        .route = route,
    };
    chm_builder_set_fabric(topology, fabric);
    topology->name = chm_arena_format(arena, "fat_tree_%ux%u", switches, dies_per_switch);
    if (topology->name == NULL) {
        return chm_no_memory;
    }
    chm_status status = add_dies(topology, arena);
    if (status == chm_ok) {
        status = add_links(topology, (uint32_t)fabric->link_latency_cycles, arena);
    }
    return status == chm_ok ? add_cuts(topology, arena) : status;
}
