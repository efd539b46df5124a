// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/network/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether routes may lock, told from the routes alone. A packet that holds one channel (a link's
// virtual channels of a class) asks for the next one on its way; where such dependencies form a
// circle, packets that wait for each other can fill it, and where they form none, nothing locks, as
// ejection never blocks (Dally and Seitz, 1987).

// A channel of a circle. Packets from `source` to `destination` hold it and ask for the next one.
typedef struct chm_route_channel {
    uint32_t link, vc_class;
    uint32_t source, destination; // dies
} chm_route_channel;

// Finds a circle in the ways between all dies, of a topology whose ways depend on the node and the
// destination only (route_table.h) and arrive. Of several circles a short one; the last channel's
// packets ask for the first. *count is 0 if there is none. The channels live in the arena.
chm_status chm_route_circle(const chm_topology* topology, chm_arena* arena,
                            const chm_route_channel** channels, uint32_t* count);

#ifdef __cplusplus
}
#endif
