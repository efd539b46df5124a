// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/builder.h"

// Nodes, dies and links as a builder lists them, for platforms that are no grids. A call that fails
// is remembered, later ones do nothing, and chm_wiring_finish says so: a builder reads as a list.
typedef struct chm_wiring {
    chm_arena* arena; // owns all arrays and names
    chm_status status;
    uint32_t nodes, dies;
    const char** node_names;
    const char** die_names;
    uint32_t* die_node;
    chm_link* links;
    size_t link_count;
    size_t node_capacity, name_capacity, die_capacity, link_capacity;
} chm_wiring;

void chm_wiring_init(chm_wiring* wiring, chm_arena* arena);

// Adds a node and returns its number. `name` lives in the arena; null counts as memory that ran
// out.
uint32_t chm_wiring_node(chm_wiring* wiring, const char* name);

// Adds the next die, on `node`.
void chm_wiring_die(chm_wiring* wiring, uint32_t node, const char* name);

// What a builder says of a link beside its ends.
typedef struct chm_link_speed {
    uint64_t latency_cycles, cycles_per_flit;
} chm_link_speed;

// That of links of which nothing else is said.
static inline chm_link_speed chm_usual_speed(const chm_fabric_params* fabric) {
    return (chm_link_speed){fabric->link_latency_cycles, fabric->link_cycles_per_flit};
}

// Adds `count` parallel links from one node to another, one direction.
void chm_wiring_links(chm_wiring* wiring, uint32_t from, uint32_t to, uint32_t count,
                      chm_link_speed speed);

// Puts the lists into the topology: one dimension of all dies (a builder may say otherwise
// afterwards) and a cut around each node. Costs, routing and name are the builder's.
chm_status chm_wiring_finish(chm_wiring* wiring, chm_topology* topology);
