// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/network/calendar.h"
#include "hw/golden/network/topology.h"

// The network as calendars: every injection port of a die, every link and every ejection port
// carries one flit per cycle, a slow link one in several. A chunk reserves them one after the
// other, each no earlier than its head gets there (cut-through), and in one piece: behind a slow
// link it takes a faster one so late that its last flit does not keep it waiting. There are no
// buffers that fill and so no blocking.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_network_calendar {
    const chm_topology* topology;
    chm_calendar* ports; // injection ports of all dies, links, ejection ports of all dies; owned
} chm_network_calendar;

typedef struct chm_chunk {
    uint32_t source, destination; // dies
    uint64_t flits;
    const uint32_t* links; // its path, chm_topology_path
    uint32_t link_count;
} chm_chunk;

typedef struct chm_chunk_times {
    uint64_t sent;    // its last flit has left the source's injection port
    uint64_t arrived; // its last flit is at the destination
} chm_chunk_times;

chm_status chm_network_calendar_init(chm_network_calendar* network, const chm_topology* topology);
void chm_network_calendar_free(chm_network_calendar* network);

// Reserves a chunk's way, injection no earlier than `from`, every port at its earliest gap. Alone
// on the network: sent = from + flits, arrived = from + chm_topology_latency + 1 + n * (flits - 1),
// n being the cycles per flit of the slowest link, if no faster link lies between slow ones. Each
// such dip adds what a packet takes longer over the slow link before it.
chm_status chm_network_calendar_send(chm_network_calendar* network, const chm_chunk* chunk,
                                     uint64_t from, chm_chunk_times* times);

#ifdef __cplusplus
}
#endif
