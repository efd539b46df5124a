// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "tests/support/built_topology.h"
#include "tests/support/fabric_run.h"

namespace chimera::test {

// Packets of 256 bytes: a header and ceil(256 / 50) flits.
constexpr uint64_t packet_bytes = 256;
constexpr uint32_t full = 1 + 6;

// A topology some of whose links are slow.
class slowed {
public:
    explicit slowed(const built_topology&& built) = delete; // it must outlive this
    explicit slowed(const built_topology& built)
        : m_topology(*built), m_links(built->links, built->links + built->link_count) {
        m_topology.links = m_links.data();
    }
    void set(uint32_t link, uint32_t cycles_per_flit) {
        m_links[link].cycles_per_flit = cycles_per_flit;
    }
    void set_at_random(uint64_t seed) {
        for (uint32_t link = 0; link < m_links.size(); ++link) {
            set(link, 1 + static_cast<uint32_t>(chm_hash3(seed, 1, link) % 5));
        }
    }
    const chm_topology& operator*() const { return m_topology; }
    const chm_topology* operator->() const { return &m_topology; }

private:
    chm_topology m_topology;
    std::vector<chm_link> m_links;
};

inline std::vector<uint32_t> path(const chm_topology& topology, uint32_t from, uint32_t to) {
    const chm_route_key key = {from, to, 0};
    std::vector<uint32_t> links(topology.nodes);
    links.resize(chm_topology_path(&topology, &key, links.data(), topology.nodes));
    return links;
}

struct outcome {
    std::vector<uint64_t> done, busy;
};

inline outcome play(const chm_topology& topology, const chm_graph& graph,
                    const fabric::fabric_params& params) {
    fabric_run run(topology, params, graph);
    const auto end = run.run();
    EXPECT_EQ(end.status, chm_ok) << end.text;
    EXPECT_TRUE(run.network().idle()) << "every credit is back";
    outcome result;
    for (uint32_t node = 0; node < graph.node_count; ++node) {
        result.done.push_back(run.player().done_at(node));
    }
    for (uint32_t link = 0; link < topology.link_count; ++link) {
        result.busy.push_back(run.network().link_busy_cycles(link));
    }
    return result;
}

inline fabric::fabric_params loosely(bool in_order) {
    fabric::fabric_params params;
    params.fidelity = chm_fidelity_lt;
    params.lt_in_order = in_order;
    return params;
}

} // namespace chimera::test
