// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/network/route_table.h"

#include <string.h>

static const uint32_t no_hop = UINT32_MAX;

static chm_hop route(const chm_topology* topology, uint32_t node, const chm_route_key* key) {
    const chm_route_table* table = topology->route_context;
    uint32_t hop = table->hops[(size_t)node * table->dies + key->destination];
    return (chm_hop){hop >> 8, hop & 255};
}

chm_status chm_route_table_new(chm_topology* topology, chm_arena* arena, chm_route_table** table) {
    chm_route_table* made = chm_arena_alloc(arena, 1, sizeof *made);
    size_t entries = (size_t)topology->nodes * topology->dies;
    uint32_t* hops = chm_arena_alloc(arena, entries, sizeof *hops);
    if (made == NULL || hops == NULL) {
        return chm_no_memory;
    }
    *made = (chm_route_table){topology->dies, hops};
    for (size_t i = 0; i < entries; ++i) {
        hops[i] = no_hop;
    }
    for (uint32_t d = 0; d < topology->dies; ++d) {
        chm_route_table_set(made, topology->die_node[d], d,
                            (chm_hop){chm_die_ejection_port(topology, d), 0});
    }
    topology->route = route;
    topology->routes_by_destination = true;
    topology->route_context = made;
    *table = made;
    return chm_ok;
}

void chm_route_table_set(chm_route_table* table, uint32_t node, uint32_t die, chm_hop hop) {
    table->hops[(size_t)node * table->dies + die] = hop.port << 8 | hop.vc_class;
}

bool chm_route_table_has(const chm_route_table* table, uint32_t node, uint32_t die) {
    return table->hops[(size_t)node * table->dies + die] != no_hop;
}

// Distances of all nodes to one, over links walked backwards from it, and the nodes whose distance
// has shrunk since it was last passed on.
typedef struct search {
    const chm_topology* topology;
    const uint8_t* dead; // [links] not to be taken; null: none
    uint64_t* distance;  // [nodes]
    uint32_t* queue;     // [nodes], a ring: a node stands in it once at most
    uint8_t* queued;     // [nodes]
    uint32_t first, count;
} search;

static const uint64_t unreached = UINT64_MAX;

static chm_status search_new(const chm_topology* topology, chm_arena* arena, search* in) {
    *in = (search){.topology = topology,
                   .distance = chm_arena_alloc(arena, topology->nodes, sizeof *in->distance),
                   .queue = chm_arena_alloc(arena, topology->nodes, sizeof *in->queue),
                   .queued = chm_arena_alloc(arena, topology->nodes, 1)};
    bool whole = in->distance != NULL && in->queue != NULL && in->queued != NULL;
    return whole ? chm_ok : chm_no_memory;
}

static void put(search* in, uint32_t node, uint64_t distance) {
    if (distance >= in->distance[node]) {
        return;
    }
    in->distance[node] = distance;
    if (!in->queued[node]) {
        in->queued[node] = 1;
        in->queue[(in->first + in->count++) % in->topology->nodes] = node;
    }
}

static void start(search* in, uint32_t node) {
    for (uint32_t n = 0; n < in->topology->nodes; ++n) {
        in->distance[n] = unreached;
    }
    in->first = in->count = 0;
    put(in, node, 0);
}

static uint32_t take(search* in) {
    uint32_t node = in->queue[in->first];
    in->first = (in->first + 1) % in->topology->nodes;
    in->count--;
    in->queued[node] = 0;
    return node;
}

// Cycles that a link adds to a packet's way.
static uint64_t cost(const chm_topology* topology, const chm_link* link) {
    return (uint64_t)link->latency_cycles + topology->router_cycles;
}

// What a rule says of a link on the way to the node that was searched from: how far it is by it,
// `unreached` if it must not be taken.
typedef uint64_t (*link_rule)(const search* in, const chm_link* link, const void* context);

// Sets the hops of a node to the dies of another: spread over the links that are best by the rule.
static void set_hops(const search* in, uint32_t node, uint32_t target, link_rule rule,
                     const void* context, chm_route_table* table) {
    const chm_topology* t = in->topology;
    uint64_t best = unreached;
    uint32_t choices = 0;
    uint32_t outputs = t->first_out_link[node + 1] - t->first_out_link[node];
    const uint32_t* links = &t->out_links[t->first_out_link[node]];
    for (uint32_t port = 0; port < outputs; ++port) {
        uint64_t way = rule(in, &t->links[links[port]], context);
        choices = way < best ? 0 : choices;
        best = way < best ? way : best;
        choices += way == best && way != unreached;
    }
    for (uint32_t i = t->first_node_die[target]; i < t->first_node_die[target + 1]; ++i) {
        uint32_t die = t->node_dies[i];
        if (choices == 0 || chm_route_table_has(table, node, die)) {
            continue;
        }
        uint32_t skip = die % choices;
        for (uint32_t port = 0; port < outputs; ++port) {
            if (rule(in, &t->links[links[port]], context) == best && skip-- == 0) {
                chm_route_table_set(table, node, die, (chm_hop){port, 0});
                break;
            }
        }
    }
}

static uint64_t shortest_rule(const search* in, const chm_link* link, const void* context) {
    (void)context;
    uint64_t rest = in->distance[link->to_node];
    return rest == unreached ? unreached : rest + cost(in->topology, link);
}

static void search_backwards(search* in) {
    const chm_topology* t = in->topology;
    while (in->count > 0) {
        uint32_t node = take(in);
        for (uint32_t i = t->first_in_link[node]; i < t->first_in_link[node + 1]; ++i) {
            const chm_link* link = &t->links[t->in_links[i]];
            put(in, link->from_node, in->distance[node] + cost(t, link));
        }
    }
}

chm_status chm_route_table_shortest(const chm_topology* topology, chm_route_table* table,
                                    chm_arena* arena) {
    search in;
    chm_status status = search_new(topology, arena, &in);
    if (status != chm_ok) {
        return status;
    }
    for (uint32_t target = 0; target < topology->nodes; ++target) {
        if (topology->node_die_count[target] == 0) {
            continue;
        }
        start(&in, target);
        search_backwards(&in);
        for (uint32_t node = 0; node < topology->nodes; ++node) {
            if (node != target) {
                set_hops(&in, node, target, shortest_rule, NULL, table);
            }
        }
    }
    return chm_ok;
}

// Up*-down* ways to one node: down[n] is how far it is from n by links that lead away from the root
// only. Where there is such a way it is taken, for who has gone down must not go up again, and the
// table does not know who has; elsewhere the way leads up.
typedef struct up_down {
    const uint64_t* rank; // [nodes]: smaller is nearer to the root
    const uint64_t* down; // [nodes]
} up_down;

static bool is_dead(const search* in, const chm_link* link) {
    return in->dead != NULL && in->dead[link - in->topology->links] != 0;
}

static bool leads_up(const up_down* ways, const chm_link* link) {
    return ways->rank[link->to_node] < ways->rank[link->from_node];
}

static uint64_t up_down_rule(const search* in, const chm_link* link, const void* context) {
    const up_down* ways = context;
    bool may_go_down = ways->down[link->from_node] != unreached;
    if (leads_up(ways, link) == may_go_down || is_dead(in, link)) {
        return unreached;
    }
    uint64_t rest = may_go_down ? ways->down[link->to_node] : in->distance[link->to_node];
    return rest == unreached ? unreached : rest + cost(in->topology, link);
}

static void search_down(search* in, const up_down* ways) {
    const chm_topology* t = in->topology;
    while (in->count > 0) {
        uint32_t node = take(in);
        for (uint32_t i = t->first_in_link[node]; i < t->first_in_link[node + 1]; ++i) {
            const chm_link* link = &t->links[t->in_links[i]];
            if (!leads_up(ways, link) && !is_dead(in, link)) {
                put(in, link->from_node, in->distance[node] + cost(t, link));
            }
        }
    }
}

// From every node that has a way down, up backwards; who has a way down keeps it.
static void search_up(search* in, const up_down* ways) {
    const chm_topology* t = in->topology;
    for (uint32_t n = 0; n < t->nodes; ++n) {
        if (ways->down[n] != unreached) {
            in->distance[n] = unreached;
            put(in, n, ways->down[n]);
        }
    }
    while (in->count > 0) {
        uint32_t node = take(in);
        for (uint32_t i = t->first_in_link[node]; i < t->first_in_link[node + 1]; ++i) {
            const chm_link* link = &t->links[t->in_links[i]];
            if (leads_up(ways, link) && ways->down[link->from_node] == unreached &&
                !is_dead(in, link)) {
                put(in, link->from_node, in->distance[node] + cost(t, link));
            }
        }
    }
}

static void search_levels(search* in) {
    const chm_topology* t = in->topology;
    while (in->count > 0) {
        uint32_t node = take(in);
        for (uint32_t i = t->first_out_link[node]; i < t->first_out_link[node + 1]; ++i) {
            const chm_link* link = &t->links[t->out_links[i]];
            if (!is_dead(in, link)) {
                put(in, link->to_node, in->distance[node] + 1);
            }
        }
    }
}

// Rank: levels from the root first, then numbers; all different. What the root does not reach is
// ranked likewise from its own first node, so that from each node of a part a way leads up there.
static void rank_nodes(const chm_topology* topology, uint32_t root, search* in, uint64_t* rank) {
    start(in, root);
    search_levels(in);
    for (uint32_t n = 0; n < topology->nodes; ++n) {
        if (in->distance[n] == unreached) {
            put(in, n, topology->nodes);
            search_levels(in);
        }
    }
    for (uint32_t n = 0; n < topology->nodes; ++n) {
        rank[n] = in->distance[n] * topology->nodes + n;
    }
}

chm_status chm_route_table_up_down(const chm_topology* topology, uint32_t root, const uint8_t* dead,
                                   chm_route_table* table, chm_arena* arena) {
    search in;
    uint64_t* rank = chm_arena_alloc(arena, topology->nodes, sizeof *rank);
    uint64_t* down = chm_arena_alloc(arena, topology->nodes, sizeof *down);
    chm_status status = search_new(topology, arena, &in);
    if (status != chm_ok || rank == NULL || down == NULL) {
        return chm_no_memory;
    }
    in.dead = dead;
    rank_nodes(topology, root, &in, rank);
    const up_down ways = {rank, down};
    for (uint32_t target = 0; target < topology->nodes; ++target) {
        if (topology->node_die_count[target] == 0) {
            continue;
        }
        start(&in, target);
        search_down(&in, &ways);
        memcpy(down, in.distance, topology->nodes * sizeof *down);
        search_up(&in, &ways);
        for (uint32_t node = 0; node < topology->nodes; ++node) {
            if (node != target) {
                set_hops(&in, node, target, up_down_rule, &ways, table);
            }
        }
    }
    return chm_ok;
}
