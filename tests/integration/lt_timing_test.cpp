// SPDX-License-Identifier: Apache-2.0
// On an idle network the loosely timed fabric agrees with the approximately timed one to the cycle.
// From the paper's network timing, a message of F flits over H links between routers arrives at
// issue + 5 + 103*H + F on mesh and torus, at issue + 204 + F on one switch and 104 later on the
// other; a replay of one message ends one cycle later.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/fabric/replay.h"
#include "tests/support/built_topology.h"
#include "tests/support/fabric_run.h"
#include "tests/support/message_graph.h"

using namespace chimera::fabric;
using chimera::test::built_topology;
using chimera::test::fabric_defaults;
using chimera::test::fabric_run;
using chimera::test::message_graph;

namespace {

fabric_params loosely(bool in_order = true) {
    fabric_params params;
    params.fidelity = chm_fidelity_lt;
    params.lt_in_order = in_order;
    return params;
}

uint64_t cycles(const chm_topology& topology, message_graph& graph, const fabric_params& params) {
    replay_result result = run_replay(topology, params, graph.get());
    EXPECT_EQ(result.status, chm_ok) << result.text;
    return result.cycles;
}

class idle : public testing::TestWithParam<std::tuple<std::string, double>> {};

// One message from each of three dies to every die, alone.
void expect_agreement(const chm_topology& topology, const std::vector<uint64_t>& sizes) {
    for (uint32_t from : {0u, topology.dies / 2, topology.dies - 1}) {
        for (uint32_t to = 0; to < topology.dies; to += 1 + topology.dies / 24) {
            for (uint64_t bytes : sizes) {
                message_graph graph;
                graph.send(from, to, bytes);
                const uint64_t expected = cycles(topology, graph, fabric_params());
                EXPECT_EQ(cycles(topology, graph, loosely(true)), expected)
                    << topology.name << " " << from << "->" << to << " " << bytes << " bytes";
                EXPECT_EQ(cycles(topology, graph, loosely(false)), expected)
                    << topology.name << " " << from << "->" << to << " " << bytes << " bytes";
            }
        }
    }
}

// Messages between random dies, each sent when the one before has arrived: every one must arrive
// in the same cycle. The largest is what the channels of a class hold on a torus (2 * 318 flits):
// beyond that and at 500 cycles a message waits for credits, which LT does not have.
void expect_series_agrees(const chm_topology& topology) {
    constexpr uint32_t count = 60;
    constexpr uint64_t sizes[] = {0, 1, 256, 257, 3000, 20000};
    message_graph graph;
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t hash = chm_hash3(5, topology.dies, i);
        const auto from = static_cast<uint32_t>(hash % topology.dies);
        const auto to = static_cast<uint32_t>((hash >> 20) % topology.dies);
        graph.send(from, to, sizes[(hash >> 40) % 6],
                   i == 0 ? std::vector<uint32_t>{} : std::vector<uint32_t>{i - 1});
    }
    fabric_run at(topology, fabric_params(), graph.get());
    fabric_run in_order(topology, loosely(true), graph.get());
    fabric_run by_calls(topology, loosely(false), graph.get());
    ASSERT_EQ(at.run().status, chm_ok) << topology.name;
    ASSERT_EQ(in_order.run().status, chm_ok) << topology.name;
    ASSERT_EQ(by_calls.run().status, chm_ok) << topology.name;
    for (uint32_t i = 0; i < count; ++i) {
        ASSERT_EQ(in_order.player().done_at(i), at.player().done_at(i))
            << topology.name << " " << i;
        ASSERT_EQ(by_calls.player().done_at(i), at.player().done_at(i))
            << topology.name << " " << i;
    }
}

// Sizes from 1 up, short and long links, a clock whose cycle is no whole number of picoseconds.
class idle_sizes : public testing::TestWithParam<uint32_t> {
protected:
    static std::vector<chm_fabric_params> variants() {
        std::vector<chm_fabric_params> all(4, fabric_defaults());
        all[1].link_latency_cycles = 1;
        all[2].link_latency_cycles = 500;
        all[3].clock_ghz = 1.7;
        return all;
    }
};

} // namespace

TEST_P(idle_sizes, every_topology_agrees_with_at) {
    const uint32_t n = GetParam();
    for (const chm_fabric_params& fabric : variants()) {
        for (uint32_t other : {1u, 2u, 10 - n}) {
            expect_series_agrees(*built_topology::mesh({n, other}, fabric));
            expect_series_agrees(*built_topology::torus({n, other}, fabric));
            expect_series_agrees(*built_topology::fat_tree(std::min(n, 2u), other, fabric));
        }
        expect_series_agrees(*built_topology::mesh({n, 2, 3}, fabric));
        expect_series_agrees(*built_topology::torus({n, 3, 2}, fabric));
        expect_series_agrees(*built_topology::fat_tree(2, n, fabric));
    }
}

INSTANTIATE_TEST_SUITE_P(from_1_to_9, idle_sizes, testing::Range(1u, 10u));

TEST_P(idle, agrees_with_at_on_every_platform) {
    built_topology built = built_topology::shipped(std::get<0>(GetParam()));
    chm_topology topology = *built;
    topology.clock_ghz = std::get<1>(GetParam());
    expect_agreement(topology, {0, 1, 51, 256, 257, 5000});
}

INSTANTIATE_TEST_SUITE_P(platforms, idle,
                         testing::Combine(testing::ValuesIn(built_topology::shipped_names()),
                                          testing::Values(1.0, 1.7)));

TEST(lt_timing, closed_forms) {
    built_topology mesh = built_topology::mesh({5, 5});
    message_graph far;
    far.send(0, 24, 1000000); // 3906 full packets + 64 B = 27,345 flits, H = 8
    EXPECT_EQ(cycles(*mesh, far, loosely()), 5u + 103 * 8 + 27345 + 1);
    message_graph self;
    self.send(7, 7, 256); // H = 0
    EXPECT_EQ(cycles(*mesh, self, loosely()), 5u + 7 + 1);
    built_topology tree = built_topology::fat_tree(2, 8);
    message_graph across;
    across.send(0, 15, 257); // 7 + 2 flits
    EXPECT_EQ(cycles(*tree, across, loosely()), 204u + 104 + 9 + 1);
}

TEST(lt_timing, agrees_at_every_link_latency_and_chunk_size) {
    for (uint64_t latency : {1, 2, 7, 100, 500}) {
        chm_fabric_params fabric = fabric_defaults();
        fabric.link_latency_cycles = latency;
        built_topology torus = built_topology::torus({4, 3}, fabric);
        for (uint64_t chunk_bytes : {1, 256, 1000, 4096, 1 << 20}) {
            for (uint64_t horizon : {0, 50, 200, 100000}) {
                message_graph graph;
                graph.send(1, 6, 20000);
                fabric_params params = loosely();
                params.lt_chunk_bytes = chunk_bytes;
                params.lt_horizon_cycles = horizon;
                EXPECT_EQ(cycles(*torus, graph, params), cycles(*torus, graph, fabric_params()))
                    << "latency " << latency << " chunk " << chunk_bytes << " horizon " << horizon;
            }
        }
    }
}

// 896 flits arrive at 1,004, compute at 1,005 for 1 cycle, the dependent send is issued at 1,007,
// 448 flits arrive at 1,563, compute at 1,564.
TEST(lt_timing, dependencies_cost_a_cycle_each) {
    built_topology mesh = built_topology::mesh({5, 5});
    message_graph graph;
    uint32_t first = graph.send(0, 1, 32768);
    uint32_t reduce = graph.compute(1, 1, {first});
    uint32_t second = graph.send(1, 6, 16384, {reduce});
    graph.compute(6, 1, {second});
    EXPECT_EQ(cycles(*mesh, graph, loosely()), 1565u);
}

// Two streams of n packets through one ejection port: the last flit of 2n * 7 leaves without a gap,
// at 5 + 103 * 2 + 2n * 7.
TEST(lt_timing, a_shared_port_is_shared) {
    built_topology mesh = built_topology::mesh({5, 1});
    for (uint64_t n : {4, 40, 400}) {
        message_graph graph;
        graph.send(0, 2, n * 256);
        graph.send(4, 2, n * 256);
        EXPECT_EQ(cycles(*mesh, graph, loosely(true)), 5 + 206 + 14 * n + 1);
        EXPECT_EQ(cycles(*mesh, graph, loosely(false)), 5 + 206 + 14 * n + 1);
    }
}
