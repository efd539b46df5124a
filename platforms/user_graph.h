// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/platform_kinds.h"

// A platform of the user's own: nodes, links and routing listed in the file (platform: graph).
//
//     nodes:                          # numbered in this order; dies too, node by node
//       - {name: left, dies: 4}
//       - {name: spine}               # no dies: it only switches
//     links:
//       - {between: [left, spine], count: 2, latency_cycles: 150}   # both directions
//       - {from: spine, to: right}                                  # one direction
//     routing: shortest               # or up_down, or table
//     root: spine                     # of up_down; default: the first node
//     routes:                         # what is listed here comes before `routing`
//       - {at: left, to: [4, 5..7, right], over: spine, link: 1, class: 0}
//     cuts:                           # for lower bounds, beside one around each node
//       - {name: racks, nodes: [left]}
//
// A link's bandwidth is cycles_per_flit or, the same in other words, bytes_per_cycle, which is
// flit_bytes / cycles_per_flit: user_graph_links.c. count is 1, latency_cycles is
// link_latency_cycles and cycles_per_flit is link_cycles_per_flit if absent; `link` is the number
// among the parallel links to `over`, if absent (destination mod their number).

extern const char* const chm_user_graph_lists[];

// What an entry of `links` may say beside its ends, for listings. Offsets are into chm_graph_link.
typedef struct chm_graph_link {
    uint64_t count, latency_cycles, cycles_per_flit;
    double bytes_per_cycle;
} chm_graph_link;

extern const chm_key_table chm_graph_link_keys;

chm_status chm_build_user_graph(chm_topology* topology, const chm_build_request* request);
