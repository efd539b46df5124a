// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/fabric/ring_queue.h"

namespace chimera::fabric {

// One output port: who holds each of its virtual channels, the room left in the downstream queues,
// credits under way, and until when the port sends. An ejection port has room without end.
class output_unit {
public:
    static constexpr uint32_t none = UINT32_MAX;

    struct credit {
        uint64_t due;
        uint32_t vc, flits;
    };

    // `delay_cycles`: from a grant to the head at the other end.
    output_unit(uint32_t vcs, uint32_t depth_flits, uint64_t delay_cycles, bool ejection)
        : m_delay_cycles(delay_cycles), m_ejection(ejection), m_depth(depth_flits),
          m_holder(vcs, none), m_room(vcs, depth_flits) {}

    bool ejection() const { return m_ejection; }
    uint64_t delay_cycles() const { return m_delay_cycles; }

    // Applies what is due: credits, and the release of the channel whose tail has left, which
    // others can be given one cycle after the port is free.
    void settle(uint64_t now);

    void file_credit(const credit& item) { m_returning.push(item); }

    uint32_t holder(uint32_t vc) const { return m_holder[vc]; }
    void hold(uint32_t vc, uint32_t input_channel) { m_holder[vc] = input_channel; }

    // When a channel can be given: 0 if it is free, UINT64_MAX if its holder still waits.
    uint64_t free_from(uint32_t vc) const;

    bool has_room(uint32_t vc, uint32_t flits) const { return m_ejection || m_room[vc] >= flits; }
    uint32_t room(uint32_t vc) const { return m_room[vc]; }
    // When credits under way will have made room for so many flits; UINT64_MAX if those known will
    // not.
    uint64_t room_from(uint32_t vc, uint32_t flits) const;

    uint64_t busy_until() const { return m_busy_until; }
    void send(uint32_t vc, uint32_t flits, uint64_t now);

    uint64_t busy_cycles() const { return m_busy_cycles; }
    bool complete() const; // all room is back, nothing is held

private:
    uint64_t m_delay_cycles;
    bool m_ejection;
    uint32_t m_depth;
    uint32_t m_sending_vc = none;
    uint64_t m_busy_until = 0;
    uint32_t m_leaving_vc = none; // sent before, its tail left at m_left_at
    uint64_t m_left_at = 0;
    uint64_t m_busy_cycles = 0;
    ring_queue<credit> m_returning;
    std::vector<uint32_t> m_holder; // input channel (port * vcs + vc), none
    std::vector<uint32_t> m_room;   // flits
};

} // namespace chimera::fabric
