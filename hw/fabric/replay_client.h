// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/base/checked.h"
#include "hw/fabric/replay.h"
#include "hw/fabric/trace_notes.h"

namespace chimera::fabric {

// The injection FIFO of one die: cuts messages into packets of at most mtu_bytes as they are
// pulled.
class replay::die_client : public network_client {
public:
    die_client(replay& owner, uint32_t die) : m_owner(owner), m_die(die) {}

    void set_observer(trace::observer* observer) { m_observer = observer; }
    void queue(uint32_t node) { m_queue.push(node); }

    packet* next_packet(uint64_t now) override {
        if (m_queue.empty()) {
            return nullptr;
        }
        const uint32_t node = m_queue.front();
        const chm_graph_node& message = m_owner.m_graph.nodes[node];
        begin(node, now);
        packet* item = m_owner.m_network.packets().take();
        const uint64_t mtu = m_owner.m_network.topology().mtu_bytes;
        item->source = m_die;
        item->destination = message.destination;
        item->message = m_owner.message_of(node);
        item->tag.chunk = node;
        item->index = m_index++;
        item->payload_bytes = static_cast<uint32_t>(std::min(mtu, message.bytes - m_offset));
        item->train = train_of((message.bytes - m_offset) / mtu);
        m_index += item->train - 1;
        m_offset += uint64_t(item->train) * item->payload_bytes;
        if (m_offset == message.bytes) {
            item->last = true;
            m_queue.pop();
            m_offset = 0;
            m_index = 0;
            end(item->payload_bytes, now);
        }
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
        if (m_queue.empty()) {
            return false;
        }
        const uint32_t node = m_queue.front();
        const chm_graph_node& message = m_owner.m_graph.nodes[node];
        begin(node, now);
        const uint64_t mtu = m_owner.m_network.topology().mtu_bytes;
        const uint64_t left =
            std::max<uint64_t>(1, chm_ceil_div_u64(message.bytes - m_offset, mtu));
        item.packets = static_cast<uint32_t>(std::min(left, limit.packets(m_index)));
        item.source = m_die;
        item.destination = message.destination;
        item.message = m_owner.message_of(node);
        item.tag = node;
        item.index = m_index;
        item.last = item.packets == left;
        item.payload_bytes = std::min(item.packets * mtu, message.bytes - m_offset);
        m_offset += item.payload_bytes;
        m_index += item.packets;
        if (item.last) {
            m_queue.pop();
            m_offset = 0;
            m_index = 0;
            end(item.payload_bytes, now);
        }
        return true;
    }

    // Only the end of a message that others wait for changes what happens next.
    bool announced(const chunk& item) override {
        uint32_t& coming = m_owner.m_nodes[item.tag].coming;
        coming -= item.packets;
        return (coming == 0 && m_owner.is_awaited(item.tag)) || m_observer != nullptr;
    }

    void chunk_arrived(const chunk& item, uint64_t now) override {
        if (m_observer != nullptr) {
            m_observer->arrived(note_of(item), now);
        }
        m_owner.arrived(item.tag, item.packets, now);
    }

private:
    // To an observer the FIFO is the one channel of a DMA.
    void begin(uint32_t node, uint64_t now) {
        if (m_observer != nullptr && m_index == 0) {
            const chm_graph_node& message = m_owner.m_graph.nodes[node];
            const uint64_t mtu = m_owner.m_network.topology().mtu_bytes;
            m_observer->channel_begins(m_die, 0,
                                       {m_die, message.destination, 0, node,
                                        std::max<uint64_t>(1, chm_ceil_div_u64(message.bytes, mtu)),
                                        message.bytes},
                                       now, now);
        }
    }
    // With the last bytes of a message.
    void end(uint64_t bytes, uint64_t now) {
        if (m_observer != nullptr) {
            const chm_topology& topology = m_owner.m_network.topology();
            m_observer->channel_ends(m_die, 0, now + chm_topology_flits(&topology, bytes));
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
    ring_queue<uint32_t> m_queue;
    uint64_t m_offset = 0; // bytes of the front message already cut
    uint32_t m_index = 0;
};

} // namespace chimera::fabric
