// SPDX-License-Identifier: Apache-2.0
// Links that lose packets and send them again: what one loss costs, and what no loss may do.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/built_topology.h"
#include "tests/support/fabric_run.h"
#include "tests/support/message_graph.h"

using namespace chimera::fabric;
using chimera::test::built_topology;
using chimera::test::fabric_run;
using chimera::test::message_graph;
using ::testing::HasSubstr;

namespace {

// Chances with which a seed is soon found that loses what is wanted; 1e-9 loses nothing here.
fabric_params lossy(double drop, double corrupt) {
    fabric_params params;
    params.drop_probability = drop;
    params.corrupt_probability = corrupt;
    return params;
}

// A seed with which the first packet of a link has this fate when it is first sent, and nothing
// else has happened to the first few.
uint64_t seed_with(fabric_params params, uint32_t link, link_fate fate) {
    for (params.seed = 0;; ++params.seed) {
        bool found = fate_of(params, link, 0, 0) == fate;
        for (uint64_t number = 0; number < 4; ++number) {
            for (uint32_t attempt = number == 0 ? 1 : 0; attempt < 4; ++attempt) {
                found = found && fate_of(params, link, number, attempt) == link_fate::arrives;
            }
        }
        if (found) {
            return params.seed;
        }
    }
}

uint32_t link_between(const chm_topology& topology, uint32_t from, uint32_t to) {
    for (uint32_t id = 0; id < topology.link_count; ++id) {
        if (topology.links[id].from_node == from && topology.links[id].to_node == to) {
            return id;
        }
    }
    return UINT32_MAX;
}

// `bytes` from die 0 to die 1 of a mesh of 2 x 1: one link of 100 cycles.
uint64_t cycles(const fabric_params& params, uint64_t bytes) {
    built_topology mesh = built_topology::mesh({2, 1});
    message_graph graph;
    graph.send(0, 1, bytes);
    const replay_result result = run_replay(*mesh, params, graph.get());
    EXPECT_EQ(result.status, chm_ok) << result.text;
    return result.cycles;
}

uint64_t cycles_with(fabric_params params, link_fate fate, uint64_t bytes) {
    built_topology mesh = built_topology::mesh({2, 1});
    params.seed = seed_with(params, link_between(*mesh, 0, 1), fate);
    return cycles(params, bytes);
}

constexpr uint64_t flits = 7, latency = 100, timeout = 200, crc = 1; // 256 bytes; defaults

} // namespace

// Without a loss a link costs that a packet is taken when all of it is there and its CRC is known.
TEST(fabric_lossy, a_link_that_may_lose_stores_and_forwards) {
    const fabric_params careful = lossy(1e-9, 0);
    EXPECT_EQ(cycles(careful, 256), cycles(fabric_params(), 256) + flits + crc);
    EXPECT_EQ(cycles(careful, 2560), cycles(fabric_params(), 2560) + flits + crc);
    fabric_params slow = careful;
    slow.crc_cycles = 11;
    EXPECT_EQ(cycles(slow, 256), cycles(fabric_params(), 256) + flits + 11);
}

// The one packet is lost: from its end, a round trip, the CRC and the timeout until it is sent
// again from its start.
TEST(fabric_lossy, a_dropped_packet_with_none_behind_costs_the_timeout) {
    const uint64_t calm = cycles(lossy(1e-9, 0), 256);
    fabric_params params = lossy(0.2, 0);
    EXPECT_EQ(cycles_with(params, link_fate::dropped, 256),
              calm + flits + 2 * latency + crc + timeout);
    params.retry_timeout_cycles = 1234;
    EXPECT_EQ(cycles_with(params, link_fate::dropped, 256),
              calm + flits + 2 * latency + crc + 1234);
}

// A wrong CRC is answered at once, when the tail is there.
TEST(fabric_lossy, a_corrupted_packet_costs_a_round_trip) {
    const uint64_t calm = cycles(lossy(1e-9, 0), 256);
    EXPECT_EQ(cycles_with(lossy(0, 0.2), link_fate::corrupted, 256),
              calm + flits + 2 * latency + crc);
}

// The packet behind it shows the gap, a packet's time later; both are sent again, in order.
TEST(fabric_lossy, a_gap_in_the_numbers_is_answered_before_the_timeout) {
    const uint64_t calm = cycles(lossy(1e-9, 0), 512);
    EXPECT_EQ(cycles_with(lossy(0.2, 0), link_fate::dropped, 512),
              calm + 2 * flits + 2 * latency + crc);
    // With a timeout shorter than a packet it is the timer that is first.
    fabric_params hasty = lossy(0.2, 0);
    hasty.retry_timeout_cycles = 2;
    EXPECT_EQ(cycles_with(hasty, link_fate::dropped, 512), calm + flits + 2 * latency + crc + 2);
}

TEST(fabric_lossy, nothing_is_lost_or_twice_and_a_rerun_is_the_same) {
    for (const char* name : {"mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"}) {
        built_topology built = built_topology::shipped(name);
        message_graph graph = message_graph::all_to_all(built->dies, 1000);
        const replay_result calm = run_replay(*built, fabric_params(), graph.get());
        fabric_params params = lossy(0.05, 0.05);
        for (params.seed = 0; params.seed < 5; ++params.seed) {
            params.stall_probability = params.seed % 2 == 0 ? 0 : 0.1;
            fabric_run run(*built, params, graph.get());
            const auto end = run.run();
            ASSERT_EQ(end.status, chm_ok) << end.text;
            const replay_result result = run.player().result();
            EXPECT_GT(result.cycles, calm.cycles);
            EXPECT_EQ(result.packets, calm.packets);
            EXPECT_EQ(result.payload_bytes, calm.payload_bytes);
            EXPECT_EQ(result.packet_hops, calm.packet_hops);
            EXPECT_TRUE(run.network().idle());
            EXPECT_EQ(run.network().packets().outstanding(), 0u);
            const link_fault_statistics faults = run.network().link_faults();
            EXPECT_GT(faults.dropped, 0u);
            EXPECT_GT(faults.corrupted, 0u);
            // Each packet lost is sent again, and so are those behind it.
            EXPECT_GT(faults.replayed, faults.dropped + faults.corrupted);
            // Of all that was sent, one in ten was lost: within five deviations of a binomial.
            const double sent = static_cast<double>(calm.packet_hops + faults.replayed);
            const double lost = static_cast<double>(faults.dropped + faults.corrupted);
            EXPECT_NEAR(lost / sent, 0.0975, 5 * std::sqrt(0.0975 * 0.9025 / sent));
            fabric_run again(*built, params, graph.get());
            again.run();
            EXPECT_EQ(again.player().result().cycles, result.cycles);
            EXPECT_EQ(again.player().result().latency_mean, result.latency_mean);
        }
    }
}

TEST(fabric_lossy, trains_are_not_sent) {
    fabric_params params = lossy(0.02, 0.01);
    params.seed = 3;
    const uint64_t with = cycles(params, 100000);
    params.trains = false;
    EXPECT_EQ(cycles(params, 100000), with);
}

TEST(fabric_lossy, a_link_that_loses_everything_is_named) {
    built_topology mesh = built_topology::mesh({2, 1});
    message_graph graph;
    graph.send(0, 1, 256);
    fabric_params params = lossy(1, 0);
    params.watchdog_cycles = 5000;
    const replay_result result = run_replay(*mesh, params, graph.get());
    EXPECT_EQ(result.status, chm_deadlock);
    EXPECT_THAT(result.text, HasSubstr("router_0_0_to_router_1_0: packet "));
    // Every flits + 2 latency + crc + timeout = 408 cycles, for some 5,000 to 10,000.
    EXPECT_THAT(result.text, HasSubstr("from die 0 to die 1 (1 wait), sent "));
}

TEST(fabric_lossy, chances_out_of_range_and_lt_are_refused) {
    built_topology mesh = built_topology::mesh({2, 1});
    message_graph graph;
    graph.send(0, 1, 256);
    fabric_params params = lossy(1.5, -1);
    EXPECT_EQ(run_replay(*mesh, params, graph.get()).text,
              "drop_probability: allowed are 0 .. 1\ncorrupt_probability: allowed are 0 .. 1\n");
    params = lossy(0.5, 0);
    params.fidelity = chm_fidelity_lt;
    params.retry_timeout_cycles = 0;
    EXPECT_EQ(run_replay(*mesh, params, graph.get()).text,
              "drop_probability: allowed is 0 with fidelity lt\n"
              "retry_timeout_cycles: allowed are 1 and more\n");
}
