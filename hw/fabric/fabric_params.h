// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace chimera::fabric {

// What a fabric needs beside its topology (which has latencies, packet and channel sizes).
struct fabric_params {
    uint64_t seed = 0;                // of random routes and stalls
    double stall_probability = 0;     // 0 .. 1 per decision of every port and queue
    uint32_t credit_delay_cycles = 2; // beside the link, from the tail's leaving to the upstream
    uint64_t watchdog_cycles = 1000000;
    bool trains = true; // packets that meet no contention advance together; results are the same
    size_t buffer_bytes = 0; // per packet, at least mtu_bytes where data is on; 0: data is off

    // Appends one line per fault; true if there is none.
    bool validate(std::string& faults) const;
};

} // namespace chimera::fabric
