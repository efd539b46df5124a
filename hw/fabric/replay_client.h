// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/base/checked.h"
#include "hw/fabric/replay.h"
#include "hw/fabric/trace_notes.h"

namespace chimera::fabric {

// The injection FIFOs of one die, one per port: cuts messages into packets of at most mtu_bytes as
// they are pulled. A message whose packets leave by different ports (ways of equal length that are
// chosen at random) stands in the FIFO of each of these, which passes over the packets of others.
class replay::die_client : public network_client {
public:
    die_client(replay& owner, uint32_t die)
        : m_owner(owner), m_die(die), m_place(owner.m_network.interface(die)),
          m_fifos(m_place.ports()) {}

    void set_observer(trace::observer* observer) { m_observer = observer; }

    void queue(uint32_t node) {
        if (m_fifos.size() == 1) {
            m_fifos[0].entries.push({node, true});
            return;
        }
        const uint64_t ports = ports_of(node);
        const bool one_way = (ports & (ports - 1)) == 0;
        for (uint32_t port = 0; port < m_fifos.size(); ++port) {
            if ((ports >> std::min(port, 63u) & 1) != 0) {
                m_fifos[port].entries.push({node, one_way});
            }
        }
    }

    packet* next_packet(uint64_t now) override { return next_packet_by(0, now); }

    packet* next_packet_by(uint32_t port, uint64_t now) override {
        fifo& from = m_fifos[port];
        if (!find_front(port)) {
            return nullptr;
        }
        const entry front = from.entries.front();
        const chm_graph_node& message = m_owner.m_graph.nodes[front.node];
        begin(port, front.node, now);
        packet* item = m_owner.m_network.packets().take();
        const uint64_t mtu = m_owner.m_network.topology().mtu_bytes;
        const uint64_t offset = from.index * mtu;
        item->source = m_die;
        item->destination = message.destination;
        item->message = m_owner.message_of(front.node);
        item->tag.chunk = front.node;
        item->index = static_cast<uint32_t>(from.index);
        item->payload_bytes = static_cast<uint32_t>(std::min(mtu, message.bytes - offset));
        item->train = front.one_way ? train_of((message.bytes - offset) / mtu) : 1;
        from.index += item->train;
        item->last = from.index == from.packets;
        leave(port, item->payload_bytes, now);
        return item;
    }

    // Only the last packet of a message changes what happens next.
    bool announced(const packet& item) override {
        uint32_t& coming = m_owner.m_nodes[item.tag.chunk].coming;
        return coming == 0 || --coming == 0 || m_observer != nullptr;
    }

    void packet_arrived(packet* item, uint64_t now) override {
        const auto node = static_cast<uint32_t>(item->tag.chunk);
        const uint32_t packets = item->train;
        if (m_observer != nullptr) {
            m_observer->arrived(note_of(*item), now);
        }
        m_owner.m_network.packets().give(item);
        m_owner.arrived(node, packets, now);
    }

    bool takes_chunks() const override { return true; }

    bool next_chunk(uint64_t now, const chunk_limit& limit, chunk& item) override {
        return next_chunk_by(0, now, limit, item);
    }

    bool next_chunk_by(uint32_t port, uint64_t now, const chunk_limit& limit,
                       chunk& item) override {
        fifo& from = m_fifos[port];
        if (!find_front(port)) {
            return false;
        }
        const entry front = from.entries.front();
        const chm_graph_node& message = m_owner.m_graph.nodes[front.node];
        begin(port, front.node, now);
        const uint64_t mtu = m_owner.m_network.topology().mtu_bytes;
        const uint64_t left = from.packets - from.index;
        item.packets = static_cast<uint32_t>(std::min(left, limit.packets(from.index)));
        for (uint32_t i = 1; !front.one_way && i < item.packets; ++i) {
            if (port_of(front.node, from.index + i) != port) {
                item.packets = i;
            }
        }
        item.source = m_die;
        item.destination = message.destination;
        item.message = m_owner.message_of(front.node);
        item.tag = front.node;
        item.index = static_cast<uint32_t>(from.index);
        item.last = item.packets == left;
        item.awaited = m_owner.is_awaited(front.node);
        item.payload_bytes = std::min(item.packets * mtu, message.bytes - from.index * mtu);
        from.index += item.packets;
        leave(port, item.payload_bytes, now);
        return true;
    }

    // Only the end of a message that others wait for changes what happens next.
    bool announced(const chunk& item) override {
        uint32_t& coming = m_owner.m_nodes[item.tag].coming;
        coming -= item.packets;
        return coming == 0 || m_observer != nullptr;
    }

    void chunk_arrived(const chunk& item, uint64_t now) override {
        if (m_observer != nullptr) {
            m_observer->arrived(note_of(item), now);
        }
        m_owner.arrived(item.tag, item.packets, now);
    }

private:
    struct entry {
        uint32_t node = 0;
        bool one_way = true; // all its packets leave by this port
    };
    struct fifo {
        ring_queue<entry> entries;
        uint64_t index = 0;   // of the front message's next packet
        uint64_t packets = 0; // of the front message; 0: not looked at yet
        bool begun = false;   // the front message
    };

    uint64_t packets_of(uint32_t node) const {
        const uint64_t mtu = m_owner.m_network.topology().mtu_bytes;
        return std::max<uint64_t>(1, chm_ceil_div_u64(m_owner.m_graph.nodes[node].bytes, mtu));
    }

    uint32_t port_of(uint32_t node, uint64_t index) const {
        return m_place.port_of(m_owner.m_graph.nodes[node].destination, m_owner.message_of(node),
                               index);
    }

    // A bit per port by which some packet may leave; from the 64th on all share one.
    uint64_t ports_of(uint32_t node) const {
        const uint32_t most_tried = 3; // random bits
        const chm_topology& topology = m_owner.m_network.intact_topology();
        if (topology.random_bits > most_tried) {
            return UINT64_MAX;
        }
        uint64_t ports = 0;
        chm_route_key key = {m_die, m_owner.m_graph.nodes[node].destination, 0};
        for (; key.random < (uint64_t(1) << topology.random_bits); ++key.random) {
            ports |= uint64_t(1) << std::min(chm_topology_port_out(&topology, &key), 63u);
        }
        return ports;
    }

    // The front message's next packet that leaves by the port; messages that have none go.
    bool find_front(uint32_t port) {
        fifo& from = m_fifos[port];
        for (; !from.entries.empty(); pop(from)) {
            if (from.packets == 0) {
                from.packets = packets_of(from.entries.front().node);
            }
            skip_others(port);
            if (from.index < from.packets) {
                return true;
            }
        }
        return false;
    }

    void skip_others(uint32_t port) {
        fifo& from = m_fifos[port];
        const entry front = from.entries.front();
        while (!front.one_way && from.index < from.packets &&
               port_of(front.node, from.index) != port) {
            ++from.index;
        }
    }

    static void pop(fifo& from) {
        from.entries.pop();
        from.index = from.packets = 0;
        from.begun = false;
    }

    // Packets of the front message have been taken, with so many bytes.
    void leave(uint32_t port, uint64_t bytes, uint64_t now) {
        fifo& from = m_fifos[port];
        skip_others(port);
        if (from.index == from.packets) {
            pop(from);
            end(port, bytes, now);
        }
    }

    // To an observer a FIFO is a channel of a DMA.
    void begin(uint32_t port, uint32_t node, uint64_t now) {
        if (m_observer != nullptr && !m_fifos[port].begun) {
            const chm_graph_node& message = m_owner.m_graph.nodes[node];
            m_observer->channel_begins(
                m_die, port, {m_die, message.destination, 0, node, packets_of(node), message.bytes},
                now, now);
        }
        m_fifos[port].begun = true;
    }
    // With the last bytes of a message.
    void end(uint32_t port, uint64_t bytes, uint64_t now) {
        if (m_observer != nullptr) {
            const chm_topology& topology = m_owner.m_network.topology();
            m_observer->channel_ends(m_die, port, now + chm_topology_flits(&topology, bytes));
        }
    }

    // Packets to hand over as one, of so many full ones. Few are no train, but are sent ahead.
    uint32_t train_of(uint64_t full) const {
        return full > 1 && m_owner.m_network.trains()
                   ? static_cast<uint32_t>(std::min<uint64_t>(full, UINT32_MAX))
                   : 1;
    }

    replay& m_owner;
    trace::observer* m_observer = nullptr;
    uint32_t m_die;
    network_port& m_place;
    std::vector<fifo> m_fifos; // by port
};

} // namespace chimera::fabric
