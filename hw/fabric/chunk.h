// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/fabric/packet.h"

namespace chimera::fabric {

struct lt_pair;

// The unit of the loosely timed fabric: consecutive packets of one message, which are carried as
// one. The client, or the interface on behalf of one that knows only packets, fills the first part,
// the fabric the second. Chunks come from a chunk_pool and stay where they are until they arrive;
// what moves is a chunk_head.
struct chunk {
    uint64_t message = 0;     // id of its message
    uint32_t tag = 0;         // the client's; the fabric does not look at it
    uint32_t source = 0;      // die
    uint32_t destination = 0; // die; may be the source
    uint32_t index = 0;       // of the first packet in its message; decides random routes
    uint32_t packets = 1;
    uint64_t payload_bytes = 0;
    uint32_t metadata_bytes = 0;
    bool last = false;       // has the last packet of its message
    packet* items = nullptr; // the packets, last one first, linked by next; null: the client
                             // takes chunks

    uint32_t flits = 0;      // headers included
    uint32_t hops = 0;       // links between routers passed; set at arrival
    uint64_t due = 0;        // of its arrival
    uint32_t turn = 0;       // place in the order of its pair
    lt_pair* pair = nullptr; // all that is under way from its source to its destination
    chunk* next = nullptr;   // of a list: free ones, or early ones of a pair
};

// What routers need to know of a chunk, apart and by value: under load, most chunks wait somewhere,
// and a queue of these is read in the order in which it lies in memory, a cache line each.
struct alignas(64) chunk_head {
    uint64_t due = 0;    // cycle: head at the module called; at an interface: arrival
    uint64_t called = 0; // cycle of the present call
    uint64_t random = 0; // chm_route_key.random
    chunk* body = nullptr;
    uint32_t source = 0, destination = 0; // dies
    uint32_t flits = 0;
    uint32_t input = 0;     // port of the router called
    uint32_t output = 0;    // ... and the one it is to leave by, known while it is kept
    uint32_t hops = 0;      // links between routers passed
    uint32_t passed_by = 0; // others, at the router it is in
};

// How many packets a chunk may have. The more of a message has been sent, the larger its chunks,
// so that what one of them holds up is always the same small part of the whole.
struct chunk_limit {
    uint64_t least = 1;
    uint64_t share = 1024; // 1 / share of what has been sent

    // The largest chunk that begins with packet `index` of its message.
    uint64_t packets(uint64_t index) const { return std::max(least, index / share); }
};

// Owns chunks; grows as needed and re-uses what comes back. take may throw std::bad_alloc.
class chunk_pool {
public:
    chunk_pool() = default;
    chunk_pool(const chunk_pool&) = delete;
    chunk_pool& operator=(const chunk_pool&) = delete;

    chunk& take() {
        if (m_free == nullptr) {
            m_blocks.push_back(std::make_unique<chunk[]>(block_chunks));
            for (size_t i = 0; i < block_chunks; ++i) {
                give(m_blocks.back()[i]);
            }
        }
        chunk& item = *m_free;
        m_free = item.next;
        item = chunk{};
        return item;
    }

    void give(chunk& item) {
        item.next = m_free;
        m_free = &item;
    }

    size_t allocated() const { return m_blocks.size() * block_chunks; }

private:
    static constexpr size_t block_chunks = 256;
    chunk* m_free = nullptr;
    std::vector<std::unique_ptr<chunk[]>> m_blocks;
};

} // namespace chimera::fabric
