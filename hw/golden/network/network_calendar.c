// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/network/network_calendar.h"

#include <stdlib.h>

static size_t port_count(const chm_topology* topology) {
    return 2 * (size_t)topology->first_die_port[topology->dies] + topology->link_count;
}

chm_status chm_network_calendar_init(chm_network_calendar* network, const chm_topology* topology) {
    network->topology = topology;
    network->ports =
        calloc(port_count(topology), sizeof *network->ports); // zero is an empty calendar
    return network->ports != NULL ? chm_ok : chm_no_memory;
}

void chm_network_calendar_free(chm_network_calendar* network) {
    if (network->ports == NULL) {
        return;
    }
    size_t ports = port_count(network->topology);
    for (size_t p = 0; p < ports; ++p) {
        chm_calendar_free(&network->ports[p]);
    }
    free(network->ports);
    network->ports = NULL;
}

// A chunk at a port: where its first packet may go on, if ports ahead are free, and where its last
// flit comes. Where all take a flit per cycle these are flits - 1 apart.
typedef struct passage {
    uint64_t head, last;
    uint32_t cycles_per_flit; // of where it comes from
} passage;

// Takes a port for the chunk, and goes to the next one, which is `delay` further.
static chm_status pass(const chm_topology* topology, chm_calendar* port, const chm_chunk* chunk,
                       uint32_t cycles_per_flit, uint64_t delay, passage* at) {
    const uint64_t rest = chunk->flits - (chunk->flits > 0);
    uint64_t packet = chm_topology_flits(topology, topology->mtu_bytes);
    packet = packet < chunk->flits ? packet : chunk->flits;
    // Packets go on without gaps (contracts.md), and the last one takes its time.
    if (at->cycles_per_flit > cycles_per_flit) {
        at->head += (packet - 1) * (at->cycles_per_flit - cycles_per_flit);
    } else if (at->cycles_per_flit < cycles_per_flit) {
        at->last += (packet - 1) * (cycles_per_flit - at->cycles_per_flit);
    }
    const uint64_t behind = rest * cycles_per_flit;
    const uint64_t from = at->last > at->head + behind ? at->last - behind : at->head;
    uint64_t start;
    chm_status status = chm_calendar_take(port, from, chunk->flits * cycles_per_flit, &start);
    at->head += start - from + delay;
    at->last = start + behind + delay;
    at->cycles_per_flit = cycles_per_flit;
    return status;
}

// The ports of the dies at both ends of a chunk's way, numbered over all dies.
static void find_ends(const chm_topology* t, const chm_chunk* chunk, size_t* from, size_t* to) {
    uint32_t output = UINT32_MAX; // no link: both dies are at one node
    uint32_t input = UINT32_MAX;
    if (chunk->link_count > 0) {
        output = t->links[chunk->links[0]].from_port;
        input = t->links[chunk->links[chunk->link_count - 1]].to_port;
    }
    *from = (size_t)t->first_die_port[chunk->source] +
            chm_die_port_out(t, chunk->source, chunk->destination, output);
    *to = (size_t)t->first_die_port[chunk->destination] +
          chm_die_port_in(t, chunk->source, chunk->destination, input);
}

chm_status chm_network_calendar_send(chm_network_calendar* network, const chm_chunk* chunk,
                                     uint64_t from, chm_chunk_times* times) {
    const chm_topology* t = network->topology;
    const size_t die_ports = t->first_die_port[t->dies];
    size_t injection;
    size_t ejection;
    find_ends(t, chunk, &injection, &ejection);
    passage at = {.head = from, .last = from, .cycles_per_flit = 1};
    uint64_t delay = (uint64_t)t->injection_latency_cycles + t->router_cycles;
    chm_status status = pass(t, &network->ports[injection], chunk, 1, delay, &at);
    times->sent = at.last - delay + 1;
    for (uint32_t l = 0; status == chm_ok && l < chunk->link_count; ++l) {
        const chm_link* link = &t->links[chunk->links[l]];
        delay = (uint64_t)link->latency_cycles + t->router_cycles;
        status = pass(t, &network->ports[die_ports + chunk->links[l]], chunk, link->cycles_per_flit,
                      delay, &at);
    }
    if (status == chm_ok) {
        status = pass(t, &network->ports[die_ports + t->link_count + ejection], chunk, 1,
                      t->ejection_latency_cycles, &at);
    }
    times->arrived = at.last + 1;
    return status;
}
