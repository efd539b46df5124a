// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/fabric/lt/lt_order.h"
#include "hw/golden/network/topology.h"

namespace chimera::fabric {

// Where a topology chooses between equally long ways at random, packet by packet, the packets of a
// chunk may go different ways: the chunk is split into one part per way. The choices are the same
// hashes of (seed, message, packet) as in the approximately timed fabric, so that each link carries
// the same flits.
class lt_ways {
public:
    // `topology` must outlive the object.
    lt_ways(const chm_topology& topology, uint64_t seed);

    // The key of a packet: of chm_route_key.random as many bits as routing uses.
    uint8_t choice(uint64_t message, uint64_t index) const;

    // Splits a chunk of the pair; parts are `item` itself and chunks of the pool, in the order of
    // their first packets. Each of their `index` gives the key of their way.
    void split(chunk& item, lt_pair& pair, chunk_pool& pool, std::vector<chunk*>& parts);

private:
    void find_ways(const chunk& item, lt_pair& pair);
    uint64_t way_signature(const chunk& item, uint64_t key);
    void add_packet(chunk& part, const chunk& whole, uint64_t offset, packet* item) const;

    const chm_topology& m_topology;
    const uint64_t m_seed;
    const uint32_t m_keys; // distinct values of the random bits; 1: no choice, or too many to try
    std::vector<uint32_t> m_path;
    std::vector<packet*> m_packets;
};

} // namespace chimera::fabric
