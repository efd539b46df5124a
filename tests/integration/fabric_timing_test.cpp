// SPDX-License-Identifier: Apache-2.0
// Zero-load times. From the paper's network timing, a message of F flits over H links between
// routers arrives at issue + 5 + 103*H + F on mesh and torus; on the fat tree at issue + 204 + F on
// the same switch and 104 later on the other. A replay of one message ends one cycle later.
#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "hw/fabric/replay.h"
#include "tests/support/built_topology.h"
#include "tests/support/message_graph.h"

using namespace chimera::fabric;
using chimera::test::built_topology;
using chimera::test::message_graph;

namespace {

// 7 flits per full packet of 256 bytes, else one header and a flit per 50 bytes.
uint64_t flits_of(uint64_t bytes) {
    uint64_t rest = bytes % 256;
    return bytes / 256 * 7 + (rest > 0 ? 1 + (rest + 49) / 50 : 0);
}

uint32_t ring_distance(uint32_t a, uint32_t b, uint32_t extent, bool wraps) {
    uint32_t there = a > b ? a - b : b - a;
    return wraps ? std::min(there, extent - there) : there;
}

struct distance {
    uint32_t hops;
    uint64_t latency;
};

distance between(const chm_topology& topology, bool tree, uint32_t from, uint32_t to) {
    if (tree) {
        bool same = from / topology.extent[0] == to / topology.extent[0];
        return {same ? 0u : 1u, same ? 204u : 308u};
    }
    uint32_t a[3] = {from % topology.extent[0], from / topology.extent[0] % topology.extent[1],
                     from / (topology.extent[0] * topology.extent[1])};
    uint32_t b[3] = {to % topology.extent[0], to / topology.extent[0] % topology.extent[1],
                     to / (topology.extent[0] * topology.extent[1])};
    uint32_t hops = 0;
    for (int d = 0; d < 3; ++d) {
        hops += ring_distance(a[d], b[d], topology.extent[d], topology.wraps);
    }
    return {hops, 5 + 103u * hops};
}

class zero_load : public testing::TestWithParam<std::tuple<const char*, double>> {};

} // namespace

TEST_P(zero_load, every_size_over_every_distance_is_exact) {
    const std::string name = std::get<0>(GetParam());
    built_topology built = built_topology::shipped(name);
    chm_topology topology = *built;
    topology.clock_ghz = std::get<1>(GetParam());
    const bool tree = name.rfind("fat_tree", 0) == 0;
    std::set<uint32_t> seen;
    for (uint32_t to = 0; to < topology.dies; ++to) {
        const distance way = between(topology, tree, 1, to);
        if (!seen.insert(way.hops).second) {
            continue;
        }
        for (uint64_t bytes : {1, 50, 51, 255, 256, 257, 512, 4096, 1000000}) {
            message_graph graph;
            graph.send(1, to, bytes);
            replay_result result = run_replay(topology, fabric_params(), graph.get());
            ASSERT_EQ(result.status, chm_ok) << result.text;
            EXPECT_EQ(result.cycles, way.latency + flits_of(bytes) + 1)
                << name << " " << bytes << " bytes over " << way.hops << " links";
            EXPECT_EQ(result.byte_hops, bytes * way.hops);
            EXPECT_EQ(result.packet_hops, (bytes + 255) / 256 * way.hops);
            EXPECT_EQ(result.latency_min, result.cycles - 1);
            EXPECT_EQ(result.latency_max, result.cycles - 1);
        }
    }
    // 1 is beside a corner of the mesh: 0 .. 7 links; rings of 4: 0 .. 2 each way; of 2: 0 .. 1.
    const size_t distances = name == "mesh_5x5"      ? 8
                             : name == "torus_4x4"   ? 5
                             : name == "torus_2x2x2" ? 4
                                                     : 2;
    EXPECT_EQ(seen.size(), distances);
}

INSTANTIATE_TEST_SUITE_P(small_platforms, zero_load,
                         testing::Combine(testing::Values("mesh_5x5", "torus_4x4", "torus_2x2x2",
                                                          "fat_tree_2x8"),
                                          testing::Values(1.0, 1.7)));

// 10^6 B = 3906 full packets + 64 B = 27,345 flits over 8 links: 5 + 824 + 27,345 + 1.
TEST(fabric_timing, the_chain_of_the_reference) {
    built_topology mesh = built_topology::mesh({5, 5});
    message_graph graph;
    graph.send(0, 24, 1000000);
    EXPECT_EQ(run_replay(*mesh, fabric_params(), graph.get()).cycles, 28175u);
}

// An empty message is one header flit: 5 + 103 + 1 + 1.
TEST(fabric_timing, an_empty_message_is_one_header) {
    built_topology mesh = built_topology::mesh({5, 5});
    message_graph graph;
    graph.send(0, 1, 0);
    EXPECT_EQ(run_replay(*mesh, fabric_params(), graph.get()).cycles, 110u);
}

// The reference's walk through tp_sp.fused.mesh_5x5: 32 KiB = 896 flits arrive at 1,004, compute at
// 1,005 for 1 cycle, next send at 1,007; 16 KiB = 448 flits arrive at 1,563, compute at 1,564.
TEST(fabric_timing, dependencies_cost_a_cycle_each) {
    built_topology mesh = built_topology::mesh({5, 5});
    message_graph graph;
    uint32_t first = graph.send(0, 1, 32768);
    uint32_t reduce = graph.compute(1, 1, {first});
    uint32_t second = graph.send(1, 6, 16384, {reduce});
    graph.compute(6, 1, {second});
    EXPECT_EQ(run_replay(*mesh, fabric_params(), graph.get()).cycles, 1565u);
}
