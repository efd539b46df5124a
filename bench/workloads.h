// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/base/arena.h"
#include "hw/base/random.h"
#include "hw/golden/network/graph.h"
#include "hw/golden/network/topology.h"

namespace chimera::bench {

// A square mesh with the default parameters, and the memory it lives in. Throws std::bad_alloc.
class mesh {
public:
    explicit mesh(uint32_t side);
    ~mesh() { chm_arena_free(&m_arena); }
    mesh(const mesh&) = delete;
    mesh& operator=(const mesh&) = delete;

    uint32_t side() const { return m_topology.extent[0]; }
    uint32_t dies() const { return m_topology.dies; }
    const chm_topology& topology() const { return m_topology; }

private:
    chm_arena m_arena{};
    chm_topology m_topology{};
};

// Independent messages, all issued at cycle 0.
class message_list {
public:
    void send(uint32_t die, uint32_t destination, uint64_t bytes) {
        m_nodes.push_back({chm_graph_send, die, destination, bytes, 0});
    }
    // Valid until the next send.
    chm_graph graph() const;

private:
    std::vector<chm_graph_node> m_nodes;
    mutable std::vector<uint64_t> m_first_after; // all 0
};

// Another die than `die`, the `i`th of a series.
inline uint32_t random_other(uint32_t die, uint32_t i, uint32_t dies) {
    return static_cast<uint32_t>((die + 1 + chm_hash3(1, die, i) % (dies - 1)) % dies);
}

} // namespace chimera::bench
