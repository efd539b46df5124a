// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hw/fabric/chunk.h"

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
    // The loosely timed fabric asks ahead: `now` may be later than the present, by a chunk's flits
    // and its horizon.
    virtual packet* next_packet(uint64_t now) = 0;

    // The same for one port of a die that has several, each of which asks for itself: a packet that
    // leaves by it (network_port::port_of), so that none waits behind one for another port. By
    // default whatever is next leaves by the port that asks first.
    virtual packet* next_packet_by(uint32_t port, uint64_t now) {
        (void)port;
        return next_packet(now);
    }

    // The tail of a packet for this die has arrived at `now`. Packets of one (source, destination)
    // may arrive in any order, since they take different virtual channels and paths: count them.
    // The client owns the packet and gives it back to the pool. It cannot refuse it. Of clients
    // that send trains it may stand for `train` packets: the last arrived at `now`, which may then
    // be in the past, and the others `flits` cycles before each other.
    virtual void packet_arrived(packet* item, uint64_t now) = 0;

    // Optional: `item` will arrive, after all that was announced before. False: nobody needs to
    // know before the next one that does; packet_arrived is then called late, with the cycle `now`
    // at which it arrived. Not called for trains, nor where ports stall at random.
    virtual bool announced(const packet& item) {
        (void)item;
        return true;
    }

    // Optional, for the loosely timed fabric: a client without data of its own that needs no
    // packet's own time cuts messages into chunks, which saves the packets. True: the two functions
    // below are called instead of those above.
    virtual bool takes_chunks() const { return false; }

    // Fills the first part of `item` with the chunk to inject at cycle `now`, of as many packets of
    // one message as the limit allows; false if there is none. Asked again as next_packet is.
    virtual bool next_chunk(uint64_t now, const chunk_limit& limit, chunk& item) {
        (void)now, (void)limit, (void)item;
        return false;
    }
    virtual bool next_chunk_by(uint32_t port, uint64_t now, const chunk_limit& limit, chunk& item) {
        (void)port;
        return next_chunk(now, limit, item);
    }

    // Optional: an awaited chunk will arrive, after all of its source that were announced before.
    // False: nobody needs to know before the next one that does; chunk_arrived is then called late,
    // with the cycle `now` at which it arrived, as it is for chunks that are not awaited.
    virtual bool announced(const chunk& item) {
        (void)item;
        return true;
    }

    // The tail of a chunk has arrived at `now`. Chunks of one (source, destination) keep their
    // order.
    virtual void chunk_arrived(const chunk& item, uint64_t now) { (void)item, (void)now; }

    // True for a client that relies on the packets' own timing (a block in RTL, say): the loosely
    // timed fabric refuses it at elaboration.
    virtual bool needs_at() const { return false; }
};

} // namespace chimera::fabric
