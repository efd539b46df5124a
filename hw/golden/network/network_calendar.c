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

chm_status chm_network_calendar_send(chm_network_calendar* network, const chm_chunk* chunk,
                                     uint64_t from, chm_chunk_times* times) {
    const chm_topology* t = network->topology;
    uint64_t start;
    chm_status status =
        chm_calendar_take(&network->ports[chunk->source], from, chunk->flits, &start);
    times->sent = start + chunk->flits;
    uint64_t head = start + t->injection_latency_cycles + t->router_cycles;
    for (uint32_t l = 0; status == chm_ok && l < chunk->link_count; ++l) {
        uint32_t link = chunk->links[l];
        status = chm_calendar_take(&network->ports[t->dies + link], head, chunk->flits, &start);
        head = start + t->links[link].latency_cycles + t->router_cycles;
    }
    if (status == chm_ok) {
        size_t ejection = (size_t)t->dies + t->link_count + chunk->destination;
        status = chm_calendar_take(&network->ports[ejection], head, chunk->flits, &start);
    }
    times->arrived = start + chunk->flits + t->ejection_latency_cycles;
    return status;
}
