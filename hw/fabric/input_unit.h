// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/fabric/packet.h"
#include "hw/fabric/ring_queue.h"

namespace chimera::fabric {

// One input port: what is on its link, a queue per virtual channel, and until when the port sends
// through the crossbar (one flit per cycle, a packet at a time).
class input_unit {
public:
    static constexpr uint32_t none = UINT32_MAX;

    struct arrival {
        uint64_t due;
        packet* item;
    };

    // Toward the upstream sender, credits take `credit_cycles` from the tail's leaving.
    input_unit(uint32_t vcs, uint64_t credit_cycles)
        : m_credit_cycles(credit_cycles), m_queues(vcs), m_output_vc(vcs, none),
          m_ready_from(vcs, 0) {}

    void file(packet* item, uint64_t due) { m_arriving.push({due, item}); }
    bool arrived(uint64_t now) const {
        return !m_arriving.empty() && m_arriving.front().due <= now;
    }
    const ring_queue<arrival>& arriving() const { return m_arriving; }
    // Moves the first arrival to its queue; returns its channel.
    uint32_t accept_arrival();

    bool empty(uint32_t vc) const { return m_queues[vc].empty(); }
    size_t queued(uint32_t vc) const { return m_queues[vc].size(); }
    packet* head(uint32_t vc) const { return m_queues[vc].front(); }
    const ring_queue<packet*>& queue(uint32_t vc) const { return m_queues[vc]; }

    // The output channel the head of `vc` holds, none.
    uint32_t output_vc(uint32_t vc) const { return m_output_vc[vc]; }
    void assign(uint32_t vc, uint32_t output_vc) { m_output_vc[vc] = output_vc; }

    // A head may ask for a channel once the tail of the packet before it has left.
    uint64_t ready_from(uint32_t vc) const { return m_ready_from[vc]; }
    uint64_t busy_until() const { return m_busy_until; }
    uint64_t credit_cycles() const { return m_credit_cycles; }

    // The head of `vc` leaves from `now` for as many cycles as it has flits.
    packet* depart(uint32_t vc, uint64_t now);

private:
    uint64_t m_credit_cycles;
    uint64_t m_busy_until = 0;
    ring_queue<arrival> m_arriving;
    std::vector<ring_queue<packet*>> m_queues;
    std::vector<uint32_t> m_output_vc;
    std::vector<uint64_t> m_ready_from;
};

} // namespace chimera::fabric
