// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/network/topology.h"

#include "hw/base/checked.h"

static uint32_t links_out(const chm_topology* topology, uint32_t node) {
    return topology->first_out_link[node + 1] - topology->first_out_link[node];
}

static uint32_t links_in(const chm_topology* topology, uint32_t node) {
    return topology->first_in_link[node + 1] - topology->first_in_link[node];
}

uint32_t chm_node_outputs(const chm_topology* topology, uint32_t node) {
    return links_out(topology, node) + topology->node_port_count[node];
}

uint32_t chm_node_inputs(const chm_topology* topology, uint32_t node) {
    return links_in(topology, node) + topology->node_port_count[node];
}

uint32_t chm_die_ejection_port(const chm_topology* topology, uint32_t die) {
    return links_out(topology, topology->die_node[die]) + topology->die_port_index[die];
}

uint32_t chm_die_injection_port(const chm_topology* topology, uint32_t die) {
    return links_in(topology, topology->die_node[die]) + topology->die_port_index[die];
}

uint32_t chm_node_output_link(const chm_topology* topology, uint32_t node, uint32_t port) {
    return port < links_out(topology, node)
               ? topology->out_links[topology->first_out_link[node] + port]
               : UINT32_MAX;
}

uint32_t chm_node_output_cycles(const chm_topology* topology, uint32_t node, uint32_t port) {
    uint32_t link = chm_node_output_link(topology, node, port);
    return link == UINT32_MAX ? 1 : topology->links[link].cycles_per_flit;
}

uint32_t chm_node_input_cycles(const chm_topology* topology, uint32_t node, uint32_t port) {
    uint32_t first = topology->first_in_link[node];
    return port < links_in(topology, node)
               ? topology->links[topology->in_links[first + port]].cycles_per_flit
               : 1;
}

// One packet's way, link by link; the latency of its links is summed on the way. UINT32_MAX where
// routing names a port that does not exist, ejects at the wrong die or wanders for ever.
static uint32_t walk(const chm_topology* topology, const chm_route_key* key, uint32_t* links,
                     uint32_t capacity, uint64_t* link_latency) {
    uint32_t node = topology->die_node[key->source];
    uint32_t count = 0;
    while (count <= topology->nodes) {
        chm_hop hop = topology->route(topology, node, key);
        uint32_t link = chm_node_output_link(topology, node, hop.port);
        if (link == UINT32_MAX) {
            bool arrived = node == topology->die_node[key->destination] &&
                           hop.port == chm_die_ejection_port(topology, key->destination);
            return arrived ? count : UINT32_MAX;
        }
        if (count < capacity) {
            links[count] = link;
        }
        count++;
        *link_latency += topology->links[link].latency_cycles;
        node = topology->links[link].to_node;
    }
    return UINT32_MAX;
}

uint32_t chm_topology_path(const chm_topology* topology, const chm_route_key* key, uint32_t* links,
                           uint32_t capacity) {
    uint64_t ignored = 0;
    return walk(topology, key, links, capacity, &ignored);
}

uint64_t chm_topology_latency(const chm_topology* topology, const chm_route_key* key) {
    uint64_t link_latency = 0;
    uint32_t hops = walk(topology, key, NULL, 0, &link_latency);
    // A packet passes one router more than links.
    return hops == UINT32_MAX ? UINT64_MAX
                              : topology->injection_latency_cycles + link_latency +
                                    ((uint64_t)hops + 1) * topology->router_cycles +
                                    topology->ejection_latency_cycles;
}

uint64_t chm_topology_flits(const chm_topology* topology, uint64_t bytes) {
    uint64_t header = topology->header_flits;
    uint64_t full = header + chm_ceil_div_u64(topology->mtu_bytes, topology->flit_bytes);
    uint64_t rest = bytes % topology->mtu_bytes;
    uint64_t last = rest != 0 ? header + chm_ceil_div_u64(rest, topology->flit_bytes)
                              : (bytes == 0 ? header : 0);
    uint64_t flits;
    if (!chm_mul_u64(bytes / topology->mtu_bytes, full, &flits) ||
        !chm_add_u64(flits, last, &flits)) {
        return UINT64_MAX;
    }
    return flits;
}

void chm_topology_coordinates(const chm_topology* topology, uint32_t die, uint32_t xyz[3]) {
    xyz[0] = die % topology->extent[0];
    xyz[1] = die / topology->extent[0] % topology->extent[1];
    xyz[2] = die / topology->extent[0] / topology->extent[1];
}

typedef struct sorted_items {
    uint32_t* first; // [nodes + 1]
    uint32_t* items;
} sorted_items;

static chm_status allocate(sorted_items* sorted, uint32_t nodes, uint32_t count, chm_arena* arena) {
    sorted->first = chm_arena_alloc(arena, (size_t)nodes + 1, sizeof *sorted->first);
    sorted->items = chm_arena_alloc(arena, count, sizeof *sorted->items);
    return sorted->first != NULL && sorted->items != NULL ? chm_ok : chm_no_memory;
}

// first[n + 1] holds the count of node n on entry, the running sum on return.
static void accumulate(uint32_t* first, uint32_t nodes) {
    for (uint32_t n = 0; n < nodes; ++n) {
        first[n + 1] += first[n];
    }
}

static chm_status index_links(chm_topology* topology, chm_link* links, chm_arena* arena) {
    sorted_items out;
    sorted_items in;
    chm_status status = allocate(&out, topology->nodes, topology->link_count, arena);
    if (status == chm_ok) {
        status = allocate(&in, topology->nodes, topology->link_count, arena);
    }
    if (status != chm_ok) {
        return status;
    }
    // A port is a link's rank among the links of its node, so ports are counted first and the
    // counts become the starts.
    for (uint32_t l = 0; l < topology->link_count; ++l) {
        if (links[l].from_node >= topology->nodes || links[l].to_node >= topology->nodes) {
            return chm_bad_argument;
        }
        links[l].from_port = out.first[links[l].from_node + 1]++;
        links[l].to_port = in.first[links[l].to_node + 1]++;
        links[l].cycles_per_flit += links[l].cycles_per_flit == 0;
    }
    accumulate(out.first, topology->nodes);
    accumulate(in.first, topology->nodes);
    for (uint32_t l = 0; l < topology->link_count; ++l) {
        out.items[out.first[links[l].from_node] + links[l].from_port] = l;
        in.items[in.first[links[l].to_node] + links[l].to_port] = l;
    }
    topology->links = links;
    topology->first_out_link = out.first;
    topology->out_links = out.items;
    topology->first_in_link = in.first;
    topology->in_links = in.items;
    return chm_ok;
}

static chm_status index_dies(chm_topology* topology, chm_arena* arena) {
    sorted_items dies;
    chm_status status = allocate(&dies, topology->nodes, topology->dies, arena);
    uint32_t* place = chm_arena_alloc(arena, topology->dies, sizeof *place);
    uint32_t* count = chm_arena_alloc(arena, topology->nodes, sizeof *count);
    if (status != chm_ok || place == NULL || count == NULL) {
        return chm_no_memory;
    }
    for (uint32_t d = 0; d < topology->dies; ++d) {
        uint32_t node = topology->die_node[d];
        if (node >= topology->nodes) {
            return chm_bad_argument;
        }
        place[d] = count[node]++;
        dies.first[node + 1]++;
    }
    accumulate(dies.first, topology->nodes);
    for (uint32_t d = 0; d < topology->dies; ++d) {
        dies.items[dies.first[topology->die_node[d]] + place[d]] = d;
    }
    topology->node_die_count = count;
    topology->first_node_die = dies.first;
    topology->node_dies = dies.items;
    return chm_ok;
}

// A port more than the node has links, in or out, would have nothing of its own to carry.
static uint32_t useful_ports(const chm_topology* topology, uint32_t node) {
    uint64_t ports = topology->ports_per_die;
    ports = chm_min_u64(ports, links_out(topology, node));
    ports = chm_min_u64(ports, links_in(topology, node));
    return ports == 0 ? 1 : (uint32_t)ports;
}

static chm_status index_ports(chm_topology* topology, chm_arena* arena) {
    uint32_t* first = chm_arena_alloc(arena, (size_t)topology->dies + 1, sizeof *first);
    uint32_t* index = chm_arena_alloc(arena, topology->dies, sizeof *index);
    uint32_t* count = chm_arena_alloc(arena, topology->nodes, sizeof *count);
    if (first == NULL || index == NULL || count == NULL) {
        return chm_no_memory;
    }
    for (uint32_t d = 0; d < topology->dies; ++d) {
        uint32_t node = topology->die_node[d];
        uint32_t ports = useful_ports(topology, node);
        index[d] = count[node];
        count[node] += ports;
        first[d + 1] = first[d] + ports;
    }
    topology->die_port_index = index;
    topology->first_die_port = first;
    topology->node_port_count = count;
    return chm_ok;
}

chm_status chm_topology_index(chm_topology* topology, chm_link* links, chm_arena* arena) {
    chm_status status = index_links(topology, links, arena);
    if (status == chm_ok) {
        status = index_dies(topology, arena);
    }
    return status == chm_ok ? index_ports(topology, arena) : status;
}
