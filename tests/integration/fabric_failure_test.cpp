// SPDX-License-Identifier: Apache-2.0
// Links and dies that fail: what is left is reached by other ways, or named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "tests/support/built_topology.h"
#include "tests/support/fabric_run.h"
#include "tests/support/message_graph.h"

using namespace chimera::fabric;
using chimera::test::built_topology;
using chimera::test::fabric_run;
using chimera::test::message_graph;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

chm_failure link_failure(uint32_t a, uint32_t b, uint64_t cycle) {
    return {chm_failure_link, a, b, cycle};
}
chm_failure die_failure(uint32_t die, uint64_t cycle) {
    return {chm_failure_die, die, 0, cycle};
}

fabric_params failing(std::vector<chm_failure> failures) {
    fabric_params params;
    params.failures = std::move(failures);
    return params;
}

} // namespace

// 0 to 1 on a mesh of 2 x 2 whose link fails before anything moves: the way over 2 and 3 has three
// links instead of one, and a packet may start reroute_cycles after the network is known to be
// empty, a cycle after the failure.
TEST(fabric_failure, a_packet_takes_the_way_that_is_left) {
    built_topology mesh = built_topology::mesh({2, 2});
    message_graph graph;
    graph.send(0, 1, 256);
    const uint64_t calm = run_replay(*mesh, fabric_params(), graph.get()).cycles;
    EXPECT_EQ(calm, 5 + 103 + 7 + 1u);
    fabric_params params = failing({link_failure(0, 1, 0)});
    for (uint64_t reroute : {1, 1000}) {
        params.reroute_cycles = reroute;
        const replay_result result = run_replay(*mesh, params, graph.get());
        EXPECT_EQ(result.status, chm_ok) << result.text;
        EXPECT_EQ(result.cycles, calm + 2 * 103 + 1 + reroute);
        EXPECT_EQ(result.packet_hops, 3u);
    }
}

// The head enters the link at cycle 5 - 1 + 3 or so and its tail is across 107 cycles later: a
// failure before that gives it back, one after does nothing to it.
TEST(fabric_failure, what_is_not_across_is_sent_again) {
    built_topology mesh = built_topology::mesh({2, 2});
    message_graph graph;
    graph.send(0, 1, 256);
    const uint64_t calm = run_replay(*mesh, fabric_params(), graph.get()).cycles;
    for (uint64_t cycle : {50, 200}) {
        fabric_run run(*mesh, failing({link_failure(0, 1, cycle)}), graph.get());
        const auto end = run.run();
        ASSERT_EQ(end.status, chm_ok) << end.text;
        const uint64_t returned = run.network().failures()->statistics().returned;
        EXPECT_EQ(returned, cycle == 50 ? 1u : 0u);
        if (returned == 0) {
            EXPECT_EQ(run.player().result().cycles, calm);
        } else {
            EXPECT_GT(run.player().result().cycles, calm + 2 * 103 + 1000);
        }
        EXPECT_TRUE(run.network().idle());
        EXPECT_EQ(run.network().packets().outstanding(), 0u);
    }
}

// Any link at any time, with stalls, losses and a second failure: all arrives, once.
TEST(fabric_failure, random_failures_of_links_lose_nothing) {
    uint64_t returned = 0;
    for (const char* name : {"mesh_5x5", "torus_4x4", "torus_2x2x2", "mesh_8x8"}) {
        built_topology built = built_topology::shipped(name);
        message_graph graph = message_graph::all_to_all(built->dies, 1000);
        const replay_result calm = run_replay(*built, fabric_params(), graph.get());
        for (uint64_t seed = 0; seed < 8; ++seed) {
            SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
            fabric_params params;
            params.seed = seed;
            for (uint64_t i = 0; i <= seed % 2; ++i) {
                const chm_link& link = built->links[chm_hash3(seed, 1, i) % built->link_count];
                params.failures.push_back(link_failure(link.from_node, link.to_node,
                                                       chm_hash3(seed, 2, i) % calm.cycles));
            }
            params.stall_probability = seed % 4 == 2 ? 0.1 : 0;
            params.drop_probability = seed % 4 == 3 ? 0.02 : 0;
            params.corrupt_probability = params.drop_probability;
            params.window_round_trips = seed % 8 == 5 ? 2 : 0;
            fabric_run run(*built, params, graph.get());
            const auto end = run.run();
            ASSERT_EQ(end.status, chm_ok) << end.text;
            const replay_result result = run.player().result();
            EXPECT_GE(result.cycles, calm.cycles); // none may be left to inject
            EXPECT_EQ(result.packets, calm.packets);
            EXPECT_TRUE(run.network().idle());
            EXPECT_EQ(run.network().packets().outstanding(), 0u);
            EXPECT_EQ(run.network().failures()->statistics().lost, 0u);
            EXPECT_FALSE(run.network().failures()->severed());
            returned += run.network().failures()->statistics().returned;
            fabric_run again(*built, params, graph.get());
            again.run();
            EXPECT_EQ(again.player().result().cycles, result.cycles);
            EXPECT_EQ(again.player().result().latency_mean, result.latency_mean);
        }
    }
    EXPECT_GT(returned, 0u);
}

TEST(fabric_failure, the_only_link_is_named_with_who_needs_it) {
    built_topology mesh = built_topology::mesh({2, 1});
    message_graph graph;
    graph.send(0, 1, 2560);
    graph.send(1, 0, 256);
    const replay_result result = run_replay(*mesh, failing({link_failure(1, 0, 50)}), graph.get());
    EXPECT_EQ(result.status, chm_unreachable);
    EXPECT_THAT(result.text, HasSubstr("link router_1_0-router_0_0 failed at cycle 50\n"
                                       "die_0_0 cannot reach die_1_0: 10 packets lost\n"
                                       "die_1_0 cannot reach die_0_0: 1 packets lost\n"));
    EXPECT_THAT(result.text, HasSubstr("message 0 lacks 10 packets\n"));
}

// The middle of three in a row fails: the ends cannot reach it, nor each other.
TEST(fabric_failure, a_die_that_fails_takes_its_links_along) {
    built_topology mesh = built_topology::mesh({3, 1});
    message_graph graph;
    graph.send(0, 1, 256);
    graph.send(0, 2, 256);
    graph.send(1, 2, 256);
    const replay_result result = run_replay(*mesh, failing({die_failure(1, 20)}), graph.get());
    EXPECT_EQ(result.status, chm_unreachable);
    EXPECT_THAT(result.text, HasSubstr("die_1_0 failed at cycle 20\n"
                                       "die_0_0 cannot reach die_1_0: 1 packets lost\n"
                                       "die_0_0 cannot reach die_2_0: 1 packets lost\n"));

    // Around the middle of a mesh of 3 x 3 there are ways.
    built_topology square = built_topology::mesh({3, 3});
    message_graph around;
    around.send(3, 5, 256); // left to right, through the middle by dimension order
    fabric_run run(*square, failing({die_failure(4, 20)}), around.get());
    const auto end = run.run();
    ASSERT_EQ(end.status, chm_ok) << end.text;
    EXPECT_EQ(run.player().result().packet_hops, 4u);
}

// What was done before a failure is not undone by it.
TEST(fabric_failure, a_failure_after_the_end_changes_nothing) {
    built_topology mesh = built_topology::shipped("mesh_5x5");
    message_graph graph = message_graph::all_to_all(25, 1000);
    fabric_params params;
    params.trains = false;
    const replay_result calm = run_replay(*mesh, params, graph.get());
    params.failures = {link_failure(0, 1, 10000000), die_failure(7, 10000000)};
    const replay_result result = run_replay(*mesh, params, graph.get());
    EXPECT_EQ(result.status, chm_ok) << result.text;
    EXPECT_EQ(result.cycles, calm.cycles);
    EXPECT_EQ(result.latency_mean, calm.latency_mean);
}

TEST(fabric_failure, lt_refuses_failures) {
    built_topology mesh = built_topology::mesh({2, 1});
    message_graph graph;
    graph.send(0, 1, 256);
    fabric_params params = failing({link_failure(0, 1, 0)});
    params.fidelity = chm_fidelity_lt;
    EXPECT_EQ(run_replay(*mesh, params, graph.get()).text,
              "failures: allowed are none with fidelity lt\n");
}
