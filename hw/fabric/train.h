// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/fabric/packet.h"

// Trains. Packets of one message that leave one behind the other and meet nobody do the same thing
// at every router, `flits` cycles apart. One item then stands for all of them, and a router that
// lets it pass works out afterwards what they did to its pointers, channels and credits.
//
// A train is only a shorter way of writing packets: wherever it is not certain that they pass
// alone, it is cut. The router where a rival comes cuts what it has not sent yet, tells its
// downstream (how many packets the train still has) and its upstream (from which packet on credits
// will be sent, not taken for granted), and handles the rest packet by packet. Both pass it on.
// Word of a cut takes one cycle a link and packets at least two, so it is always ahead of them.

namespace chimera::fabric {

// Fewer packets than this are not worth a train.
constexpr uint32_t shortest_train = 16;

// Packets, `spacing` apart, that happen before `now`, the first being at `first`; at most `count`.
inline uint32_t train_packets_before(uint64_t first, uint64_t spacing, uint32_t count,
                                     uint64_t now) {
    if (now <= first) {
        return 0;
    }
    return static_cast<uint32_t>(std::min<uint64_t>(count, (now - first + spacing - 1) / spacing));
}

// The channel of packet `i` of a train whose first takes `first`.
inline uint32_t train_channel(uint32_t first, uint32_t base, uint32_t width, uint64_t i) {
    return base + static_cast<uint32_t>((first - base + i) % width);
}

// Room in a channel with which a train never waits: what it has out at a time, if the credit of a
// packet is usable `round_trip` cycles after it is sent and each of `width` channels has its turn.
inline uint64_t train_room(uint64_t round_trip, uint64_t flits, uint64_t width) {
    const uint64_t turn = flits * width;
    return flits * ((round_trip + turn - 1) / turn);
}

// A packet out of a train: packet `i` of those it stands for. Its random key is the message's.
inline void train_extract(packet& item, const packet& train, uint32_t i, uint64_t random) {
    uint8_t* data = item.data;
    item = train;
    item.data = data;
    item.index = train.index + i;
    item.last = train.last && i + 1 == train.train;
    item.train = 1;
    item.serial = 0;
    item.random = random;
    item.injected = train.injected + uint64_t(i) * train.flits;
}

} // namespace chimera::fabric
