// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hw/golden/network/topology.h"

namespace chimera::fabric {

// Limits what a die has under way to each other die. A packet may go while what the destination has
// not acknowledged is at most what a port carries in `round_trips` round trips of the idle network:
// there, on to the last flit, and back. With one round trip a stream that meets nobody never waits;
// where others are met, what cannot move stays at its source instead of filling the buffers that
// others go through. Acknowledgements travel beside the network in the time of an idle one and take
// no room.
class send_window {
public:
    static constexpr uint64_t never = UINT64_MAX;

    // `topology` must outlive the object. 0 round trips: no limit.
    send_window(const chm_topology& topology, uint32_t die, double round_trips)
        : m_topology(topology), m_die(die), m_round_trips(round_trips) {}

    bool limits() const { return m_round_trips > 0; }

    // Whether a packet of so many flits may go to `destination` now; it then must be `sent`.
    bool open(uint32_t destination, uint32_t flits) const;
    void sent(uint32_t destination, uint32_t flits) { m_under_way[destination] += flits; }

    // An acknowledgement that is known at `due`; those due are worked off by settle.
    void file(uint64_t due, uint32_t destination, uint32_t flits);
    void settle(uint64_t now);
    uint64_t next_due() const { return m_filed.empty() ? never : m_filed.front().due; }

    // Cycles that an acknowledgement of a packet from `source`, arrived here, needs.
    uint64_t way_back(uint32_t source) const { return latency(m_die, source); }

private:
    struct acknowledgement {
        uint64_t due;
        uint32_t destination, flits;
    };
    uint64_t latency(uint32_t from, uint32_t to) const;
    static bool later(const acknowledgement& a, const acknowledgement& b) { return a.due > b.due; }

    const chm_topology& m_topology;
    uint32_t m_die;
    double m_round_trips;
    std::unordered_map<uint32_t, uint64_t> m_under_way; // flits by destination
    std::vector<acknowledgement> m_filed;               // a heap, the next due in front
};

} // namespace chimera::fabric
