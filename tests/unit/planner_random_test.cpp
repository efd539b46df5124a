// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "tests/support/plan_interpreter.h"
#include "tests/support/planned.h"

// Random redistributions, executed element by element in random orders.

namespace {

using namespace chimera::test;

std::vector<uint32_t> some_dies(test_random& random, uint32_t count, uint32_t of) {
    std::vector<uint32_t> all(of);
    std::iota(all.begin(), all.end(), 0);
    for (uint32_t i = 0; i < count; ++i) {
        std::swap(all[i], all[i + random.below(of - i)]);
    }
    all.resize(count);
    return all;
}

enum class kinds { complete, any, routed_copy, routed_partial };

// 1 to 3 dimensions of 1 to 4 dies, at most `most` dies of `of`, overlapping others by chance.
built_layout random_layout(test_random& random, kinds which, uint32_t most, uint32_t of) {
    std::vector<uint32_t> extent;
    uint32_t size = 1;
    auto dimensions = 1 + random.below(3);
    for (uint64_t d = 0; d < dimensions; ++d) {
        auto e = static_cast<uint32_t>(1 + random.below(4));
        e = size * e > most ? 1 : e;
        size *= e;
        extent.push_back(e);
    }
    std::vector<chm_placement> placement;
    std::vector<uint32_t> order[2];
    for (uint64_t d = 0; d < dimensions; ++d) {
        auto pick = random.below(which == kinds::complete ? 3 : 5);
        if (which == kinds::routed_copy) {
            placement.push_back(routed_copy());
        } else if (which == kinds::routed_partial) {
            placement.push_back(routed_partial());
        } else if (pick == 0) {
            placement.push_back(replicate());
        } else if (pick <= 2) {
            placement.push_back(pick == 1 ? tokens() : width());
            order[pick - 1].push_back(static_cast<uint32_t>(d));
        } else {
            placement.push_back(partial());
        }
    }
    for (auto& dims : order) { // which dimension splits first is random
        for (size_t i = 0; i < dims.size(); ++i) {
            std::swap(dims[i], dims[i + random.below(dims.size() - i)]);
            placement[dims[i]].order = static_cast<uint32_t>(i);
        }
    }
    return {extent, placement, some_dies(random, size, of)};
}

const built_topology& topology_of(uint64_t index) {
    static const built_topology all[] = {
        built_topology::mesh({4, 3}), built_topology::torus({4, 4}), built_topology::fat_tree(2, 6),
        built_topology::mesh({2, 2, 3})};
    return all[index % 4];
}

bool same_plan(const chm_plan& a, const chm_plan& b) {
    if (a.transfer_count != b.transfer_count || a.dependency_count != b.dependency_count ||
        a.estimated_cycles != b.estimated_cycles || a.slices != b.slices) {
        return false;
    }
    for (uint32_t i = 0; i < a.transfer_count; ++i) {
        const auto &x = a.transfers[i], &y = b.transfers[i];
        if (x.source != y.source || x.destination != y.destination ||
            std::memcmp(&x.region, &y.region, sizeof x.region) != 0 || x.kind != y.kind ||
            x.from_work != y.from_work || x.step != y.step) {
            return false;
        }
    }
    return std::equal(a.dependencies, a.dependencies + a.dependency_count, b.dependencies);
}

struct outcome {
    unsigned planned = 0, sliced = 0, refused = 0;
};

void check_case(uint64_t seed, const chm_topology& topology, const chm_request& request,
                const chm_plan_options& options, outcome& result) {
    planned once(topology, request, options);
    if (once.status == chm_unsupported) {
        EXPECT_NE(once.faults, "");
        ++result.refused;
        return;
    }
    ASSERT_EQ(once.status, chm_ok) << once.faults;
    ++result.planned;
    result.sliced += once.plan.slices > 1;
    ASSERT_NE(once.chosen(), nullptr);
    for (uint64_t order = 0; order < 3; ++order) {
        std::string fault = plan_interpreter(request, once.plan, seed * 7 + order).run();
        ASSERT_EQ(fault, "") << "seed " << seed << ": " << once.chosen()->form << " by "
                             << once.chosen()->schedule;
    }
    for (uint32_t i = 0; i < once.plan.die_count && options.staging_bytes != 0; ++i) {
        ASSERT_LE(once.plan.dies[i].staging_bytes, options.staging_bytes);
    }
    for (const auto& candidate : once.candidates()) {
        ASSERT_GE(candidate.cost_cycles, once.chosen()->cost_cycles);
        ASSERT_GE(candidate.cost_cycles, candidate.estimated_cycles);
    }
    planned again(topology, request, options);
    ASSERT_TRUE(same_plan(once.plan, again.plan)) << "seed " << seed;
}

chm_plan_options random_options(test_random& random) {
    chm_plan_options options = {};
    if (random.below(3) == 0) {
        options.staging_bytes = 16 << random.below(6);
    }
    const chm_schedule_kind reduce[] = {chm_schedule_auto,          chm_schedule_ring,
                                        chm_schedule_bidirectional, chm_schedule_direct,
                                        chm_schedule_staggered,     chm_schedule_halving_doubling};
    const chm_schedule_kind move[] = {chm_schedule_auto, chm_schedule_direct,
                                      chm_schedule_staggered, chm_schedule_tree};
    if (random.below(2) == 0) {
        options.reduce_scatter = reduce[random.below(6)];
        options.all_gather = reduce[random.below(6)];
        options.move = move[random.below(4)];
    }
    return options;
}

TEST(planner_random, every_needer_gets_each_addend_once) {
    outcome result;
    for (uint64_t seed = 1; seed <= 600; ++seed) {
        SCOPED_TRACE(seed);
        test_random random(seed);
        const auto& topology = topology_of(seed);
        chm_tensor tensor = {1 + random.below(13), 1 + random.below(9), 4};
        auto from = random_layout(random, kinds::any, 8, topology->dies);
        auto first = random_layout(random, kinds::complete, 8, topology->dies);
        auto second = random_layout(random, kinds::complete, 8, topology->dies);
        auto chosen = random.below(3) == 0 ? std::vector<const built_layout*>{&first, &second}
                                           : std::vector<const built_layout*>{&first};
        built_request request(tensor, from, chosen);
        if (random.below(3) == 0) {
            request.operation(7, random.below(2) == 0, random.below(2) == 0);
        }
        if (random.below(4) == 0) {
            request.operation(8, false, random.below(2) == 0);
        }
        if (random.below(4) == 0) {
            request.ordered();
        }
        check_case(seed, *topology, *request, random_options(random), result);
        if (testing::Test::HasFatalFailure()) {
            return;
        }
        EXPECT_EQ(chm_request_volume(&*request), least_bytes(*request));
    }
    EXPECT_GT(result.planned, 450u);
    EXPECT_GT(result.sliced, 10u);
}

// A dispatch slices replicated rows first: replicate becomes the last split of the tokens.
chm_layout sliced(const chm_layout& layout) {
    chm_layout result = layout;
    uint32_t order = 0;
    for (uint32_t d = 0; d < layout.mesh.dimensions; ++d) {
        const chm_placement& p = layout.placement[d];
        order += p.kind == chm_place_shard && p.axis == chm_axis_tokens;
    }
    for (uint32_t d = 0; d < layout.mesh.dimensions; ++d) {
        if (layout.placement[d].kind == chm_place_replicate) {
            result.placement[d] = {chm_place_shard, chm_axis_tokens, order++};
        }
    }
    return result;
}

TEST(planner_random, rows_reach_their_experts_once) {
    outcome result;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(seed);
        test_random random(seed + 5000);
        const auto& topology = topology_of(seed);
        chm_tensor tensor = {1 + random.below(24), 1 + random.below(4), 4};
        auto from = random_layout(random, kinds::any, 8, topology->dies);
        auto experts = random_layout(random, kinds::routed_copy, 8, topology->dies);
        auto beside = random_layout(random, kinds::complete, 8, topology->dies);
        auto chosen = random.below(3) == 0 ? std::vector<const built_layout*>{&beside, &experts}
                                           : std::vector<const built_layout*>{&experts};
        built_request request(tensor, from, chosen);
        request.route({static_cast<uint32_t>(1 + random.below(3)), chm_mesh_size(&experts->mesh),
                       random.below(2) == 0 ? 0.0 : 0.5, seed});
        if (random.below(4) == 0) {
            request.operation(6, false, false);
        }
        if (random.below(3) != 0) {
            request.operation(7, true);
            if (random.below(3) == 0) {
                request.available(random.below(2) == 0 ? experts : beside);
            }
        }
        check_case(seed, *topology, *request, random_options(random), result);
        if (testing::Test::HasFatalFailure()) {
            return;
        }
        const chm_layout sent = sliced(*from);
        chm_request as_sent = *request;
        as_sent.from = as_sent.demand_count == 1 ? &sent : as_sent.from;
        EXPECT_EQ(chm_request_volume(&*request), least_bytes(as_sent));
    }
    EXPECT_GT(result.planned, 200u);
}

TEST(planner_random, weighted_rows_come_back_once) {
    outcome result;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(seed);
        test_random random(seed + 9000);
        const auto& topology = topology_of(seed);
        chm_tensor tensor = {1 + random.below(24), 1 + random.below(4), 4};
        auto experts = random_layout(random, kinds::routed_partial, 8, topology->dies);
        auto owners = random_layout(random, kinds::complete, 8, topology->dies);
        built_request request(tensor, experts, {&owners});
        request.route(
            {static_cast<uint32_t>(1 + random.below(3)), chm_mesh_size(&experts->mesh), 0.0, seed});
        if (random.below(4) == 0) {
            request.operation(6, false, false);
        }
        if (random.below(4) == 0) {
            request.ordered();
        }
        check_case(seed, *topology, *request, random_options(random), result);
        if (testing::Test::HasFatalFailure()) {
            return;
        }
        EXPECT_EQ(chm_request_volume(&*request), least_bytes(*request));
    }
    EXPECT_GT(result.planned, 150u);
}

// Every dimension split along the tokens: rows spread over all dies.
built_layout spread(const built_layout& layout) {
    std::vector<uint32_t> extent(layout->mesh.extent,
                                 layout->mesh.extent + layout->mesh.dimensions);
    std::vector<chm_placement> placement;
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        placement.push_back(tokens(d));
    }
    return {
        extent, placement,
        std::vector<uint32_t>(layout->mesh.dies, layout->mesh.dies + chm_mesh_size(&layout->mesh))};
}

// A residual's rows and, behind a norm or two, anything.
TEST(planner_random, data_before_an_operation_is_kept_where_it_runs) {
    outcome result;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(seed);
        test_random random(seed + 20000);
        const auto& topology = topology_of(seed);
        chm_tensor tensor = {1 + random.below(24), 1 + random.below(4), 4};
        bool comes_back = random.below(4) == 0;
        auto from = random_layout(random, comes_back ? kinds::routed_partial : kinds::any, 8,
                                  topology->dies);
        bool dispatches = !comes_back && random.below(3) == 0;
        auto main_demand = random_layout(random, dispatches ? kinds::routed_copy : kinds::complete,
                                         8, topology->dies);
        auto rows = spread(from);
        built_request request(tensor, from, {&rows, &main_demand});
        const auto& experts = comes_back ? from : main_demand;
        request.route(
            {static_cast<uint32_t>(1 + random.below(2)), chm_mesh_size(&experts->mesh), 0.0, seed});
        uint32_t operations = 1 + static_cast<uint32_t>(random.below(3));
        for (uint32_t i = 0; i < operations; ++i) {
            request.operation(6 + i, false, random.below(3) == 0);
        }
        request.kept(static_cast<uint32_t>(random.below(operations)));
        check_case(seed, *topology, *request, random_options(random), result);
        if (testing::Test::HasFatalFailure()) {
            return;
        }
        EXPECT_EQ(chm_request_volume(&*request), least_bytes(*request));
    }
    EXPECT_GT(result.planned, 180u);
}

} // namespace
