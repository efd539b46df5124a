// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/lt/lt_ways.h"

#include <algorithm>

#include "hw/base/random.h"

namespace chimera::fabric {

namespace {
constexpr uint32_t most_random_bits = 3; // a choice per dimension
}

lt_ways::lt_ways(const chm_topology& topology, uint64_t seed)
    : m_topology(topology), m_seed(seed),
      m_keys(topology.random_bits <= most_random_bits ? 1u << topology.random_bits : 1) {}

uint8_t lt_ways::choice(uint64_t message, uint64_t index) const {
    const uint64_t used = (uint64_t(1) << m_topology.random_bits) - 1;
    return static_cast<uint8_t>(route_random(m_seed, message, index) & used);
}

// Equal for keys that lead over the same links.
uint64_t lt_ways::way_signature(const chunk& item, uint64_t key) {
    m_path.resize(m_topology.nodes);
    const chm_route_key route = {item.source, item.destination, key};
    const uint32_t count = chm_topology_path(&m_topology, &route, m_path.data(), m_topology.nodes);
    uint64_t signature = count;
    for (uint32_t i = 0; i < count && count <= m_topology.nodes; ++i) {
        signature = chm_hash2(signature, m_path[i]);
    }
    return signature;
}

void lt_ways::find_ways(const chunk& item, lt_pair& pair) {
    uint64_t signatures[1u << most_random_bits];
    pair.ways = 0;
    for (uint32_t key = 0; key < m_keys; ++key) {
        const uint64_t signature = way_signature(item, key);
        const uint64_t* end = signatures + pair.ways;
        const auto way = static_cast<uint8_t>(
            std::find(signatures, signatures + pair.ways, signature) - signatures);
        if (signatures + way == end) {
            signatures[pair.ways++] = signature;
        }
        pair.way[key] = way;
    }
}

// The packet that begins `offset` bytes into the whole.
void lt_ways::add_packet(chunk& part, const chunk& whole, uint64_t offset, packet* item) const {
    ++part.packets;
    if (item != nullptr) {
        part.payload_bytes += item->payload_bytes;
        part.metadata_bytes += item->metadata_bytes;
        part.flits += item->flits;
        item->next = part.items;
        part.items = item;
        return;
    }
    // Metadata come first.
    const uint64_t total = whole.payload_bytes + whole.metadata_bytes;
    const uint64_t end = std::min<uint64_t>(offset + m_topology.mtu_bytes, total);
    const uint64_t metadata = std::min<uint64_t>(end, whole.metadata_bytes) -
                              std::min<uint64_t>(offset, whole.metadata_bytes);
    part.metadata_bytes += static_cast<uint32_t>(metadata);
    part.payload_bytes += end - offset - metadata;
    part.flits += packet_flits(m_topology, end - offset);
}

void lt_ways::split(chunk& item, lt_pair& pair, chunk_pool& pool, std::vector<chunk*>& parts) {
    parts.assign(1, &item);
    if (m_keys > 1 && pair.ways == 0) {
        find_ways(item, pair);
    }
    if (pair.ways <= 1 || item.packets == 1) {
        return;
    }
    m_packets.clear();
    for (packet* each = item.items; each != nullptr; each = each->next) {
        m_packets.push_back(each);
    }
    const chunk whole = item;
    chunk* part_of[1u << most_random_bits] = {};
    parts.clear();
    for (uint32_t i = 0; i < whole.packets; ++i) {
        packet* one = m_packets.empty() ? nullptr : m_packets[m_packets.size() - 1 - i];
        const uint32_t index = one == nullptr ? whole.index + i : one->index;
        chunk*& part = part_of[pair.way[choice(whole.message, index)]];
        if (part == nullptr) {
            part = parts.empty() ? &item : &pool.take();
            const uint32_t place = part->place;
            *part = whole;
            part->place = place;
            part->index = index;
            part->packets = part->flits = part->metadata_bytes = 0;
            part->payload_bytes = 0;
            part->items = nullptr;
            parts.push_back(part);
        }
        add_packet(*part, whole, uint64_t(i) * m_topology.mtu_bytes, one);
        part->last = whole.last && i + 1 == whole.packets;
    }
}

} // namespace chimera::fabric
