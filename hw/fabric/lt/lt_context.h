// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/fabric/chunk.h"
#include "hw/fabric/fabric_params.h"
#include "hw/fabric/fabric_shared.h"
#include "hw/fabric/lt/lt_clock.h"
#include "hw/fabric/lt/lt_fifo.h"
#include "hw/fabric/lt/lt_leaving.h"
#include "hw/fabric/lt/lt_turns.h"
#include "hw/golden/network/topology.h"

namespace chimera::fabric {

// What the modules of one loosely timed fabric share. All of it must outlive them.
struct lt_context {
    const chm_topology& topology;
    const fabric_params& params;
    lt_turns& turns;
    chunk_pool& chunks;
    head_pool& heads;
    fabric_shared& shared;
    lt_clock clock;
};

inline uint64_t lt_shortest_link(const chm_topology& topology) {
    uint64_t shortest = UINT64_MAX;
    for (uint32_t id = 0; id < topology.link_count; ++id) {
        shortest = std::min(shortest, uint64_t(topology.links[id].latency_cycles));
    }
    return topology.link_count == 0 ? 1 : shortest;
}

// How far ahead a router that keeps the order reserves, which is the length of a round of turns:
// what any module sends from now on reaches the next router later than that.
inline uint64_t lt_round_cycles(const chm_topology& topology, const fabric_params& params) {
    return std::clamp<uint64_t>(std::min(lt_shortest_link(topology), params.lt_horizon_cycles / 2),
                                1, lt_leaving::most_cycles);
}

} // namespace chimera::fabric
