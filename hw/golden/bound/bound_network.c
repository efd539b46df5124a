// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/bound/bound_internal.h"

#include <string.h>

enum { most_random_bits = 12 }; // every choice is tried

static const uint64_t one_flit = (uint64_t)1 << 32; // in a chm_bound_rate

// The cheapest way from one node to all: link latencies plus a router each. Labels are corrected
// from a queue until none changes; a node stands in the queue at most once.
static void shortest_from(const chm_topology* topology, uint32_t start, uint64_t* cost,
                          uint32_t* queue, uint8_t* queued) {
    for (uint32_t n = 0; n < topology->nodes; ++n) {
        cost[n] = UINT64_MAX;
    }
    uint32_t head = 0;
    uint32_t waiting = 1;
    cost[start] = 0;
    queue[0] = start;
    queued[start] = 1;
    while (waiting > 0) {
        uint32_t node = queue[head];
        head = (head + 1) % topology->nodes;
        --waiting;
        queued[node] = 0;
        for (uint32_t i = topology->first_out_link[node]; i < topology->first_out_link[node + 1];
             ++i) {
            const chm_link* link = &topology->links[topology->out_links[i]];
            uint64_t through = cost[node] + link->latency_cycles + topology->router_cycles;
            if (through < cost[link->to_node]) {
                cost[link->to_node] = through;
                if (!queued[link->to_node]) {
                    queued[link->to_node] = 1;
                    queue[(head + waiting++) % topology->nodes] = link->to_node;
                }
            }
        }
    }
}

// A chain of messages over relays is never faster than one message on the shortest way, so these
// distances bound what a plan can do however it routes and forwards.
static chm_status fill_distances(chm_bound_network* network, chm_arena* arena) {
    const chm_topology* topology = network->topology;
    size_t count = network->count;
    uint64_t* distance = chm_arena_alloc(arena, count * count, sizeof *distance);
    uint64_t* cost = chm_arena_alloc(arena, topology->nodes, sizeof *cost);
    uint32_t* queue = chm_arena_alloc(arena, topology->nodes, sizeof *queue);
    uint8_t* queued = chm_arena_alloc(arena, topology->nodes, sizeof *queued);
    if (distance == NULL || cost == NULL || queue == NULL || queued == NULL) {
        return chm_no_memory;
    }
    uint64_t ends = (uint64_t)topology->injection_latency_cycles + topology->router_cycles +
                    topology->ejection_latency_cycles;
    network->closest = UINT64_MAX;
    for (uint32_t s = 0; s < count; ++s) {
        shortest_from(topology, topology->die_node[network->dies[s]], cost, queue, queued);
        for (uint32_t d = 0; d < count; ++d) {
            if (d == s) {
                continue;
            }
            uint64_t way = cost[topology->die_node[network->dies[d]]];
            if (way == UINT64_MAX) {
                return chm_bad_argument;
            }
            distance[s * count + d] = ends + way;
            if (ends + way < network->closest) {
                network->closest = ends + way;
            }
        }
    }
    network->distance = distance;
    return chm_ok;
}

// The links that routes between participants take, and the ports.
typedef struct link_use {
    uint8_t* used;
    uint8_t* out_port; // [ports of all dies] some route begins there
    uint8_t* in_port;  // ... or ends
    uint64_t* before;  // smallest latency from the source's issue to the link
    uint64_t* after;   // smallest latency from the link to the destination
    uint32_t* path;
} link_use;

static void use_ports(const chm_topology* topology, const chm_route_key* key, uint32_t hops,
                      link_use* use) {
    uint32_t output = hops == 0 ? UINT32_MAX : topology->links[use->path[0]].from_port;
    uint32_t input = hops == 0 ? UINT32_MAX : topology->links[use->path[hops - 1]].to_port;
    use->out_port[topology->first_die_port[key->source] +
                  chm_die_port_out(topology, key->source, key->destination, output)] = 1;
    use->in_port[topology->first_die_port[key->destination] +
                 chm_die_port_in(topology, key->source, key->destination, input)] = 1;
}

static bool follow(const chm_topology* topology, const chm_route_key* key, link_use* use) {
    uint32_t hops = chm_topology_path(topology, key, use->path, topology->nodes + 1);
    if (hops == UINT32_MAX) {
        return false;
    }
    use_ports(topology, key, hops, use);
    uint64_t total = chm_topology_latency(topology, key);
    uint64_t before = topology->injection_latency_cycles;
    for (uint32_t i = 0; i < hops; ++i) {
        uint32_t link = use->path[i];
        uint64_t latency = topology->links[link].latency_cycles;
        before += topology->router_cycles;
        uint64_t after = total - before - latency;
        if (!use->used[link] || before < use->before[link]) {
            use->before[link] = before;
        }
        if (!use->used[link] || after < use->after[link]) {
            use->after[link] = after;
        }
        use->used[link] = 1;
        before += latency;
    }
    return true;
}

static chm_status use_links(const chm_bound_network* network, link_use* use) {
    const chm_topology* topology = network->topology;
    if (topology->random_bits > most_random_bits) {
        return chm_unsupported;
    }
    uint64_t choices = (uint64_t)1 << topology->random_bits;
    for (uint32_t s = 0; s < network->count; ++s) {
        for (uint32_t d = 0; d < network->count; ++d) {
            for (uint64_t random = 0; s != d && random < choices; ++random) {
                chm_route_key key = {network->dies[s], network->dies[d], random};
                if (!follow(topology, &key, use)) {
                    return chm_bad_argument;
                }
            }
        }
    }
    return chm_ok;
}

static void add_link(chm_bound_rate* rate, const chm_link* link) {
    rate->ports++;
    rate->per_cycle += (one_flit + link->cycles_per_flit - 1) / link->cycles_per_flit;
}

// What a die sends passes its ports, of which those count that routes between participants use; if
// it is alone on its node, each port's share also passes the links of that port.
static chm_bound_rate die_rate(const chm_topology* t, uint32_t die, bool out, const link_use* use) {
    const uint32_t* first = out ? t->first_out_link : t->first_in_link;
    const uint32_t* links = out ? t->out_links : t->in_links;
    const uint8_t* used = (out ? use->out_port : use->in_port) + t->first_die_port[die];
    const uint32_t node = t->die_node[die];
    const uint32_t ports = chm_die_ports(t, die);
    chm_bound_rate rate = {0, 0};
    for (uint32_t port = 0; port < ports; ++port) {
        chm_bound_rate narrow = {0, 0};
        for (uint32_t l = port; l < first[node + 1] - first[node]; l += ports) {
            if (use->used[links[first[node] + l]]) {
                add_link(&narrow, &t->links[links[first[node] + l]]);
            }
        }
        bool by_links =
            t->node_die_count[node] == 1 && narrow.ports > 0 && narrow.per_cycle < one_flit;
        if (used[port] || ports == 1) {
            rate.ports += by_links ? narrow.ports : 1;
            rate.per_cycle += by_links ? narrow.per_cycle : one_flit;
        }
    }
    return rate;
}

static chm_status fill_rates(chm_bound_network* network, const link_use* use, chm_arena* arena) {
    const chm_topology* t = network->topology;
    chm_bound_rate* in = chm_arena_alloc(arena, network->count, sizeof *in);
    chm_bound_rate* out = chm_arena_alloc(arena, network->count, sizeof *out);
    if (in == NULL || out == NULL) {
        return chm_no_memory;
    }
    for (uint32_t p = 0; p < network->count; ++p) {
        in[p] = die_rate(t, network->dies[p], false, use);
        out[p] = die_rate(t, network->dies[p], true, use);
        network->all_out.ports += out[p].ports;
        network->all_out.per_cycle += out[p].per_cycle;
    }
    network->in_rate = in;
    network->out_rate = out;
    return chm_ok;
}

static void count_cut(const chm_topology* topology, const chm_cut* cut, uint32_t direction,
                      const link_use* use, chm_bound_rate* rate, uint64_t* latency) {
    uint8_t near = direction == chm_cut_outward ? 1 : 0;
    *latency = UINT64_MAX;
    for (uint32_t l = 0; l < topology->link_count; ++l) {
        const chm_link* link = &topology->links[l];
        if (!use->used[l] || cut->inside[link->from_node] != near ||
            cut->inside[link->to_node] == near) {
            continue;
        }
        // The first packet through a busy link and the last one may be different ones: each way
        // in and each way out counts at its shortest.
        uint64_t through = use->before[l] + link->latency_cycles + use->after[l];
        *latency = through < *latency ? through : *latency;
        add_link(rate, link);
    }
}

static chm_status fill_cuts(chm_bound_network* network, chm_arena* arena) {
    const chm_topology* topology = network->topology;
    const size_t ports = topology->first_die_port[topology->dies];
    link_use use = {
        .used = chm_arena_alloc(arena, topology->link_count, 1),
        .out_port = chm_arena_alloc(arena, ports, 1),
        .in_port = chm_arena_alloc(arena, ports, 1),
        .before = chm_arena_alloc(arena, topology->link_count, sizeof *use.before),
        .after = chm_arena_alloc(arena, topology->link_count, sizeof *use.after),
        .path = chm_arena_alloc(arena, (size_t)topology->nodes + 1, sizeof *use.path),
    };
    size_t sides = (size_t)topology->cut_count * 2;
    network->side_words = (uint32_t)(sides / 64 + 1);
    uint64_t* beyond =
        chm_arena_alloc(arena, (size_t)network->count * network->side_words, sizeof *beyond);
    chm_bound_rate* rate = chm_arena_alloc(arena, sides, sizeof *rate);
    uint64_t* latency = chm_arena_alloc(arena, sides, sizeof *latency);
    if (use.used == NULL || use.out_port == NULL || use.in_port == NULL || use.before == NULL ||
        use.after == NULL || use.path == NULL || beyond == NULL || rate == NULL ||
        latency == NULL) {
        return chm_no_memory;
    }
    chm_status status = use_links(network, &use);
    for (uint32_t c = 0; c < topology->cut_count; ++c) {
        const chm_cut* cut = &topology->cuts[c];
        for (uint32_t p = 0; p < network->count; ++p) {
            bool inside = cut->inside[topology->die_node[network->dies[p]]] != 0;
            uint32_t side = 2 * c + (inside ? chm_cut_inward : chm_cut_outward);
            beyond[(size_t)p * network->side_words + side / 64] |= (uint64_t)1 << side % 64;
        }
        for (uint32_t direction = 0; direction < 2; ++direction) {
            uint32_t side = 2 * c + direction;
            count_cut(topology, cut, direction, &use, &rate[side], &latency[side]);
        }
    }
    network->beyond = beyond;
    network->cut_rate = rate;
    network->cut_latency = latency;
    return status == chm_ok ? fill_rates(network, &use, arena) : status;
}

chm_status chm_bound_network_build(const chm_topology* topology, const uint32_t* dies,
                                   uint32_t count, chm_arena* arena, chm_bound_network* network) {
    memset(network, 0, sizeof *network);
    network->topology = topology;
    network->dies = dies;
    network->count = count;
    chm_status status = fill_distances(network, arena);
    return status == chm_ok ? fill_cuts(network, arena) : status;
}

uint32_t chm_bound_participant(const chm_bound_network* network, uint32_t die) {
    uint32_t low = 0;
    uint32_t high = network->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (network->dies[middle] <= die) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
