// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/fabric/ring_queue.h"

namespace chimera::fabric {

struct link_credit {
    uint64_t due = 0;
    uint32_t vc = 0, flits = 0;
    uint32_t serial = 0; // of the train it was taken for granted for, 0: it was sent
};

// Credits of a train that were taken for granted and will be sent after all: they are worth
// nothing, at once, so that they do not hold up those behind them.
inline void withdraw_credits(ring_queue<link_credit>& returning, uint32_t serial, uint64_t from) {
    for (size_t i = 0; i < returning.size(); ++i) {
        link_credit& item = returning.at(i);
        if (item.serial == serial && item.due >= from) {
            item = {0, item.vc, 0};
        }
    }
}

// One virtual channel of an output port.
struct output_channel {
    static constexpr uint64_t held = UINT64_MAX;

    uint64_t free_from = 0; // cycle from which it can be given, `held` while its packet waits
    uint32_t room = 0;      // downstream, in flits; at an ejection port UINT32_MAX, always
    uint32_t turn = 0;      // input channel that is served first

    // While held: by which of so many input channels. The turn is the next one's.
    uint32_t holder(size_t channels) const {
        return (turn > 0 ? turn : static_cast<uint32_t>(channels)) - 1;
    }
};

// The channels of a class at one output port. The words are those of routers whose channels fit
// one (router_words.cpp).
struct channel_class {
    uint64_t retry_from = 0;     // the cycle after its last round of allocation
    uint64_t loose = 0;          // bits of its channels that are not held
    uint64_t waiting = 0;        // bits of the input channels whose head waits for one
    uint16_t* next_vc = nullptr; // [inputs] of the class, to be taken first
};

// One output port but for the cycles that a router keeps densely: its channels and the credits
// under way to them. An ejection port has room without end. In memory a port's channels and classes
// come right behind it.
struct output_unit {
    uint64_t ready = 0; // word: bits of the input channels whose head has a channel of it
    output_channel* channels = nullptr; // its own
    channel_class* classes = nullptr;   // its own, by the first channel
    ring_queue<link_credit> returning;
    uint64_t busy_cycles = 0;
    uint64_t delay_cycles = 0;    // from a grant to the head at the other end
    uint64_t credit_cycles = 0;   // from a tail's leaving downstream to the credit
    uint32_t cycles_per_flit = 1; // of its link
    uint32_t heads = 0;           // of input channels, that want it
    uint16_t class_width = 0;     // channels of a class; all of them at an ejection port
    bool ejection = false;

    // From a grant to the credit for it, if downstream passes the packet on when it comes.
    uint64_t round_trip(uint32_t flits) const { return delay_cycles + flits + credit_cycles; }

    void settle(uint64_t now) {
        while (!returning.empty() && returning.front().due <= now) {
            channels[returning.front().vc].room += returning.front().flits;
            returning.pop();
        }
    }

    bool has_room(uint32_t vc, uint32_t flits) const { return channels[vc].room >= flits; }

    // When credits under way will have made room for so many flits; UINT64_MAX if those known will
    // not.
    uint64_t room_from(uint32_t vc, uint32_t flits) const {
        if (has_room(vc, flits)) {
            return 0;
        }
        uint64_t room = channels[vc].room;
        for (size_t i = 0; i < returning.size(); ++i) {
            const link_credit& item = returning.at(i);
            if (item.vc == vc && (room += item.flits) >= flits) {
                return item.due;
            }
        }
        return UINT64_MAX;
    }

    // When a channel of the class that begins at `first` can be given; `held` if all packets that
    // hold one wait.
    uint64_t channel_from(uint32_t first) const {
        uint64_t from = output_channel::held;
        for (uint32_t vc = first; vc < first + class_width; ++vc) {
            from = std::min(from, channels[vc].free_from);
        }
        return from;
    }
};

} // namespace chimera::fabric
