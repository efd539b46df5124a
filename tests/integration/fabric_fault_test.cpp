// SPDX-License-Identifier: Apache-2.0
// What must not go wrong silently: stalls, deadlocks, ends of a link that disagree, determinism.
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

// A ring that always goes up and does not split its channels at the wrap link.
chm_hop always_up(const chm_topology* topology, uint32_t node, const chm_route_key* key) {
    if (topology->die_node[key->destination] == node) {
        return {chm_die_ejection_port(topology, key->destination), 0};
    }
    return {0, 0};
}

void expect_same(const replay_result& a, const replay_result& b) {
    EXPECT_EQ(a.status, chm_ok) << a.text;
    EXPECT_EQ(a.cycles, b.cycles);
    EXPECT_EQ(a.packet_hops, b.packet_hops);
    EXPECT_EQ(a.latency_min, b.latency_min);
    EXPECT_EQ(a.latency_max, b.latency_max);
    EXPECT_EQ(a.latency_mean, b.latency_mean);
    EXPECT_EQ(a.activations, b.activations);
}

} // namespace

TEST(fabric_fault, the_watchdog_names_the_packets_of_a_deadlock) {
    built_topology torus = built_topology::torus({4, 1});
    chm_topology topology = *torus;
    topology.route = always_up;
    topology.vc_classes = 1;
    topology.vcs = 1;
    topology.vc_depth_flits = 7;
    message_graph graph;
    for (uint32_t die = 0; die < 4; ++die) {
        graph.send(die, (die + 3) % 4, 4096);
    }
    fabric_params params;
    params.watchdog_cycles = 5000;
    replay_result result = run_replay(topology, params, graph.get());
    EXPECT_EQ(result.status, chm_deadlock);
    EXPECT_NE(result.text.find("router_0_0: packet "), std::string::npos) << result.text;
    EXPECT_NE(result.text.find("room for 7 flits in channel 0, which has 0"), std::string::npos);
    EXPECT_NE(result.text.find("lacks"), std::string::npos) << result.text;

    // The torus's own routing, with its two classes, finishes the same work in the same space.
    topology = *torus;
    topology.vcs = 2;
    topology.vc_depth_flits = 7;
    EXPECT_EQ(run_replay(topology, params, graph.get()).status, chm_ok);
}

TEST(fabric_fault, the_watchdog_sees_work_that_no_event_can_finish) {
    built_topology mesh = built_topology::mesh({2, 2});
    message_graph graph;
    graph.send(0, 1, 100);
    graph.send(1, 2, 100, {2}); // 1 and 2 wait for each other
    graph.send(2, 3, 100, {1});
    replay_result result = run_replay(*mesh, fabric_params(), graph.get());
    EXPECT_EQ(result.status, chm_deadlock);
    EXPECT_NE(result.text.find("no event is pending"), std::string::npos) << result.text;
    EXPECT_NE(result.text.find("node 1 waits for 1 others"), std::string::npos) << result.text;
}

TEST(fabric_fault, the_watchdog_sees_events_that_move_nothing) {
    built_topology mesh = built_topology::mesh({2, 2});
    message_graph graph;
    graph.send(0, 1, 100);
    fabric_params params;
    params.stall_probability = 1;
    params.watchdog_cycles = 2000;
    replay_result result = run_replay(*mesh, params, graph.get());
    EXPECT_EQ(result.status, chm_deadlock);
    EXPECT_NE(result.text.find("nothing moved for 2000 cycles"), std::string::npos) << result.text;
}

// A compute far longer than the watchdog's patience is no fault.
TEST(fabric_fault, the_watchdog_waits_for_computes) {
    built_topology mesh = built_topology::mesh({2, 2});
    message_graph graph;
    uint32_t compute = graph.compute(0, 1000000);
    graph.send(0, 1, 50, {compute});
    fabric_params params;
    params.watchdog_cycles = 1000;
    replay_result result = run_replay(*mesh, params, graph.get());
    EXPECT_EQ(result.status, chm_ok) << result.text;
    EXPECT_EQ(result.cycles, 1000001 + 5 + 103 + 2 + 1u);
}

TEST(fabric_fault, stalls_change_times_and_nothing_else) {
    for (const char* name : {"mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"}) {
        built_topology built = built_topology::shipped(name);
        message_graph graph = message_graph::all_to_all(built->dies, 1000);
        fabric_params params;
        replay_result calm = run_replay(*built, params, graph.get());
        double previous = 0;
        params.stall_probability = 0.2;
        for (uint64_t seed = 0; seed < 5; ++seed) {
            // Random routes follow the seed as well; all are minimal, so hops stay.
            params.seed = seed;
            fabric_run run(*built, params, graph.get());
            auto end = run.run();
            ASSERT_EQ(end.status, chm_ok) << end.text;
            replay_result result = run.player().result();
            EXPECT_GT(result.cycles, calm.cycles) << name;
            EXPECT_NE(result.latency_mean, previous);
            EXPECT_EQ(result.payload_bytes, calm.payload_bytes);
            EXPECT_EQ(result.packets, calm.packets);
            EXPECT_EQ(result.packet_hops, calm.packet_hops);
            EXPECT_TRUE(run.network().idle());
            EXPECT_EQ(run.network().packets().outstanding(), 0u);
            expect_same(result, run_replay(*built, params, graph.get()));
            previous = result.latency_mean;
        }
    }
}

TEST(fabric_fault, interleaved_contexts_run_as_they_run_alone) {
    built_topology mesh = built_topology::shipped("mesh_5x5");
    built_topology torus = built_topology::shipped("torus_4x4");
    message_graph on_mesh = message_graph::all_to_all(25, 2000);
    message_graph on_torus = message_graph::all_to_all(16, 3000);
    fabric_params params;
    params.seed = 3;
    replay_result mesh_alone = run_replay(*mesh, params, on_mesh.get());
    replay_result torus_alone = run_replay(*torus, params, on_torus.get());
    fabric_run a(*mesh, params, on_mesh.get()), b(*torus, params, on_torus.get());
    for (uint64_t ps = 0; !(a.finished() && b.finished()) && ps < 100000000; ps += 77777) {
        ASSERT_EQ(a.run(ps).status, chm_ok);
        ASSERT_EQ(b.run(ps).status, chm_ok);
    }
    ASSERT_TRUE(a.finished() && b.finished());
    expect_same(mesh_alone, a.player().result());
    expect_same(torus_alone, b.player().result());
}

TEST(fabric_fault, routes_follow_the_seed_only) {
    built_topology torus = built_topology::shipped("torus_4x4");
    message_graph graph = message_graph::all_to_all(16, 5000);
    fabric_params one, two;
    two.seed = 1;
    replay_result a = run_replay(*torus, one, graph.get());
    expect_same(a, run_replay(*torus, one, graph.get()));
    EXPECT_NE(a.cycles, run_replay(*torus, two, graph.get()).cycles);
}

TEST(fabric_fault, a_link_without_delay_is_refused) {
    chm_fabric_params wiring = chimera::test::fabric_defaults();
    wiring.link_latency_cycles = 0;
    built_topology mesh = built_topology::mesh({2, 1}, wiring);
    message_graph graph;
    graph.send(0, 1, 1);
    replay_result result = run_replay(*mesh, fabric_params(), graph.get());
    EXPECT_EQ(result.status, chm_bad_argument);
    EXPECT_NE(result.text.find("router_0_0.out_0: a link needs a latency"), std::string::npos)
        << result.text;
}

TEST(fabric_fault, ends_of_a_link_that_disagree_are_named) {
    built_topology mesh = built_topology::mesh({1, 1});
    chm_topology other = *mesh;
    other.vcs = 2;
    other.flit_bytes = 64;
    other.vc_depth_flits = 100;
    fabric_params params;
    chimera::kernel::context context;
    chimera::kernel::context::entry inside(context);
    router* node = nullptr;
    network_interface* interface = nullptr;
    auto built = context.build([&] {
        node = &context.own(std::make_unique<router>("router", *mesh, params, 0u));
        interface = &context.own(std::make_unique<network_interface>("ni", other, params, 0u));
        interface->out.bind(node->in[0]);
        node->out[0].bind(interface->in);
    });
    ASSERT_EQ(built.status, chm_ok) << built.text;
    ASSERT_EQ(context.run(0).status, chm_ok);
    EXPECT_EQ(interface->faults(),
              "ni.out: the sender has channels 2, the receiver 4\n"
              "ni.out: the sender has channel depth in flits 100, the receiver 318\n"
              "ni.out: the sender has flit bytes 64, the receiver 50\n");
    EXPECT_EQ(node->faults(),
              "router.out_0: the sender has channels 4, the receiver 2\n"
              "router.out_0: the sender has channel depth in flits 318, the receiver 100\n"
              "router.out_0: the sender has flit bytes 50, the receiver 64\n");
}

TEST(fabric_fault, dies_that_do_not_exist_and_bad_parameters_are_refused) {
    built_topology mesh = built_topology::mesh({2, 1});
    message_graph graph;
    graph.send(0, 2, 1);
    fabric_params params;
    params.stall_probability = 1.5;
    replay_result result = run_replay(*mesh, params, graph.get());
    EXPECT_EQ(result.status, chm_bad_argument);
    EXPECT_EQ(result.text, "node 0: die 2 is not on the platform; allowed are 0 .. 1\n"
                           "stall_probability: allowed are 0 .. 1\n");
}
