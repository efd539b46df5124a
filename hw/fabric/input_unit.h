// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/fabric/packet.h"

namespace chimera::fabric {

// One input port: what is on its link, in order of arrival, and until when the port sends through
// the crossbar (one flit per cycle, a packet at a time).
struct input_unit {
    uint64_t busy_until = 0;
    uint64_t credit_cycles = 0; // from the tail's leaving to the credit upstream
    packet_list arriving;
};

// One virtual channel of an input port.
struct input_channel {
    static constexpr uint32_t none = UINT32_MAX;

    packet_list queue;
    uint64_t ready_from = 0;   // the tail before has left: the head may ask for an output channel
    uint32_t output_vc = none; // which the head holds
};

} // namespace chimera::fabric
