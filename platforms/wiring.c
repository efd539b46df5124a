// SPDX-License-Identifier: Apache-2.0
#include "platforms/wiring.h"

void chm_wiring_init(chm_wiring* wiring, chm_arena* arena) {
    *wiring = (chm_wiring){.arena = arena};
}

// Room for one more element of an array, whose address is returned; null if it cannot be had.
static void* grown(chm_wiring* wiring, void* items, size_t* capacity, size_t count, size_t size) {
    if (wiring->status == chm_ok) {
        wiring->status = chm_arena_grow(wiring->arena, &items, capacity, count + 1, size);
    }
    return items;
}

uint32_t chm_wiring_node(chm_wiring* wiring, const char* name) {
    wiring->node_names = grown(wiring, wiring->node_names, &wiring->node_capacity, wiring->nodes,
                               sizeof *wiring->node_names);
    if (name == NULL && wiring->status == chm_ok) {
        wiring->status = chm_no_memory;
    }
    if (wiring->status != chm_ok) {
        return 0;
    }
    wiring->node_names[wiring->nodes] = name;
    return wiring->nodes++;
}

void chm_wiring_die(chm_wiring* wiring, uint32_t node, const char* name) {
    wiring->die_names = grown(wiring, wiring->die_names, &wiring->name_capacity, wiring->dies,
                              sizeof *wiring->die_names);
    wiring->die_node = grown(wiring, wiring->die_node, &wiring->die_capacity, wiring->dies,
                             sizeof *wiring->die_node);
    if (name == NULL && wiring->status == chm_ok) {
        wiring->status = chm_no_memory;
    }
    if (wiring->status == chm_ok) {
        wiring->die_names[wiring->dies] = name;
        wiring->die_node[wiring->dies++] = node;
    }
}

void chm_wiring_links(chm_wiring* wiring, uint32_t from, uint32_t to, uint32_t count,
                      chm_link_speed speed) {
    for (uint32_t i = 0; i < count && wiring->status == chm_ok; ++i) {
        wiring->links = grown(wiring, wiring->links, &wiring->link_capacity, wiring->link_count,
                              sizeof *wiring->links);
        if (wiring->status == chm_ok) {
            wiring->links[wiring->link_count++] =
                (chm_link){.from_node = from,
                           .to_node = to,
                           .latency_cycles = (uint32_t)speed.latency_cycles,
                           .cycles_per_flit = (uint32_t)speed.cycles_per_flit};
        }
    }
}

// What enters or leaves a node passes its links. On a platform of one node there is nothing to cut.
static chm_status add_cuts(const chm_wiring* wiring, chm_topology* topology) {
    chm_cut_list list = {.arena = wiring->arena};
    for (uint32_t n = 0; wiring->nodes > 1 && n < wiring->nodes; ++n) {
        uint8_t* inside = chm_builder_add_cut(&list, wiring->node_names[n], wiring->nodes);
        if (inside == NULL) {
            return chm_no_memory;
        }
        inside[n] = 1;
    }
    topology->cuts = list.cuts;
    topology->cut_count = (uint32_t)list.count;
    return chm_ok;
}

chm_status chm_wiring_finish(chm_wiring* wiring, chm_topology* topology) {
    if (wiring->status != chm_ok) {
        return wiring->status;
    }
    if (wiring->link_count > UINT32_MAX / 4) {
        return chm_bad_argument;
    }
    topology->nodes = wiring->nodes;
    topology->dies = wiring->dies;
    topology->link_count = (uint32_t)wiring->link_count;
    topology->node_names = wiring->node_names;
    topology->die_names = wiring->die_names;
    topology->die_node = wiring->die_node;
    topology->dimensions = 1;
    topology->extent[0] = wiring->dies;
    topology->extent[1] = topology->extent[2] = 1;
    chm_status status = chm_topology_index(topology, wiring->links, wiring->arena);
    return status == chm_ok ? add_cuts(wiring, topology) : status;
}
