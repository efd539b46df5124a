// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/network/network_calendar.h"

#include <stdlib.h>

chm_status chm_network_calendar_init(chm_network_calendar* network, const chm_topology* topology) {
    size_t ports = 2 * (size_t)topology->dies + topology->link_count;
    network->topology = topology;
    network->ports = calloc(ports, sizeof *network->ports); // zero is an empty calendar
    return network->ports != NULL ? chm_ok : chm_no_memory;
}

void chm_network_calendar_free(chm_network_calendar* network) {
    if (network->ports == NULL) {
        return;
    }
    size_t ports = 2 * (size_t)network->topology->dies + network->topology->link_count;
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

chm_status chm_network_calendar_send(chm_network_calendar* network, const chm_chunk* chunk,
                                     uint64_t from, chm_chunk_times* times) {
    const chm_topology* t = network->topology;
    passage at = {.head = from, .last = from, .cycles_per_flit = 1};
    uint64_t delay = (uint64_t)t->injection_latency_cycles + t->router_cycles;
    chm_status status = pass(t, &network->ports[chunk->source], chunk, 1, delay, &at);
    times->sent = at.last - delay + 1;
    for (uint32_t l = 0; status == chm_ok && l < chunk->link_count; ++l) {
        const chm_link* link = &t->links[chunk->links[l]];
        delay = (uint64_t)link->latency_cycles + t->router_cycles;
        status = pass(t, &network->ports[t->dies + chunk->links[l]], chunk, link->cycles_per_flit,
                      delay, &at);
    }
    if (status == chm_ok) {
        size_t ejection = (size_t)t->dies + t->link_count + chunk->destination;
        status = pass(t, &network->ports[ejection], chunk, 1, t->ejection_latency_cycles, &at);
    }
    times->arrived = at.last + 1;
    return status;
}
