// SPDX-License-Identifier: Apache-2.0
// Trains are a shorter way of writing packets: with and without them every message arrives at the
// same cycle, every link carries as many flits, every interface counts the same.
#include <ctime>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/reference.h"
#include "hw/base/random.h"
#include "tests/support/built_topology.h"
#include "tests/support/fabric_run.h"
#include "tests/support/message_graph.h"

using namespace chimera::fabric;
using chimera::test::built_topology;
using chimera::test::fabric_defaults;
using chimera::test::fabric_run;
using chimera::test::message_graph;

namespace {

// All that can be seen of a run, but for the number of kernel events.
struct outcome {
    std::vector<uint64_t> done, links, interfaces;
    uint64_t activations = 0;
};

void add(std::vector<uint64_t>& list, const network_interface_statistics& one) {
    list.insert(list.end(), {one.injected_packets, one.injected_flits, one.injected_payload_bytes,
                             one.ejected_packets, one.ejected_flits, one.ejected_payload_bytes,
                             one.ejected_hops, one.ejected_byte_hops});
}

outcome play(const chm_topology& topology, const chm_graph& graph, fabric_params params,
             bool trains) {
    outcome result;
    params.trains = trains;
    fabric_run run(topology, params, graph);
    const auto end = run.run();
    EXPECT_EQ(end.status, chm_ok) << end.text;
    EXPECT_TRUE(run.network().idle()) << topology.name << (trains ? " with" : " without");
    EXPECT_EQ(run.network().packets().outstanding(), 0u);
    for (uint32_t node = 0; node < graph.node_count; ++node) {
        result.done.push_back(run.player().done_at(node));
    }
    for (uint32_t link = 0; link < topology.link_count; ++link) {
        result.links.push_back(run.network().link_busy_cycles(link));
    }
    for (uint32_t die = 0; die < topology.dies; ++die) {
        add(result.interfaces, run.network().interface(die).statistics());
    }
    for (uint32_t node = 0; node < topology.nodes; ++node) {
        result.interfaces.push_back(run.network().node_router(node).core().grants());
    }
    result.activations = run.player().result().activations;
    return result;
}

// Returns how many kernel events the trains saved.
int64_t expect_same(const chm_topology& topology, const chm_graph& graph,
                    const fabric_params& params, const std::string& what) {
    const outcome with = play(topology, graph, params, true);
    const outcome without = play(topology, graph, params, false);
    EXPECT_EQ(with.done, without.done) << what;
    EXPECT_EQ(with.links, without.links) << what;
    EXPECT_EQ(with.interfaces, without.interfaces) << what;
    return static_cast<int64_t>(without.activations) - static_cast<int64_t>(with.activations);
}

// Some messages of 1 to 20,000 bytes between random dies, some of which wait for others.
message_graph random_traffic(uint32_t dies, uint64_t seed, uint32_t messages) {
    message_graph graph;
    for (uint32_t i = 0; i < messages; ++i) {
        const uint64_t hash = chm_hash3(seed, dies, i);
        const auto from = static_cast<uint32_t>(hash % dies);
        const auto to = static_cast<uint32_t>((hash >> 20) % dies);
        const uint64_t bytes = 1 + (hash >> 40) % 20000;
        std::vector<uint32_t> after;
        if (i > 0 && (hash >> 18) % 3 == 0) {
            after.push_back(static_cast<uint32_t>((hash >> 30) % i));
        }
        graph.send(from, to, bytes, after);
    }
    return graph;
}

std::vector<built_topology> topologies(const chm_fabric_params& wiring) {
    std::vector<built_topology> list;
    list.push_back(built_topology::mesh({2, 1}, wiring));
    list.push_back(built_topology::mesh({5, 1}, wiring));
    list.push_back(built_topology::mesh({4, 3}, wiring));
    list.push_back(built_topology::mesh({2, 3, 2}, wiring));
    list.push_back(built_topology::torus({5, 3}, wiring));
    list.push_back(built_topology::torus({4, 4}, wiring));
    list.push_back(built_topology::torus({2, 2, 2}, wiring));
    list.push_back(built_topology::fat_tree(2, 4, wiring));
    list.push_back(built_topology::fat_tree(1, 5, wiring));
    return list;
}

class latencies : public testing::TestWithParam<uint64_t> {};

double cpu_seconds() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

} // namespace

TEST_P(latencies, random_traffic_is_the_same_on_all_topologies) {
    chm_fabric_params wiring = fabric_defaults();
    wiring.link_latency_cycles = GetParam();
    int64_t saved = 0;
    for (const built_topology& built : topologies(wiring)) {
        for (uint64_t seed = 0; seed < 6; ++seed) {
            fabric_params params;
            params.seed = seed;
            const auto messages = static_cast<uint32_t>(2 + 5 * seed);
            message_graph graph = random_traffic(built->dies, seed, messages);
            saved += expect_same(*built, graph.get(), params,
                                 std::string(built->name) + " latency " +
                                     std::to_string(GetParam()) + " seed " + std::to_string(seed));
        }
    }
    EXPECT_GT(saved, 0); // some trains did pass
}

INSTANTIATE_TEST_SUITE_P(from_1_to_500, latencies, testing::Values(1, 2, 3, 7, 20, 100, 317, 500));

// Channels, depths and packet sizes at which trains do and do not fit.
TEST(fabric_trains, random_traffic_is_the_same_whatever_the_channels) {
    for (uint64_t vcs : {2, 4, 6}) {
        for (uint64_t depth : {14, 63, 318, 2000}) {
            for (uint64_t mtu : {100, 256, 600}) {
                chm_fabric_params wiring = fabric_defaults();
                wiring.vcs = vcs;
                wiring.vc_depth_flits = depth;
                wiring.mtu_bytes = mtu;
                wiring.link_latency_cycles = 1 + chm_hash3(vcs, depth, mtu) % 60;
                for (const built_topology& built : topologies(wiring)) {
                    message_graph graph = random_traffic(built->dies, depth, 12);
                    expect_same(*built, graph.get(), fabric_params(),
                                std::string(built->name) + " vcs " + std::to_string(vcs) +
                                    " depth " + std::to_string(depth) + " mtu " +
                                    std::to_string(mtu));
                }
            }
        }
    }
}

// Ages are those of single packets.
TEST(fabric_trains, random_traffic_is_the_same_where_the_oldest_goes_first) {
    int64_t saved = 0;
    for (uint64_t seed = 0; seed < 4; ++seed) {
        chm_fabric_params wiring = fabric_defaults();
        wiring.link_latency_cycles = 1 + 30 * seed;
        for (const built_topology& built : topologies(wiring)) {
            message_graph graph = random_traffic(built->dies, seed, 20);
            fabric_params params;
            params.oldest_first = true;
            saved += expect_same(*built, graph.get(), params,
                                 std::string(built->name) + " seed " + std::to_string(seed));
        }
    }
    EXPECT_GT(saved, 0);
}

TEST(fabric_trains, every_graph_of_the_reference_is_the_same) {
    const std::string folder = CHM_SOURCE_DIR "/tests/reference/";
    auto rows = chimera::bench::reference_transitions(folder);
    for (const auto& set : chimera::bench::reference_sets(folder)) {
        rows.push_back(set);
    }
    for (const auto& row : rows) {
        if (row.message_bytes > 600000) {
            continue; // larger ones do the same for longer
        }
        const chimera::bench::reference_case input(row);
        expect_same(input.topology(), input.graph(), fabric_params(),
                    row.name + " " + row.platform + " " + std::to_string(row.message_bytes));
    }
}

// 0 -> 4 has all links for itself until 2 -> 3 comes, at every cycle of a packet: the train is cut
// in its middle at router 2, downstream and upstream of it.
TEST(fabric_trains, a_rival_may_come_at_any_cycle) {
    for (uint64_t latency : {1, 5, 100}) {
        chm_fabric_params wiring = fabric_defaults();
        wiring.link_latency_cycles = latency;
        built_topology mesh = built_topology::mesh({5, 1}, wiring);
        for (uint64_t delay = 1; delay < 60; ++delay) {
            message_graph graph;
            graph.send(0, 4, 100 * 256 + delay);
            const uint32_t wait = graph.compute(2, 2 * latency + delay * 8);
            graph.send(2, 3, delay % 3 == 0 ? 256 : 50 * 256, {wait});
            graph.send(4, 0, 40 * 256, {wait});
            EXPECT_GT(expect_same(*mesh, graph.get(), fabric_params(), std::to_string(delay)),
                      latency == 100 ? 0 : INT64_MIN);
        }
    }
}

// 1 MiB over 8 hops is 4,096 packets, 1 GiB a thousand times as many, yet costs about the same: an
// item per router. Events count what the simulator does without the noise of a clock.
TEST(fabric_trains, a_long_message_costs_about_as_much_as_a_short_one) {
    built_topology mesh = built_topology::mesh({9, 1});
    uint64_t events[2];
    for (uint64_t bytes : {uint64_t(1) << 20, uint64_t(1) << 30}) {
        message_graph graph;
        graph.send(0, 8, bytes);
        replay_result result = run_replay(*mesh, fabric_params(), graph.get());
        ASSERT_EQ(result.status, chm_ok) << result.text;
        EXPECT_EQ(result.cycles, 5 + 8 * 103 + 7 * (bytes / 256) + 1);
        EXPECT_EQ(result.packet_hops, 8 * (bytes / 256));
        events[bytes > 1 << 20] = result.activations;
    }
    EXPECT_LE(events[1], 3 * events[0]);
    EXPECT_LE(events[1], 4 * 11u);
}

TEST(fabric_trains, a_long_message_takes_little_time) {
    built_topology mesh = built_topology::mesh({9, 1});
    double seconds[2];
    for (uint64_t bytes : {uint64_t(1) << 20, uint64_t(1) << 30}) {
        const double start = cpu_seconds();
        for (int i = 0; i < 50; ++i) {
            message_graph graph;
            graph.send(0, 8, bytes);
            ASSERT_EQ(run_replay(*mesh, fabric_params(), graph.get()).status, chm_ok);
        }
        seconds[bytes > 1 << 20] = cpu_seconds() - start;
    }
    EXPECT_LE(seconds[1], 3 * seconds[0]);
}
