// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/fabric/packet_list.h"

namespace chimera::fabric {

// One input port: what is on its link, in order of arrival.
struct input_unit {
    packet_list arriving;
    uint32_t cycles_per_flit = 1; // of its link
    uint64_t credit_cycles = 0;   // from the tail's leaving to the credit upstream
};

// One input channel: its queue, and of the head what allocation looks at, since all heads of a
// router are looked at together. The head's part is meaningful while the queue is not empty, but
// for ready_from.
struct input_channel {
    static constexpr uint16_t none = UINT16_MAX;

    packet_list queue;
    uint64_t ready_from = 0; // it is there and the tail before has left: it may ask for a channel
    uint32_t flits = 0;
    uint16_t first_vc = 0;     // first channel of its class on the output it wants
    uint16_t output_vc = none; // the channel it holds there
};

} // namespace chimera::fabric
