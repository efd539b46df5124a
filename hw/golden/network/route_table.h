// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/network/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

// Routing by table: the hop at each node towards each die, for platforms whose wiring follows no
// formula. A way depends on where a packet is and where it goes, not on where it comes from.
typedef struct chm_route_table {
    uint32_t dies;
    uint32_t* hops; // [nodes][dies]: port * 256 + class; unset: no_hop
} chm_route_table;

enum { chm_most_table_classes = 256, chm_most_table_ports = 1 << 24 };

// Makes an empty table the topology's routing, except that each node hands over to its own dies.
// The topology's index arrays must be filled. *table may be null if the caller sets no hops.
chm_status chm_route_table_new(chm_topology* topology, chm_arena* arena, chm_route_table** table);

void chm_route_table_set(chm_route_table* table, uint32_t node, uint32_t die, chm_hop hop);
bool chm_route_table_has(const chm_route_table* table, uint32_t node, uint32_t die);

// Fills what is not set by the shortest ways at zero load; of equally short next links, number
// (destination mod how many there are) in the order of ports. What cannot be reached stays unset.
// Nothing keeps such ways from waiting for each other in a circle: that is the wiring's affair.
chm_status chm_route_table_shortest(const chm_topology* topology, chm_route_table* table,
                                    chm_arena* arena);

// Fills what is not set by up*-down* ways (Autonet; Schroeder et al., 1991): nodes are ranked by
// their distance in links from `root`, then by number; a way goes towards the root any number of
// times and then away from it. Such ways never wait in a circle, on any wiring. Links must exist
// in both directions. Links that are marked in `dead` ([links]; null: none) are not taken; where
// they leave several parts, each is ranked from its first node, and ways between parts stay unset.
chm_status chm_route_table_up_down(const chm_topology* topology, uint32_t root, const uint8_t* dead,
                                   chm_route_table* table, chm_arena* arena);

#ifdef __cplusplus
}
#endif
