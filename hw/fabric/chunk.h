// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "hw/fabric/packet.h"

namespace chimera::fabric {

struct lt_pair;

// The unit of the loosely timed fabric: consecutive packets of one message, which are carried as
// one. The client, or the interface on behalf of one that knows only packets, fills the first part,
// the fabric the second. Chunks come from a chunk_pool and stay where they are until they arrive;
// what moves is a chunk_head.
struct chunk {
    uint64_t message = 0; // id of its message
    uint64_t payload_bytes = 0;
    uint32_t tag = 0;         // the client's; the fabric does not look at it
    uint32_t source = 0;      // die
    uint32_t destination = 0; // die; may be the source
    uint32_t index = 0;       // of the first packet in its message; decides random routes
    uint32_t packets = 1;
    uint32_t metadata_bytes = 0;
    bool last = false; // has the last packet of its message

    uint32_t flits = 0;      // headers included
    uint64_t due = 0;        // of its arrival
    uint32_t hops = 0;       // links between routers passed; set at arrival
    uint32_t place = 0;      // in the pool
    packet* items = nullptr; // the packets, last one first, linked by next; null: the client
                             // takes chunks
    lt_pair* pair = nullptr; // all that is under way from its source to its destination
    chunk* next = nullptr;   // of a list: free ones, or early ones of a pair
    uint32_t turn = 0;       // place in the order of its pair
};

constexpr uint32_t output_unknown = UINT32_MAX;

// What routers need to know of a chunk, apart and by value: under load, most chunks wait somewhere,
// and a queue of these is read in the order in which it lies in memory, two to a cache line.
struct alignas(32) chunk_head {
    uint64_t due = 0;  // cycle: head at the module called; at an interface: arrival
    uint32_t body = 0; // chunk::place
    uint32_t source = 0, destination = 0; // dies
    uint32_t flits = 0;
    uint32_t output = output_unknown; // of the router it is in, once that has looked
    uint16_t hops = 0;                // links between routers passed
    uint8_t random = 0;               // chm_route_key.random, as many bits as routing uses
    uint8_t passed_by = 0;            // others, at the router it is in
};

// How many packets a chunk may have. The more of a message has been sent, the larger its chunks,
// so that what one of them holds up is always the same small part of the whole.
struct chunk_limit {
    uint64_t least = 1;
    uint64_t share = 1024; // 1 / share of what has been sent

    // The largest chunk that begins with packet `index` of its message.
    uint64_t packets(uint64_t index) const { return std::max(least, index / share); }
};

// Owns chunks, each with a place of its own; grows as needed and re-uses what comes back. What take
// gives has no bytes, flits, packets or pair, and an old way, index and number of packets; it may
// throw std::bad_alloc.
class chunk_pool {
public:
    chunk_pool() = default;
    chunk_pool(const chunk_pool&) = delete;
    chunk_pool& operator=(const chunk_pool&) = delete;

    chunk& take() {
        if (m_free == nullptr) {
            grow();
        }
        chunk& item = *m_free;
        m_free = item.next;
        item.payload_bytes = 0;
        item.metadata_bytes = 0;
        item.tag = 0;
        item.last = false;
        item.flits = 0;
        item.items = nullptr;
        item.pair = nullptr;
        return item;
    }

    void give(chunk& item) {
        item.next = m_free;
        m_free = &item;
    }

    chunk& at(uint32_t place) { return m_blocks[place / block_chunks][place % block_chunks]; }
    const chunk& at(uint32_t place) const {
        return m_blocks[place / block_chunks][place % block_chunks];
    }

    size_t allocated() const { return m_blocks.size() * block_chunks; }

private:
    static constexpr size_t block_chunks = 256;

    void grow() {
        const size_t first = allocated();
        if (first + block_chunks > UINT32_MAX) {
            throw std::bad_alloc();
        }
        m_blocks.push_back(std::make_unique<chunk[]>(block_chunks));
        for (size_t i = block_chunks; i-- > 0;) {
            chunk& item = m_blocks.back()[i];
            item.place = static_cast<uint32_t>(first + i);
            give(item);
        }
    }

    chunk* m_free = nullptr;
    std::vector<std::unique_ptr<chunk[]>> m_blocks;
};

} // namespace chimera::fabric
