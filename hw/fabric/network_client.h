// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/fabric/packet.h"

namespace chimera::fabric {

// What sits behind a network interface: a DMA, a replay, a test. Both functions are called from the
// network interface's process; neither may block or call wake() for a cycle before `now`.
class network_client {
public:
    virtual ~network_client() = default;

    // The packet to inject at cycle `now`, null if there is none. Asked again only when the port is
    // free after a packet, or after wake(); a client that has answered null wakes the interface.
    // The interface holds a packet that finds no credits and asks for no other meanwhile.
    // Where data is off a packet may stand for `train` equal ones, indices ascending from its own;
    // the interface sends them as it would if asked for each.
    virtual packet* next_packet(uint64_t now) = 0;

    // The tail of a packet for this die has arrived at `now`. Packets of one (source, destination)
    // may arrive in any order, since they take different virtual channels and paths: count them.
    // The client owns the packet and gives it back to the pool. It cannot refuse it. Of clients
    // that send trains it may stand for `train` packets: the last arrived at `now`, which may then
    // be in the past, and the others `flits` cycles before each other.
    virtual void packet_arrived(packet* item, uint64_t now) = 0;
};

} // namespace chimera::fabric
