// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/golden/network/failure.h"
#include "hw/golden/parameters.h"

namespace chimera::fabric {

// What a fabric needs beside its topology (which has latencies, packet and channel sizes).
struct fabric_params {
    uint64_t seed = 0;                // of random routes and stalls
    double stall_probability = 0;     // 0 .. 1 per decision of every port and queue
    uint32_t credit_delay_cycles = 2; // beside the link, from the tail's leaving to the upstream
    uint64_t watchdog_cycles = 1000000;
    bool oldest_first = false;     // channels go to the packet injected first, else in turn
    double window_round_trips = 0; // limit per pair of dies (send_window.h); 0: none
    bool trains = true; // packets that meet no contention advance together; results are the same
    size_t buffer_bytes = 0; // per packet, at least mtu_bytes where data is on; 0: data is off

    // Links between routers that lose packets and send them again (faults/retry_link.h).
    double drop_probability = 0, corrupt_probability = 0; // 0 .. 1 each time a packet is sent
    uint64_t retry_timeout_cycles = 200;                  // beyond a link's round trip, at least 1
    uint64_t crc_cycles = 1;

    std::vector<chm_failure> failures; // links and dies that fail (faults/outage.h)
    uint64_t reroute_cycles = 1000;    // from an empty network to the first packet by new ways

    chm_fidelity fidelity = chm_fidelity_at; // packet by packet at every hop, or (loosely timed)
                                             // chunk by chunk over whole paths
    // Loosely timed.
    bool lt_in_order = true;          // routers reserve in the order of heads, else of calls
    uint64_t lt_horizon_cycles = 200; // so long before its injection a chunk is called for
    uint64_t lt_chunk_bytes = 1024;   // a chunk has so much: whole packets, at least one,
    uint64_t lt_chunk_share = 1024;   // or 1 / share of what has been sent of its message

    // What the keys of the fabric's block say beside the topology.
    void take(const chm_fabric_params& keys) {
        watchdog_cycles = keys.watchdog_cycles;
        oldest_first = keys.arbitration == chm_arbitration_oldest_first;
        window_round_trips = keys.window_round_trips;
        trains = keys.trains;
        fidelity = keys.fidelity == chm_fidelity_lt ? chm_fidelity_lt : chm_fidelity_at;
        lt_in_order = keys.lt_in_order;
        lt_horizon_cycles = keys.lt_horizon_cycles;
        lt_chunk_bytes = keys.lt_chunk_bytes;
        lt_chunk_share = keys.lt_chunk_share;
        drop_probability = keys.drop_probability;
        corrupt_probability = keys.corrupt_probability;
        retry_timeout_cycles = keys.retry_timeout_cycles;
        crc_cycles = keys.crc_cycles;
        reroute_cycles = keys.reroute_cycles;
    }

    bool lossy() const { return drop_probability > 0 || corrupt_probability > 0; }

    // Appends one line per fault; true if there is none.
    bool validate(std::string& faults) const;
};

} // namespace chimera::fabric
