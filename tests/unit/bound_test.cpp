// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/golden/bound/bound.h"
#include "tests/support/built_topology.h"
#include "tests/support/layouts.h"

namespace {

using namespace chimera::test;

struct ask {
    chm_tensor tensor;
    const built_layout* from;
    std::vector<const built_layout*> demands;
    chm_routing routing = {2, 4, 0, 1};
    bool gating = false;
    bool row_wise = false;
};

chm_bound bound_of(const built_topology& topology, const ask& a) {
    std::vector<const chm_layout*> demands;
    for (const built_layout* demand : a.demands) {
        demands.push_back(demand->get());
    }
    chm_inner_operation operation = {};
    operation.is_gating = a.gating;
    chm_request request = {};
    request.tensor = a.tensor;
    request.from = a.from->get();
    request.demands = demands.data();
    request.demand_count = static_cast<uint32_t>(demands.size());
    request.operations = &operation;
    request.operation_count = a.gating || a.row_wise;
    request.routing = &a.routing;
    chm_arena arena;
    chm_arena_init(&arena);
    chm_bound bound = {};
    EXPECT_EQ(chm_bound_request(topology.get(), &request, &arena, &bound), chm_ok);
    EXPECT_EQ(bound.lower_bound_cycles, bound.bandwidth_cycles + bound.latency_cycles);
    chm_arena_free(&arena);
    return bound;
}

// The groups of the transitions: S, and T beside (or above) it. DP groups are the columns of S on
// mesh and torus, neighbouring dies elsewhere.
struct groups {
    const char* platform;
    std::vector<uint32_t> source, target;       // in rank order of a group of four
    std::vector<uint32_t> dp_source, dp_target; // in rank order of [DP][TP]
};

const std::vector<groups>& all_groups() {
    static const std::vector<groups> all = {
        // mesh id = x + 5 y: S = (0,0) (1,0) (0,1) (1,1)
        {"mesh_5x5", {0, 1, 5, 6}, {2, 3, 7, 8}, {0, 5, 1, 6}, {2, 7, 3, 8}},
        {"torus_4x4", {0, 1, 4, 5}, {2, 3, 6, 7}, {0, 4, 1, 5}, {2, 6, 3, 7}},
        {"torus_2x2x2", {0, 1, 2, 3}, {4, 5, 6, 7}, {0, 2, 1, 3}, {4, 6, 5, 7}},
        {"fat_tree_2x8", {0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}},
    };
    return all;
}

} // namespace

// The table "What an ideal machine would need" in units of U = M / 256 * 7 flits: bandwidth terms
// of the seven programs' final demands.
TEST(bound, transitions_need_what_the_reference_table_says) {
    for (uint64_t message : {uint64_t{1} << 20, uint64_t{16} << 20}) {
        const uint64_t quarter = message / 256 * 7 / 4;
        const chm_tensor one = {message / 4096, 1024, 4}; // one group's tensor
        const chm_tensor two = {message / 2048, 1024, 4}; // of two DP groups
        for (const groups& g : all_groups()) {
            SCOPED_TRACE(std::string(g.platform) + " " + std::to_string(message));
            auto topology = built_topology::shipped(g.platform);
            const bool mesh = std::string(g.platform) == "mesh_5x5";
            built_layout addends({4}, {partial()}, g.source);
            built_layout shards({4}, {tokens()}, g.source);
            built_layout next({4}, {tokens()}, g.target), all_next({4}, {replicate()}, g.target);
            built_layout dp_addends({2, 2}, {tokens(), partial()}, g.dp_source);
            built_layout dp_copies({2, 2}, {tokens(), replicate()}, g.dp_source);
            built_layout dp_shards({2, 2}, {tokens(0), tokens(1)}, g.dp_source);
            built_layout experts({2, 2}, {routed_copy(), routed_copy()}, g.dp_source);
            built_layout far_experts({2, 2}, {routed_copy(), routed_copy()}, g.dp_target);

            const ask tp_sp = {one, &addends, {&shards}};
            EXPECT_EQ(bound_of(topology, tp_sp).bandwidth_cycles, 3 * quarter);
            const ask tp_pp = {one, &addends, {&all_next}};
            EXPECT_EQ(bound_of(topology, tp_pp).bandwidth_cycles, 4 * quarter);
            ask tp_ep = {two, &dp_addends, {&experts}};
            tp_ep.gating = true;
            EXPECT_EQ(bound_of(topology, tp_ep).bandwidth_cycles, 5 * quarter);
            ask pp_ep = {two, &dp_copies, {&far_experts}};
            pp_ep.gating = true;
            EXPECT_EQ(bound_of(topology, pp_ep).bandwidth_cycles, 4 * quarter);
            const ask sp_pp = {one, &shards, {&next}};
            EXPECT_EQ(bound_of(topology, sp_pp).bandwidth_cycles, mesh ? 2 * quarter : quarter);
            const ask sp_pp_full = {one, &shards, {&all_next}};
            EXPECT_EQ(bound_of(topology, sp_pp_full).bandwidth_cycles, 4 * quarter);
            ask sp_ep = {two, &dp_shards, {&experts}};
            sp_ep.gating = true;
            EXPECT_EQ(bound_of(topology, sp_ep).bandwidth_cycles, 3 * quarter);
            // sp_ep_sp: dispatched as sp_ep. Back: of 2 M rows with two weighted addends each, one
            // is added at the other's die, and half the owners are no experts of theirs:
            // (1 + 1/2) 2 M over four ports.
            built_layout weighted({2, 2}, {routed_partial(), routed_partial()}, g.dp_source);
            const ask back = {two, &weighted, {&dp_shards}};
            EXPECT_EQ(bound_of(topology, back).bandwidth_cycles, 3 * quarter);
            // lora: three sends to add up, three to spread: 6 M over four ports.
            built_layout complete({4}, {replicate()}, g.source);
            const ask lora = {one, &addends, {&complete}};
            EXPECT_EQ(bound_of(topology, lora).bandwidth_cycles, 6 * quarter);
        }
    }
}

TEST(bound, names_the_term_and_a_runner_up_of_another_kind) {
    auto mesh = built_topology::shipped("mesh_5x5");
    built_layout shards({4}, {tokens()}, {0, 1, 5, 6}), next({4}, {tokens()}, {2, 3, 7, 8});
    chm_bound bound = bound_of(mesh, {{4096, 1024, 4}, &shards, {&next}});
    // 16 MiB cross two links; the nearest pair is one hop apart: 5 + 103 cycles. Each port has a
    // quarter, and die_3_0 is two hops from the nearest source.
    EXPECT_STREQ(bound.bound_by.name, "cut columns 0..1 outward");
    EXPECT_EQ(bound.bandwidth_cycles, 229376u);
    EXPECT_EQ(bound.latency_cycles, 108u);
    EXPECT_STREQ(bound.runner_up.name, "in-port of die_3_0");
    EXPECT_EQ(bound.runner_up.bandwidth_cycles, 114688u);
    EXPECT_EQ(bound.runner_up.latency_cycles, 211u);
}

TEST(bound, nothing_to_move_takes_no_time) {
    auto mesh = built_topology::shipped("mesh_5x5");
    built_layout copies({4}, {replicate()}), shards({4}, {tokens()}), addends({4}, {partial()});
    for (const auto& [from, to] :
         {std::pair{&copies, &shards}, {&addends, &addends}, {&copies, &addends}}) {
        chm_bound bound = bound_of(mesh, {{16, 64, 4}, from, {to}});
        EXPECT_EQ(bound.lower_bound_cycles, 0u);
        EXPECT_STREQ(bound.bound_by.name, "nothing");
    }
}

TEST(bound, a_tiny_message_is_bound_by_latency) {
    auto mesh = built_topology::shipped("mesh_5x5");
    built_layout here({1}, {replicate()}, {0}), there({2}, {replicate()}, {1, 24});
    // 4 bytes: 2 flits over 8 hops, 5 + 103 * 8
    chm_bound bound = bound_of(mesh, {{1, 1, 4}, &here, {&there}});
    EXPECT_EQ(bound.bandwidth_cycles, 2u);
    EXPECT_EQ(bound.latency_cycles, 829u);
    EXPECT_STREQ(bound.bound_by.name, "latency to die_4_4");
    EXPECT_EQ(std::string(bound.runner_up.name).substr(0, 3), "in-");
    // with addends, all must arrive: die 0 waits for die 24's
    built_layout addends({2}, {partial()}, {0, 24}), sum({1}, {replicate()}, {0});
    EXPECT_EQ(bound_of(mesh, {{1, 1, 4}, &addends, {&sum}}).lower_bound_cycles, 831u);
}

TEST(bound, rows_may_become_complete_on_either_side) {
    auto mesh = built_topology::mesh({5, 1});
    // 8 bytes: 2 flits; die 0's addends travel 4 hops.
    built_layout addends({2}, {partial()}, {0, 1}), end({1}, {replicate()}, {4});
    const ask plain = {{2, 1, 4}, &addends, {&end}};
    EXPECT_EQ(bound_of(mesh, plain).lower_bound_cycles, 5 + 4 * 103 + 2u);
    // If rows became complete on dies 0 and 1 it would take an exchange more, but they may do so
    // on die 4, and no bound may exclude that.
    built_layout experts({1}, {routed_copy()}, {4});
    const ask routed = {{2, 1, 4}, &addends, {&experts}, {1, 1, 0, 0}};
    EXPECT_EQ(bound_of(mesh, routed).lower_bound_cycles, 5 + 4 * 103 + 2u);
}

TEST(bound, sections_around_a_way_point_add_up_per_port) {
    auto ring = built_topology::torus({4, 1});
    // 16 rows of 4 KiB. Width shards become rows: of its 4 rows a die lacks 3 KiB each. Then one
    // copy of each row goes to its expert: a die gets 4, one of them its own, and of the other
    // three it had 1 KiB each from the start. In-port: 12 KiB + 9 KiB.
    built_layout columns({4}, {width()}), experts({4}, {routed_copy()});
    ask a = {{16, 1024, 4}, &columns, {&experts}, {1, 4, 0, 0}};
    EXPECT_EQ(bound_of(ring, a).bandwidth_cycles, 21 * 1024 / 256 * 7u);
    a.gating = true;
    EXPECT_EQ(bound_of(ring, a).bandwidth_cycles, 21 * 1024 / 256 * 7u);
    built_layout rows({4}, {tokens()});
    a.from = &rows; // complete from the start: no section before
    EXPECT_EQ(bound_of(ring, a).bandwidth_cycles, 12 * 1024 / 256 * 7u);
}

TEST(bound, odd_row_sizes_allow_cheaper_packets) {
    auto mesh = built_topology::shipped("mesh_5x5");
    built_layout here({1}, {replicate()}, {0}), there({1}, {replicate()}, {1});
    // 62 elements of 4 bytes: packets of up to 248 bytes in 6 flits are cheapest per byte
    chm_bound bound = bound_of(mesh, {{1000, 62, 4}, &here, {&there}});
    EXPECT_EQ(bound.bandwidth_cycles, 6000u);
    // 96 elements, half of them 192 bytes in 5 flits: 384 bytes are 10 flits, not 7 + 4
    EXPECT_EQ(bound_of(mesh, {{1000, 96, 4}, &here, {&there}}).bandwidth_cycles, 10000u);
}

TEST(bound, more_or_faster_never_bounds_higher) {
    auto fabric = fabric_defaults();
    built_layout addends({2, 2}, {partial(), partial()}, {0, 1, 5, 6});
    built_layout copies({2, 2}, {replicate(), replicate()}, {2, 3, 7, 8});
    const ask a = {{64, 1024, 4}, &addends, {&copies}};
    const uint64_t usual = bound_of(built_topology::mesh({5, 5}), a).lower_bound_cycles;
    fabric.link_latency_cycles = 50;
    EXPECT_LT(bound_of(built_topology::mesh({5, 5}, fabric), a).lower_bound_cycles, usual);
    fabric.flit_bytes = 100;
    EXPECT_LT(bound_of(built_topology::mesh({5, 5}, fabric), a).bandwidth_cycles,
              bound_of(built_topology::mesh({5, 5}), a).bandwidth_cycles);
    const ask half = {{32, 1024, 4}, &addends, {&copies}};
    EXPECT_LT(bound_of(built_topology::mesh({5, 5}), half).lower_bound_cycles, usual);
}

// k flits over a link that takes n cycles for each are n (k - 1) + 1 cycles from the first to the
// last. 256 KiB are 1024 packets of 7 flits.
TEST(bound, a_slow_link_counts_for_what_it_carries) {
    auto fabric = fabric_defaults();
    fabric.link_cycles_per_flit = 4;
    built_layout here({1}, {replicate()}, {0}), there({1}, {replicate()}, {1});
    const ask one = {{64, 1024, 4}, &here, {&there}};
    // One link: what a message alone takes (slow_links_test.cpp), so that the bound is tight.
    EXPECT_EQ(bound_of(built_topology::mesh({2, 1}, fabric), one).lower_bound_cycles,
              108 + 1 + 4 * (7168 - 1u));
    // Two links each way between two nodes, a ring of two; all flits must pass them.
    EXPECT_EQ(bound_of(built_topology::torus({2, 1}, fabric), one).lower_bound_cycles,
              108 + 1 + 4 * (7168 / 2 - 1u));
    // 16 MiB over the two links of a cut.
    fabric.link_cycles_per_flit = 3;
    built_layout shards({4}, {tokens()}, {0, 1, 5, 6}), next({4}, {tokens()}, {2, 3, 7, 8});
    const chm_bound bound =
        bound_of(built_topology::mesh({5, 5}, fabric), {{4096, 1024, 4}, &shards, {&next}});
    EXPECT_STREQ(bound.bound_by.name, "cut columns 0..1 outward");
    EXPECT_EQ(bound.bandwidth_cycles, 1 + 3 * (229376 - 1u));
    // Dies on one switch use no link, however slow.
    const ask near = {{64, 1024, 4}, &here, {&there}};
    EXPECT_EQ(bound_of(built_topology::fat_tree(2, 4, fabric), near).lower_bound_cycles,
              bound_of(built_topology::fat_tree(2, 4), near).lower_bound_cycles);
}

TEST(bound, refuses_what_it_cannot_bound) {
    auto mesh = built_topology::mesh({2, 2});
    built_layout here({2}, {tokens()}, {0, 9}), there({2}, {routed_copy()}, {0, 1});
    const chm_layout* demand = there.get();
    chm_request request = {};
    request.tensor = {4, 4, 4};
    request.from = here.get();
    request.demands = &demand;
    request.demand_count = 1;
    chm_arena arena;
    chm_arena_init(&arena);
    chm_bound bound;
    EXPECT_EQ(chm_bound_request(mesh.get(), &request, &arena, &bound), chm_bad_argument);
    request.from = demand; // routed without routing
    EXPECT_EQ(chm_bound_request(mesh.get(), &request, &arena, &bound), chm_bad_argument);
    request.demand_count = 0;
    EXPECT_EQ(chm_bound_request(mesh.get(), &request, &arena, &bound), chm_bad_argument);
    request.demand_count = 1;
    request.tensor = {uint64_t{1} << 40, uint64_t{1} << 30, 4};
    EXPECT_EQ(chm_bound_request(mesh.get(), &request, &arena, &bound), chm_overflow);
    chm_arena_free(&arena);
}
