// SPDX-License-Identifier: Apache-2.0
// Every size of mesh and torus from 1 to 9 per dimension (3D: to 4), and of the fat tree: all dies
// send 1 KiB to all others. Every byte arrives, every credit is back, no watchdog.
#include <string>

#include <gtest/gtest.h>

#include "tests/support/built_topology.h"
#include "tests/support/fabric_run.h"
#include "tests/support/message_graph.h"

using namespace chimera::fabric;
using chimera::test::built_topology;
using chimera::test::fabric_run;
using chimera::test::message_graph;

namespace {

void all_to_all(const built_topology& built) {
    const uint64_t dies = built->dies;
    message_graph graph = message_graph::all_to_all(built->dies, 1024);
    fabric_run run(*built, fabric_params(), graph.get());
    auto end = run.run();
    ASSERT_EQ(end.status, chm_ok) << built->name << ": " << end.text;
    EXPECT_TRUE(run.finished());
    EXPECT_TRUE(run.network().idle()) << built->name;
    EXPECT_EQ(run.network().packets().outstanding(), 0u);
    fabric_statistics statistics = run.network().statistics();
    // 1 KiB is four full packets of seven flits.
    EXPECT_EQ(statistics.injected_packets, 4 * dies * (dies - 1)) << built->name;
    EXPECT_EQ(statistics.ejected_packets, statistics.injected_packets);
    EXPECT_EQ(statistics.injected_payload_bytes, 1024 * dies * (dies - 1));
    EXPECT_EQ(statistics.byte_hops, 256 * statistics.packet_hops);
    uint64_t link_flits = 0;
    for (uint32_t link = 0; link < built->link_count; ++link) {
        link_flits += run.network().link_busy_cycles(link);
    }
    EXPECT_EQ(link_flits, 7 * statistics.packet_hops) << built->name;
    for (uint32_t die = 0; die < dies; ++die) {
        const network_interface_statistics& one = run.network().interface(die).statistics();
        EXPECT_EQ(one.ejected_payload_bytes, 1024 * (dies - 1)) << built->name << " die " << die;
        EXPECT_EQ(one.injected_flits, 28 * (dies - 1));
        EXPECT_EQ(one.ejected_flits, 28 * (dies - 1));
    }
}

class columns : public testing::TestWithParam<uint32_t> {};

} // namespace

TEST_P(columns, mesh_of_every_height) {
    for (uint32_t rows = 1; rows <= 9; ++rows) {
        all_to_all(built_topology::mesh({GetParam(), rows}));
    }
}

TEST_P(columns, torus_of_every_height) {
    for (uint32_t rows = 1; rows <= 9; ++rows) {
        all_to_all(built_topology::torus({GetParam(), rows}));
    }
}

TEST_P(columns, fat_tree_of_that_many_dies_per_switch) {
    all_to_all(built_topology::fat_tree(1, GetParam()));
    all_to_all(built_topology::fat_tree(2, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(from_1_to_9, columns, testing::Range(1u, 10u));

TEST(fabric_sizes, three_dimensions) {
    for (uint32_t x = 1; x <= 4; ++x) {
        for (uint32_t y = 1; y <= 4; ++y) {
            for (uint32_t z = 1; z <= 4; ++z) {
                all_to_all(built_topology::mesh({x, y, z}));
                all_to_all(built_topology::torus({x, y, z}));
            }
        }
    }
}
