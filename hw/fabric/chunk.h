// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "hw/fabric/lt/lt_slab.h"
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
    bool last = false;   // has the last packet of its message
    bool awaited = true; // false: whoever takes it will not be asked whether it must know in time

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
    uint8_t passed_by : 7;            // others, at the router it is in
    uint8_t awaited : 1;              // chunk::awaited

    chunk_head() : passed_by(0), awaited(1) {}
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
        chunk& item = m_free != nullptr ? *m_free : fresh();
        m_free = item.next;
        item.payload_bytes = 0;
        item.metadata_bytes = 0;
        item.tag = 0;
        item.last = false;
        item.awaited = true;
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
    static constexpr size_t most_blocks = 256; // of a slab, which then is three huge pages

    chunk& fresh() {
        if (m_used == allocated()) {
            grow();
        }
        chunk& item = *new (&at(static_cast<uint32_t>(m_used))) chunk;
        item.place = static_cast<uint32_t>(m_used++);
        return item;
    }

    void grow() {
        const size_t blocks = std::clamp<size_t>(m_blocks.size(), 1, most_blocks);
        if (allocated() + blocks * block_chunks > UINT32_MAX) {
            throw std::bad_alloc();
        }
        m_slabs.emplace_back(blocks * block_chunks * sizeof(chunk));
        auto* first = static_cast<chunk*>(m_slabs.back().memory());
        for (size_t i = 0; i < blocks; ++i) {
            m_blocks.push_back(first + i * block_chunks);
        }
    }

    chunk* m_free = nullptr; // given back
    size_t m_used = 0;       // so many were ever taken
    std::vector<chunk*> m_blocks;
    std::vector<lt_slab> m_slabs;
};

} // namespace chimera::fabric
