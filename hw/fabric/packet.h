// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/base/random.h"
#include "hw/golden/network/topology.h"

namespace chimera::fabric {

// Says to which transfer a packet belongs; the fabric carries it and does not look at it.
struct packet_tag {
    uint32_t communicator = 0;
    uint32_t seq = 0;
    uint64_t chunk = 0;
};

// The unit that travels. The client fills source to last and the tag, the fabric the rest. Packets
// come from a packet_pool: the sender's client takes one, the receiver's client gives it back.
//
// A cache line has all that a router looks at and writes: on a large machine a packet is cold
// wherever it comes.
struct alignas(64) packet {
    uint32_t source = 0;      // die
    uint32_t destination = 0; // die; may be the source
    uint64_t random = 0;      // chm_route_key.random
    uint32_t flits = 0;       // header included; set at injection
    uint32_t vc = 0; // virtual channel it travels in, or is queued in; of a train, the next one's

    // A train: packets index .. index + train - 1 of the message, all alike, one behind the other
    // (train.h). `last` is then of the last one.
    uint32_t train = 1;
    uint32_t serial = 0;   // of the train on its link, from 1; 0: its credits are explicit
    uint16_t vc_base = 0;  // its packets take the channels from here on ...
    uint16_t vc_width = 0; // ... so many, in turn

    uint16_t hops = 0; // links between routers passed

    // At a router.
    uint16_t first_vc = 0;  // first channel of its class at the port it wants
    uint64_t due = 0;       // cycle of its head; of a train, the next one's
    packet* next = nullptr; // behind it, on its link or in its channel; in the pool, or in a chunk
    uint32_t count = 0;     // of a train: packets to come; else 0
    uint32_t output = 0;    // port it wants

    uint64_t message = 0; // of its message; see route_random
    uint32_t index = 0;   // of the packet in its message
    uint32_t payload_bytes = 0;
    uint32_t metadata_bytes = 0; // row ids, headers of routed transfers; together <= mtu_bytes
    bool last = false;           // last packet of its message, as cut by the sender
    uint8_t port = 0;            // of its die, by which it left
    packet_tag tag;
    uint8_t* data =
        nullptr;           // the packet's own buffer of the pool's buffer_bytes; null: data is off
    uint64_t injected = 0; // cycle the head entered the injection link
};

// Owns packets and, with data on, a buffer of buffer_bytes for each. Grows as needed and re-uses
// what comes back; take and give allocate nothing once the high-water mark is reached. take may
// throw std::bad_alloc when memory runs out.
class packet_pool {
public:
    explicit packet_pool(size_t buffer_bytes = 0) : m_buffer_bytes(buffer_bytes) {}
    packet_pool(const packet_pool&) = delete;
    packet_pool& operator=(const packet_pool&) = delete;

    packet* take(); // fields as default-constructed, `data` set where data is on
    void give(packet* item);

    size_t buffer_bytes() const { return m_buffer_bytes; }
    size_t outstanding() const { return m_outstanding; } // taken and not given back

private:
    void grow();

    size_t m_buffer_bytes;
    size_t m_outstanding = 0;
    packet* m_free = nullptr;
    std::vector<std::unique_ptr<packet[]>> m_blocks;
    std::vector<std::unique_ptr<uint8_t[]>> m_buffers;
};

// What a packet's random choices of its way are: a hash of the seed and of message + index. So a
// part of a message can be named by the number of its first packet. Messages whose packets are to
// choose independently are 2^32 apart, or hashes themselves.
inline uint64_t route_random(uint64_t seed, uint64_t message, uint64_t index) {
    const uint64_t number = message + index;
    return chm_hash3(seed, number >> 32, number & UINT32_MAX);
}

// Flits of one packet of so many bytes (payload + metadata): header_flits + ceil(bytes /
// flit_bytes).
inline uint32_t packet_flits(const chm_topology& topology, uint64_t bytes) {
    return topology.header_flits +
           static_cast<uint32_t>((bytes + topology.flit_bytes - 1) / topology.flit_bytes);
}

} // namespace chimera::fabric
