// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/fabric/packet.h"
#include "hw/fabric/ring_queue.h"

namespace chimera::fabric {

// A packet at a router, with what the router needs to know of it, so that it looks at the packet
// itself (a cache line elsewhere) only when it comes and goes.
struct queued_packet {
    packet* item = nullptr;
    uint64_t due = 0; // cycle of its head at the router
    uint32_t flits = 0;
    uint32_t count = 0;    // of a train: packets to come, `due` and `vc` being of the next; else 0
    uint32_t output = 0;   // port it wants
    uint16_t first_vc = 0; // first channel of its class there
    uint16_t vc = 0;       // channel it comes in
};

// One input port: what is on its link, in order of arrival.
struct input_unit {
    uint64_t credit_cycles = 0;   // from the tail's leaving to the credit upstream
    uint32_t cycles_per_flit = 1; // of its link, if a packet may go on before its tail has come
    ring_queue<queued_packet> arriving;
};

// The head of one input channel, as far as allocation looks at it; small, since all heads of a
// router are looked at together. Meaningful while its queue is not empty, but for ready_from.
struct channel_head {
    static constexpr uint16_t none = UINT16_MAX;

    uint64_t ready_from = 0; // it is there and the tail before has left: it may ask for a channel
    uint32_t flits = 0;
    uint16_t first_vc = 0;     // first channel of its class on the output it wants
    uint16_t output_vc = none; // the channel it holds there
};

} // namespace chimera::fabric
