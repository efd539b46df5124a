// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "hw/fabric/fabric_params.h"
#include "hw/fabric/packet.h"
#include "hw/fabric/ring_queue.h"

namespace chimera::fabric {

// What becomes of a packet on its way over a link: a hash of (seed, link, number of the packet on
// the link, how often it was sent before), so that nothing else can shift it.
enum class link_fate { arrives, dropped, corrupted };
link_fate fate_of(const fabric_params& params, uint32_t link, uint64_t number, uint32_t attempt);

struct link_fault_statistics {
    uint64_t dropped = 0, corrupted = 0; // of all that were sent over the link
    uint64_t replayed = 0;               // sent again: lost, or behind one that was lost
    uint64_t replay_cycles = 0;          // that this took
};

// Takes what is across.
class retry_sink {
public:
    virtual ~retry_sink() = default;
    virtual void deliver(packet* item, uint64_t due) = 0;
    // The link has failed: the packet never comes across. Latest first.
    virtual void give_back(packet* item, uint64_t cycle) = 0;
};

// Both ends of a link that loses packets, without a kernel: go-back-N. The sender numbers packets,
// keeps each until it is acknowledged and sends one after the other. The receiver takes a packet
// when its tail is there and the CRC has been computed, in order of numbers, and answers: an
// acknowledgement, or once per round (until the sender has gone back) that one is missing, when the
// CRC is wrong or a number has been left out. The sender then goes back to the one that is missing.
// It also does so when an answer is overdue. A corrupted packet says nothing of itself: the
// receiver takes it to be of the round that it heard of last.
//
// Answers take the link's latency back, like credits, and are not lost.
class retry_link {
public:
    static constexpr uint64_t never = std::numeric_limits<uint64_t>::max();

    // `params` must outlive the link.
    retry_link(const fabric_params& params, uint32_t link, uint32_t latency_cycles,
               uint64_t fails_at = never, uint32_t cycles_per_flit = 1)
        : m_params(params), m_link(link), m_latency(latency_cycles), m_fails_at(fails_at),
          m_cycles_per_flit(cycles_per_flit) {}

    // A packet whose head may be on the link from `ready` on, no earlier than that of the one
    // before.
    void file(packet* item, uint64_t ready);

    // The next cycle in which something happens at the sender; never, if nothing will.
    uint64_t next() const;
    // Does what happens in that cycle. What arrives is due at the receiver's at least
    // `latency_cycles` + 1 later.
    void advance(retry_sink& sink);

    bool empty() const { return m_unacknowledged.empty(); }
    const link_fault_statistics& statistics() const { return m_statistics; }

    // The oldest packet without acknowledgement (there must be one), and how often it was sent.
    const packet& oldest() const { return *m_unacknowledged.front().item; }
    uint32_t oldest_attempts() const { return m_unacknowledged.front().attempts; }
    size_t waiting() const { return m_unacknowledged.size(); }
    bool has_crossed() const { return m_expected > m_first; } // the oldest: it is the router's

private:
    struct entry {
        packet* item;
        uint64_t ready;
        uint64_t sent;             // end of its last transmission
        uint32_t cycles, attempts; // that it takes to send
    };
    struct answer {
        uint64_t due;
        uint64_t expected; // all before it have arrived
        uint64_t round;
        bool missing;
    };

    uint64_t overdue() const;
    void go_back(uint64_t number);
    void hear(const answer& item);
    void send(uint64_t now, retry_sink& sink);
    void ask_again(uint64_t round, uint64_t due);
    void give_all_back(uint64_t now, retry_sink& sink);

    const fabric_params& m_params;
    uint32_t m_link;
    uint64_t m_latency, m_fails_at;
    uint32_t m_cycles_per_flit;
    link_fault_statistics m_statistics;
    // The sender.
    ring_queue<entry> m_unacknowledged;
    uint64_t m_first = 0;  // number of the first of them
    uint64_t m_cursor = 0; // number of the next to send
    uint64_t m_round = 0;  // how often it went back
    uint64_t m_free = 0;   // cycle from which the link is free
    // The receiver.
    uint64_t m_expected = 0;   // number
    uint64_t m_heard = 0;      // round
    uint64_t m_asked = never;  // round for which it has said what is missing
    ring_queue<answer> m_back; // answers on their way
};

} // namespace chimera::fabric
