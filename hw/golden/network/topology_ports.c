// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/network/topology.h"

// Which port of a die a packet takes.

uint32_t chm_die_ports(const chm_topology* topology, uint32_t die) {
    return topology->first_die_port[die + 1] - topology->first_die_port[die];
}

uint32_t chm_topology_most_ports(const chm_topology* topology) {
    uint32_t most = 1;
    for (uint32_t d = 0; d < topology->dies; ++d) {
        uint32_t ports = chm_die_ports(topology, d);
        most = ports > most ? ports : most;
    }
    return most;
}

uint32_t chm_node_port_die(const chm_topology* topology, uint32_t node, uint32_t local) {
    uint32_t at = topology->first_node_die[node];
    uint32_t die = topology->node_dies[at];
    while (local >= topology->die_port_index[die] + chm_die_ports(topology, die)) {
        die = topology->node_dies[++at];
    }
    return die;
}

// The links of a node are shared out evenly, neighbours to the same port: those of one dimension of
// a grid, of which traffic across a mesh loads mostly one direction.
static uint32_t share(uint32_t link, uint32_t links, uint32_t ports) {
    return (uint32_t)((uint64_t)link * ports / links);
}

uint32_t chm_die_port_out(const chm_topology* topology, uint32_t source, uint32_t destination,
                          uint32_t output) {
    uint32_t ports = chm_die_ports(topology, source);
    if (ports == 1) {
        return 0;
    }
    uint32_t node = topology->die_node[source];
    uint32_t links = topology->first_out_link[node + 1] - topology->first_out_link[node];
    return output < links ? share(output, links, ports) : destination % ports;
}

uint32_t chm_die_port_in(const chm_topology* topology, uint32_t source, uint32_t destination,
                         uint32_t input) {
    uint32_t ports = chm_die_ports(topology, destination);
    if (ports == 1) {
        return 0;
    }
    uint32_t node = topology->die_node[destination];
    const uint32_t* in = topology->in_links + topology->first_in_link[node];
    const uint32_t* out = topology->out_links + topology->first_out_link[node];
    uint32_t links_in = topology->first_in_link[node + 1] - topology->first_in_link[node];
    uint32_t links_out = topology->first_out_link[node + 1] - topology->first_out_link[node];
    if (input >= links_in) {
        return source % ports;
    }
    uint32_t from = topology->links[in[input]].from_node;
    uint32_t parallel = 0; // those before it from the same node
    for (uint32_t l = 0; l < input; ++l) {
        parallel += topology->links[in[l]].from_node == from;
    }
    for (uint32_t l = 0; l < links_out; ++l) {
        if (topology->links[out[l]].to_node == from && parallel-- == 0) {
            return share(l, links_out, ports);
        }
    }
    return share(input, links_in, ports);
}

uint32_t chm_topology_port_out(const chm_topology* topology, const chm_route_key* key) {
    if (chm_die_ports(topology, key->source) == 1) {
        return 0;
    }
    uint32_t node = topology->die_node[key->source];
    return chm_die_port_out(topology, key->source, key->destination,
                            topology->route(topology, node, key).port);
}
