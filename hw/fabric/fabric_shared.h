// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/fabric/packet.h"
#include "hw/golden/network/topology.h"

namespace chimera::fabric {

struct fabric_statistics {
    uint64_t injected_packets = 0, ejected_packets = 0;
    uint64_t injected_payload_bytes = 0, injected_metadata_bytes = 0;
    uint64_t packet_hops = 0; // links between routers passed, summed over arrived packets
    uint64_t byte_hops = 0;   // payload and metadata bytes times such links
    uint64_t activations = 0; // kernel events of routers and network interfaces
};

// Takes acknowledgements: `flits` of what it sent to a die have arrived there, known at `due`.
class acknowledged {
public:
    virtual ~acknowledged() = default;
    virtual void file_acknowledgement(uint32_t destination, uint32_t flits, uint64_t due) = 0;
};

// What the modules of one fabric have in common: the packets, and sums over all modules, kept as
// things happen so that looking at them costs nothing on a large machine.
class outage;

struct fabric_shared {
    explicit fabric_shared(size_t buffer_bytes = 0) : packets(buffer_bytes) {}

    packet_pool packets;
    std::vector<acknowledged*> senders; // by port of all dies, where windows limit them
    fabric_statistics statistics;
    outage* failures = nullptr;  // where links or dies fail
    uint64_t left_packets = 0;   // injected, and left the network other than by arriving
    uint64_t grants = 0;         // of routers
    uint64_t trains_sending = 0; // by network interfaces
    std::string faults;          // found at elaboration, one per line

    // The port that sent a packet.
    acknowledged& sender_of(const chm_topology& topology, const packet& item) const {
        return *senders[topology.first_die_port[item.source] + item.port];
    }

    uint64_t in_flight() const {
        return statistics.injected_packets - statistics.ejected_packets - left_packets;
    }
};

} // namespace chimera::fabric
