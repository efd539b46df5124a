// SPDX-License-Identifier: Apache-2.0
// Dies with several ports. A packet of 256 bytes is 7 flits; a message of n packets over one link
// of a mesh that meets nobody arrives at 5 + 103 + 7 n, on one switch at 204 + 7 n.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "hw/fabric/load.h"
#include "tests/support/built_topology.h"
#include "tests/support/fabric_run.h"
#include "tests/support/message_graph.h"

using namespace chimera::fabric;
using chimera::test::built_topology;
using chimera::test::fabric_defaults;
using chimera::test::fabric_run;
using chimera::test::message_graph;

namespace {

constexpr uint64_t packets = 50, bytes = packets * 256, flits = packets * 7;
constexpr uint64_t one_hop = 5 + 103;

chm_fabric_params with_ports(uint64_t ports) {
    chm_fabric_params wiring = fabric_defaults();
    wiring.ports_per_die = ports;
    return wiring;
}

fabric_params timed(chm_fidelity fidelity) {
    fabric_params params;
    params.fidelity = fidelity;
    return params;
}

// When each message of a graph has arrived.
std::vector<uint64_t> arrivals(const chm_topology& topology, message_graph& graph,
                               const fabric_params& params) {
    fabric_run run(topology, params, graph.get());
    const auto result = run.run();
    EXPECT_EQ(result.status, chm_ok) << result.text;
    std::vector<uint64_t> done;
    for (uint32_t node = 0; node < graph.get().node_count; ++node) {
        done.push_back(run.player().done_at(node));
    }
    return done;
}

class ports : public ::testing::TestWithParam<chm_fidelity> {};

// Die 4 in the middle of a 3 x 3 mesh sends to its neighbours 5 (+x) and 7 (+y), links 0 and 2 of
// its router: with a port each, both take the time of one; with one port the second waits. What
// leaves through the same link shares it, of course.
TEST_P(ports, messages_through_two_links_leave_at_the_same_time) {
    for (uint64_t count : {1, 2, 3, 4}) {
        built_topology mesh = built_topology::mesh({3, 3}, with_ports(count));
        message_graph graph;
        graph.send(4, 5, bytes);
        graph.send(4, 7, bytes);
        const auto done = arrivals(*mesh, graph, timed(GetParam()));
        EXPECT_EQ(done[0], one_hop + flits);
        EXPECT_EQ(done[1], one_hop + (count == 1 ? 2 : 1) * flits);
        message_graph same;
        same.send(4, 5, bytes);
        same.send(4, 5, bytes);
        EXPECT_EQ(arrivals(*mesh, same, timed(GetParam()))[1], one_hop + 2 * flits);
    }
}

// Links 0 and 1 (+x and -x) share a port unless each of the four has its own: link l belongs to
// port l * ports / 4.
TEST_P(ports, links_share_what_ports_there_are) {
    for (uint64_t count : {1, 2, 3, 4}) {
        built_topology mesh = built_topology::mesh({3, 3}, with_ports(count));
        message_graph graph;
        graph.send(4, 5, bytes);
        graph.send(4, 3, bytes);
        const auto done = arrivals(*mesh, graph, timed(GetParam()));
        EXPECT_EQ(done[0], one_hop + flits);
        EXPECT_EQ(done[1], one_hop + (count < 4 ? 2 : 1) * flits);
    }
}

// All four neighbours send to die 4. With p ports, 4 / p of them share each (3 ports: those along x
// share one), and the last arrives when that port has taken all its flits.
TEST_P(ports, an_incast_takes_as_long_as_its_busiest_port) {
    const uint64_t busiest[] = {4, 2, 2, 1};
    for (uint64_t count : {1, 2, 3, 4}) {
        built_topology mesh = built_topology::mesh({3, 3}, with_ports(count));
        message_graph graph;
        for (uint32_t from : {1u, 3u, 5u, 7u}) {
            graph.send(from, 4, bytes);
        }
        const auto done = arrivals(*mesh, graph, timed(GetParam()));
        EXPECT_EQ(*std::max_element(done.begin(), done.end()),
                  one_hop + busiest[count - 1] * flits);
    }
}

// A corner's router has two links, and so its die at most two ports; on two switches the numbers of
// the other die stand for links: 0 -> 1 and 0 -> 2 leave by ports 1 and 0, 0 -> 3 by port 1 again.
TEST_P(ports, dies_of_one_switch_spread_over_the_ports) {
    built_topology tree = built_topology::fat_tree(2, 8, with_ports(2));
    message_graph graph;
    for (uint32_t to : {1u, 2u, 3u}) {
        graph.send(0, to, bytes);
    }
    const auto done = arrivals(*tree, graph, timed(GetParam()));
    EXPECT_EQ(done[0], 204 + flits);
    EXPECT_EQ(done[1], 204 + flits);
    EXPECT_EQ(done[2], 204 + 2 * flits);
}

// A torus of two dies along x has two parallel links, and each packet takes either at random. With
// a port for each, half of the packets leave by each: the busier one decides.
TEST_P(ports, parallel_links_between_two_dies_are_used_at_once) {
    built_topology torus = built_topology::torus({2, 1}, with_ports(2));
    message_graph graph;
    graph.send(0, 1, 2000 * 256);
    const uint64_t done = arrivals(*torus, graph, timed(GetParam()))[0];
    EXPECT_GE(done, one_hop + 1000 * 7);
    EXPECT_LE(done, one_hop + 1100 * 7); // 1000 +- 4.5 standard deviations of 22
}

INSTANTIATE_TEST_SUITE_P(fidelities, ports, ::testing::Values(chm_fidelity_at, chm_fidelity_lt),
                         [](const auto& test) {
                             return test.param == chm_fidelity_lt ? "lt" : "at";
                         });

built_topology platform(const std::string& name, uint64_t count) {
    const chm_fabric_params wiring = with_ports(count);
    return name == "mesh"      ? built_topology::mesh({4, 3}, wiring)
           : name == "torus"   ? built_topology::torus({4, 3}, wiring)
           : name == "torus_2" ? built_topology::torus({2, 2, 2}, wiring)
                               : built_topology::fat_tree(2, 6, wiring);
}

using wired = std::tuple<const char*, uint64_t>; // platform, ports

class all_to_all : public ::testing::TestWithParam<wired> {};

// Everything arrives, nothing is left behind, and trains make no difference.
TEST_P(all_to_all, is_complete_and_does_not_depend_on_trains) {
    const auto [name, count] = GetParam();
    built_topology topology = platform(name, count);
    message_graph graph = message_graph::all_to_all(topology->dies, 20 * 256, true);
    fabric_params params;
    params.seed = 3;
    fabric_run run(*topology, params, graph.get());
    ASSERT_EQ(run.run().status, chm_ok);
    EXPECT_TRUE(run.network().idle());
    EXPECT_EQ(run.player().result().payload_bytes,
              uint64_t{topology->dies} * topology->dies * 20 * 256);
    params.trains = false;
    fabric_run again(*topology, params, graph.get());
    ASSERT_EQ(again.run().status, chm_ok);
    for (uint32_t node = 0; node < graph.get().node_count; ++node) {
        ASSERT_EQ(again.player().done_at(node), run.player().done_at(node)) << node;
    }
}

// Ports are never a disadvantage here: what waits for one port no longer waits for the others.
TEST_P(all_to_all, is_no_slower_than_with_one_port) {
    const auto [name, count] = GetParam();
    for (chm_fidelity fidelity : {chm_fidelity_at, chm_fidelity_lt}) {
        uint64_t cycles[2];
        for (uint64_t many : {0, 1}) {
            built_topology topology = platform(name, many ? count : 1);
            message_graph graph = message_graph::all_to_all(topology->dies, 20 * 256);
            fabric_run run(*topology, timed(fidelity), graph.get());
            ASSERT_EQ(run.run().status, chm_ok);
            cycles[many] = run.player().result().cycles;
        }
        EXPECT_LE(cycles[1], cycles[0] + cycles[0] / 20) << fidelity;
    }
}

// Stalls, windows, links that lose packets and a link that fails change times only.
TEST_P(all_to_all, is_complete_whatever_happens_on_the_way) {
    const auto [name, count] = GetParam();
    built_topology topology = platform(name, count);
    // All links between two switches, or between two dies that have no other, are the only way.
    const int cases = std::string(name) == "tree" ? 3 : 4;
    for (int what = 0; what < cases; ++what) {
        fabric_params params;
        params.seed = 5;
        params.stall_probability = what == 0 ? 0.2 : 0;
        params.window_round_trips = what == 1 ? 0.5 : 0;
        params.drop_probability = what == 2 ? 0.05 : 0;
        if (what == 3) {
            const chm_link& link = topology->links[0];
            params.failures = {{chm_failure_link, link.from_node, link.to_node, 300}};
        }
        message_graph graph = message_graph::all_to_all(topology->dies, 20 * 256);
        fabric_run run(*topology, params, graph.get());
        const auto result = run.run();
        ASSERT_EQ(result.status, chm_ok) << what << " " << result.text;
        EXPECT_TRUE(run.network().idle()) << what;
    }
}

INSTANTIATE_TEST_SUITE_P(platforms, all_to_all,
                         ::testing::Combine(::testing::Values("mesh", "torus", "torus_2", "tree"),
                                            ::testing::Values(2, 3, 4)),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) + "_" +
                                    std::to_string(std::get<1>(test.param)) + "_ports";
                         });

// Half of what a port carries, at random: packets that meet others at one port, going out or coming
// in, wait for them.
TEST(ports_load, packets_that_leave_by_different_ports_do_not_wait_for_each_other) {
    load_params offered;
    offered.rate = 0.5;
    offered.packet_bytes = 256;
    offered.warm_up_cycles = 2000;
    offered.measure_cycles = 4000;
    double accepted[2], latency[2];
    for (uint64_t many : {0, 1}) {
        built_topology torus = built_topology::torus({4, 4}, with_ports(many ? 4 : 1));
        const load_result result = run_load(*torus, fabric_params(), offered);
        ASSERT_EQ(result.status, chm_ok) << result.text;
        accepted[many] = result.accepted;
        latency[many] = result.latency_mean;
    }
    EXPECT_NEAR(accepted[1], accepted[0], 0.02); // both take it
    EXPECT_LT(latency[1], latency[0]);
}

} // namespace
