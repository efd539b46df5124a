// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "hw/dma/die_program.h"
#include "hw/fabric/packet.h"
#include "hw/trace/observer.h"

namespace chimera::dma {

// A message on its way out of a die: one transfer of one run, or a control flit.
struct message {
    uint32_t destination = 0;
    fabric::packet_tag tag;
    message_size size;
    std::vector<uint8_t> bytes; // data on: what it carries (message_format.h)
    uint64_t round = 0;         // of the plan: lower ones first
    uint32_t outgoing = 0;
    uint64_t packets = 1, sent = 0;
    uint64_t order = 0; // among all that were posted

    // Of the message among all of its source and destination.
    uint64_t number() const { return static_cast<uint64_t>(tag.seq) << 32 ^ tag.chunk; }
};

struct sender_params {
    uint32_t channels = 4; // for each port
    uint64_t setup_cycles = 8;
    uint32_t mtu_bytes = 256;
    bool per_destination = true; // false: one FIFO
    uint32_t read_ahead = 16;    // packets that a channel reads before the first has left
    uint32_t ports = 1;          // of the die
    // With several ports: the one by which a packet of a message leaves.
    std::function<uint32_t(const message& item, uint64_t packet)> port_of = nullptr;
};

// The sending half of a DMA: channels that each work through one message, and the choice of the
// next packet when a port asks. Every port has its channels, and a message takes one of those of
// its first packet's port; a later packet may leave by another port. Control flits go first and
// need no channel. Among channels whose packet is ready and leaves by the port, the earliest run
// and round goes first, since later ones of other dies depend on it; within a round the destination
// served longest ago (or, as one FIFO, the oldest message only). Likewise a free channel takes the
// earliest round that waits, else the oldest message. Plain object; the owner tells the time.
class sender {
public:
    // read(bytes, from): the cycle at which a packet's bytes, asked for at `from`, are there.
    using reader = std::function<uint64_t(uint64_t bytes, uint64_t from)>;

    // `params` is copied; `read` may be empty (ideal memory).
    sender(const sender_params& params, reader read);

    // Null: nobody. It is told how things are at `now`.
    void set_observer(trace::observer* observer, uint32_t die, uint64_t now);

    void post(message&& item, uint64_t now);
    void post_control(message&& item) { m_control.push_back(std::move(item)); }

    // Fills `packet` with the next packet that is ready at `now` and leaves by `port`; false if
    // none is. When the message's last packet leaves, `done` is set to it.
    bool next(uint64_t now, fabric::packet& packet, message& done, bool& is_last,
              uint32_t port = 0);

    // The next cycle at which a packet for the port is ready, UINT64_MAX if nothing is posted.
    uint64_t ready_at(uint32_t port = 0) const;

    bool idle() const { return m_control.empty() && m_busy == 0; } // who waits has none free
    uint32_t busy_channels() const { return m_busy; }

private:
    struct channel {
        bool busy = false;
        uint32_t port = 0;           // of the next packet
        uint64_t free_from = 0;      // what it sent before left then, or will have left
        std::vector<uint64_t> reads; // [packet % read_ahead] when it has been read
        message item;

        uint64_t ready() const { return reads[item.sent % reads.size()]; }
    };

    // The order in which channels are served: true if `a` goes before `b`.
    bool before(const channel& a, const channel& b) const;
    uint64_t last_served(uint32_t destination) const;
    uint32_t port_of(const message& item, uint64_t packet) const {
        return m_params.ports == 1 ? 0 : m_params.port_of(item, packet);
    }
    uint32_t home(const channel& of) const { // the port that it is for
        return static_cast<uint32_t>(&of - m_channels.data()) / m_params.channels;
    }
    std::deque<message>::const_iterator first_control(uint32_t port) const;
    message take_waiting(uint32_t port);
    void assign(channel& channel, uint64_t now);
    void release(channel& channel, uint64_t now);
    void tell(const channel& channel, uint64_t now) const;
    uint64_t fetch(const channel& channel, uint64_t packet, uint64_t from) const;
    channel* choose(uint64_t now, uint32_t port);
    void fill(const message& item, fabric::packet& packet) const;

    sender_params m_params;
    reader m_read;
    std::vector<channel> m_channels;             // port by port
    std::vector<std::vector<message>> m_waiting; // [ports] heaps: for a channel
    std::deque<message> m_control;
    std::vector<uint64_t> m_served; // [destination] order of the last packet, grows as needed
    uint64_t m_orders = 0, m_serves = 0;
    uint32_t m_busy = 0;
    trace::observer* m_trace = nullptr;
    uint32_t m_die = 0; // for it
};

} // namespace chimera::dma
