// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "hw/golden/schedules/schedule.h"
#include "tests/support/plan_interpreter.h"
#include "tests/support/planned.h"

namespace {

using namespace chimera::test;

struct shape {
    std::vector<uint32_t> extent, position;
    uint32_t dimensions;
};

shape shape_of(const built_topology& topology, const std::vector<uint32_t>& dies) {
    shape s = {std::vector<uint32_t>(3), std::vector<uint32_t>(dies.size() * 3), 0};
    s.dimensions =
        chm_schedule_shape(topology.get(), dies.data(), static_cast<uint32_t>(dies.size()),
                           s.extent.data(), s.position.data());
    return s;
}

TEST(schedule_shape, boxes_are_found_and_the_rest_is_a_line) {
    auto mesh = built_topology::mesh({5, 5});
    auto box = shape_of(mesh, {7, 2, 8, 3}); // columns 2-3, rows 0-1
    EXPECT_EQ(box.extent, (std::vector<uint32_t>{2, 2, 1}));
    EXPECT_EQ(box.dimensions, 2u);
    EXPECT_EQ(box.position, (std::vector<uint32_t>{0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0}));
    EXPECT_EQ(shape_of(mesh, {0, 10, 20}).extent, (std::vector<uint32_t>{1, 3, 1}));
    auto corner = shape_of(mesh, {0, 1, 5});
    EXPECT_EQ(corner.extent, (std::vector<uint32_t>{3, 1, 1}));
    EXPECT_EQ(corner.position, (std::vector<uint32_t>{0, 0, 0, 1, 0, 0, 2, 0, 0}));
    auto cube = built_topology::torus({2, 2, 2});
    EXPECT_EQ(shape_of(cube, {0, 1, 2, 3, 4, 5, 6, 7}).dimensions, 3u);
    EXPECT_EQ(shape_of(cube, {6}).dimensions, 0u);
}

TEST(schedule, only_receiver_side_sums_keep_the_order) {
    for (int k = chm_schedule_ring; k < chm_schedule_count; ++k) {
        auto kind = static_cast<chm_schedule_kind>(k);
        bool keeps = kind == chm_schedule_direct || kind == chm_schedule_staggered;
        EXPECT_EQ(chm_schedule_keeps_order(kind, chm_basic_reduce_scatter), keeps);
        EXPECT_TRUE(chm_schedule_keeps_order(kind, chm_basic_all_gather));
    }
}

uint32_t steps_of(const chm_plan& plan) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < plan.transfer_count; ++i) {
        last = std::max(last, plan.transfers[i].step + 1);
    }
    return last;
}

bool power_of_two(uint32_t n) {
    return (n & (n - 1)) == 0;
}

// Whatever the schedule, all members together send each block N-1 times: (N-1) M bytes. Steps: a
// ring N-1 along each dimension, halving log2 N, direct ones 1.
void check_forced(const built_topology& topology, const std::vector<uint32_t>& dies,
                  chm_schedule_kind kind, bool reduce) {
    auto n = static_cast<uint32_t>(dies.size());
    chm_tensor tensor = {3 * n + 1, 5, 4};
    built_layout sums({n}, {partial()}, dies), rows({n}, {tokens()}, dies),
        whole({n}, {replicate()}, dies);
    built_request request(tensor, reduce ? sums : rows, {reduce ? &rows : &whole});
    chm_plan_options options = {};
    (reduce ? options.reduce_scatter : options.all_gather) = kind;
    planned made(*topology, *request, options);
    if (reduce && kind == chm_schedule_halving_doubling && !power_of_two(n)) {
        // Only the reduction at the receiver would be left, and a scatter does the same.
        EXPECT_EQ(made.status, chm_unsupported);
        return;
    }
    ASSERT_EQ(made.status, chm_ok) << made.faults;
    EXPECT_EQ(made.plan.payload_bytes, (n - 1) * tensor.tokens * tensor.width * 4);
    for (uint64_t seed = 0; seed < 2; ++seed) {
        EXPECT_EQ(plan_interpreter(*request, made.plan, seed).run(), "");
    }
    if (!reduce || n == 1) {
        return; // an all-gather may also be moved directly
    }
    ASSERT_EQ(made.plan.phase_count, 1u);
    EXPECT_STREQ(made.plan.phases[0].schedule, chm_schedule_name(kind));
    auto s = shape_of(topology, dies);
    uint32_t ring = s.extent[0] + s.extent[1] + s.extent[2] - 3;
    uint32_t halving = 0;
    while ((1u << halving) < n) {
        ++halving;
    }
    bool rings = kind == chm_schedule_ring || kind == chm_schedule_bidirectional ||
                 kind == chm_schedule_grid;
    EXPECT_EQ(steps_of(made.plan), rings                                   ? ring
                                   : kind == chm_schedule_halving_doubling ? halving
                                                                           : 1u);
}

TEST(schedule, every_schedule_completes_every_group) {
    const auto mesh = built_topology::mesh({4, 4});
    const auto cube = built_topology::torus({2, 2, 2});
    const auto tree = built_topology::fat_tree(2, 5);
    for (int k = chm_schedule_ring; k < chm_schedule_grid; ++k) {
        auto kind = static_cast<chm_schedule_kind>(k);
        for (bool reduce : {true, false}) {
            for (uint32_t n = 1; n <= 9; ++n) {
                std::vector<uint32_t> dies(n);
                std::iota(dies.begin(), dies.end(), 0);
                SCOPED_TRACE(std::string(chm_schedule_name(kind)) + " " + std::to_string(n));
                check_forced(mesh, dies, kind, reduce);
                check_forced(tree, dies, kind, reduce);
            }
            check_forced(mesh, {0, 1, 2, 4, 5, 6, 8, 9, 10}, kind, reduce); // 3x3
            check_forced(mesh, {10, 5, 0, 15}, kind, reduce);               // a diagonal
            check_forced(cube, {0, 1, 2, 3, 4, 5, 6, 7}, kind, reduce);
        }
    }
}

chm_fabric_params with_ports(uint64_t ports) {
    chm_fabric_params fabric = chimera::test::fabric_defaults();
    fabric.ports_per_die = ports;
    return fabric;
}

TEST(schedule, grids_complete_every_group) {
    const auto mesh = built_topology::mesh({4, 4}, with_ports(4));
    const auto torus = built_topology::torus({3, 4}, with_ports(4));
    const auto cube = built_topology::torus({2, 2, 2}, with_ports(6));
    const auto block = built_topology::mesh({3, 2, 2}, with_ports(3));
    for (bool reduce : {true, false}) {
        for (uint32_t n = 1; n <= 12; ++n) {
            std::vector<uint32_t> dies(n);
            std::iota(dies.begin(), dies.end(), 0);
            SCOPED_TRACE(n);
            check_forced(mesh, dies, chm_schedule_grid, reduce);
            check_forced(torus, dies, chm_schedule_grid, reduce);
            check_forced(block, dies, chm_schedule_grid, reduce);
        }
        check_forced(mesh, {0, 1, 2, 4, 5, 6, 8, 9, 10}, chm_schedule_grid, reduce); // 3x3
        check_forced(mesh, {10, 5, 0, 15}, chm_schedule_grid, reduce);               // a diagonal
        check_forced(cube, {0, 1, 2, 3, 4, 5, 6, 7}, chm_schedule_grid, reduce);
    }
}

// What each link carries of an all-gather over a grid of X x X dies with blocks of B bytes, each
// divided into as many parts as there are directions that do not exclude each other. Torus: X - 1
// hops of a quarter and X - 1 of X quarters, on every link. Mesh: as many of halves on the links
// into the last column and row, and i / (X - 1) of that on the i-th link of a line.
TEST(schedule, grids_load_all_links_as_little_as_can_be) {
    const uint32_t extent = 4, dies = extent * extent;
    const uint64_t block = 64 * 256 * 4; // 64 rows of 256 elements
    for (bool wraps : {true, false}) {
        const auto topology = wraps ? built_topology::torus({extent, extent}, with_ports(4))
                                    : built_topology::mesh({extent, extent}, with_ports(4));
        chm_tensor tensor = {64 * dies, 256, 4};
        built_layout rows({dies}, {tokens()}), whole({dies}, {replicate()});
        built_request request(tensor, rows, {&whole});
        chm_plan_options options = {};
        options.all_gather = chm_schedule_grid;
        options.move = chm_schedule_direct; // over more links, so that it is not chosen
        planned made(*topology, *request, options);
        ASSERT_EQ(made.status, chm_ok) << made.faults;
        ASSERT_STREQ(made.plan.phases[0].schedule, "grid");
        std::vector<uint64_t> load(topology->link_count);
        for (uint32_t i = 0; i < made.plan.transfer_count; ++i) {
            const auto& t = made.plan.transfers[i];
            const chm_route_key key = {t.source, t.destination, 0};
            uint32_t link = 0;
            ASSERT_EQ(chm_topology_path(topology.get(), &key, &link, 1), 1u);
            load[link] += chm_plan_transfer_bytes(&made.plan, &t);
        }
        const uint64_t parts = wraps ? 4 : 2;
        const uint64_t most = (dies - 1) * block / parts;
        for (uint32_t l = 0; l < topology->link_count; ++l) {
            uint32_t from[3], to[3];
            chm_topology_coordinates(topology.get(), topology->links[l].from_node, from);
            chm_topology_coordinates(topology.get(), topology->links[l].to_node, to);
            const uint32_t d = from[0] == to[0] ? 1 : 0;
            const uint32_t behind = to[d] > from[d] ? to[d] : extent - 1 - to[d];
            EXPECT_EQ(load[l], wraps ? most : most * behind / (extent - 1)) << l;
        }
    }
}

// Both directions carry half: on a line of 5 every die sends as much up as down.
TEST(schedule, bidirectional_splits_every_block) {
    const auto mesh = built_topology::mesh({5, 1});
    chm_tensor tensor = {20, 2, 4};
    built_layout sums({5}, {partial()}), rows({5}, {tokens()});
    built_request request(tensor, sums, {&rows});
    chm_plan_options options = {};
    options.reduce_scatter = chm_schedule_bidirectional;
    planned made(*mesh, *request, options);
    ASSERT_EQ(made.status, chm_ok);
    uint64_t up[5] = {}, down[5] = {};
    for (uint32_t i = 0; i < made.plan.transfer_count; ++i) {
        const auto& t = made.plan.transfers[i];
        auto& sent = (t.source + 1) % 5 == t.destination ? up : down;
        sent[t.source] += chm_plan_transfer_bytes(&made.plan, &t);
    }
    for (uint32_t die = 0; die < 5; ++die) {
        EXPECT_EQ(up[die], 4 * 2 * 2 * 4u); // 4 steps of 2 of the block's 4 rows, 8 bytes each
        EXPECT_EQ(down[die], up[die]);
    }
}

// Staggered: in round k source i sends to i + k, so no destination has two senders in a round.
TEST(schedule, staggered_starts_at_different_destinations) {
    const auto tree = built_topology::fat_tree(1, 6);
    chm_tensor tensor = {12, 12, 4};
    built_layout rows({6}, {tokens()}), columns({6}, {width()});
    built_request request(tensor, rows, {&columns});
    chm_plan_options options = {};
    options.move = chm_schedule_staggered;
    planned made(*tree, *request, options);
    ASSERT_EQ(made.plan.transfer_count, 30u);
    for (uint32_t round = 0; round < 5; ++round) {
        std::set<uint32_t> destinations;
        for (uint32_t i = 0; i < 6; ++i) {
            const auto& t = made.plan.transfers[round * 6 + i];
            EXPECT_EQ(t.source, i);
            EXPECT_EQ(t.destination, (i + round + 1) % 6);
            destinations.insert(t.destination);
        }
        EXPECT_EQ(destinations.size(), 6u);
    }
}

} // namespace
