// SPDX-License-Identifier: Apache-2.0
// Plans against the independent element-level checker (tests/support/checker.h): over random
// layouts on 1- to 3-dimensional meshes, uneven sizes and overlapping groups, every plan delivers
// exactly what its demands say, whatever order its dependencies allow, and no bound is above what a
// plan takes.
#include <gtest/gtest.h>

#include "hw/golden/bound.h"
#include "hw/golden/planner.h"
#include "tests/support/built_topology.h"
#include "tests/support/checker.h"
#include "tests/support/random_layout.h"

namespace {

using namespace chimera;

struct case_of {
    chm_tensor tensor;
    std::unique_ptr<checker::owned_layout> from;
    std::vector<std::unique_ptr<checker::owned_layout>> demands;
    std::vector<const chm_layout*> demand_pointers;
    chm_request request{};
};

chm_tensor random_tensor(std::mt19937_64& random) {
    // From one row up, so that blocks are uneven and some are empty.
    return {1 + random() % 23, 1 + random() % 7, 4};
}

case_of random_case(std::mt19937_64& random, uint32_t dies) {
    case_of c;
    c.tensor = random_tensor(random);
    checker::layout_choice source{dies, std::min(dies, 12u)};
    source.allow_partial = random() % 2 == 0;
    c.from = checker::random_layout(random, source);
    checker::layout_choice target{dies, std::min(dies, 12u)};
    uint32_t demands = random() % 4 == 0 ? 2 : 1;
    for (uint32_t i = 0; i < demands; ++i) {
        c.demands.push_back(checker::random_layout(random, target));
        c.demand_pointers.push_back(&c.demands.back()->layout);
    }
    c.request.tensor = c.tensor;
    c.request.from = &c.from->layout;
    c.request.demands = c.demand_pointers.data();
    c.request.demand_count = demands;
    return c;
}

class checker_test : public ::testing::TestWithParam<int> {};

TEST_P(checker_test, plans_deliver_exactly_what_is_demanded) {
    chm_parameters parameters;
    chm_parameters_default(&parameters);
    chm_costs costs = chm_costs_from(&parameters);
    std::mt19937_64 random(static_cast<uint64_t>(GetParam()) * 7919 + 1);
    std::vector<test::built_topology> platforms;
    platforms.push_back(test::built_topology::mesh({3, 3}));
    platforms.push_back(test::built_topology::torus({4, 3}));
    platforms.push_back(test::built_topology::fat_tree(2, 5));
    for (const test::built_topology& platform : platforms) {
        for (int round = 0; round < 40; ++round) {
            case_of c = random_case(random, platform->dies);
            chm_arena arena;
            chm_arena_init(&arena);
            chm_diagnostics diagnostics;
            chm_diagnostics_init(&diagnostics);
            chm_plan_options options{&costs, chm_schedule_auto, chm_schedule_auto,
                                     chm_schedule_auto, random() % 3 == 0 ? 64u : 0u};
            chm_plan plan;
            chm_status status = chm_plan_request(platform.get(), &c.request, &options, &arena,
                                                 &plan, nullptr, &diagnostics);
            ASSERT_EQ(status, chm_ok) << chm_diagnostics_text(&diagnostics);
            uint32_t addends = checker::addend_count(c.from->layout);
            checker::addend_set all = (checker::addend_set{1} << addends) - 1;
            checker::state before = checker::held(c.from->layout, c.tensor, all, nullptr);
            checker::state after;
            char text[256];
            ASSERT_EQ(checker::execute(plan, before, all, nullptr, random, after), "")
                << chm_layout_format(&c.from->layout, text, sizeof text);
            for (const chm_layout* demand : c.demand_pointers) {
                char to[256];
                ASSERT_EQ(checker::missing(after, checker::held(*demand, c.tensor, all, nullptr)),
                          "")
                    << chm_layout_format(&c.from->layout, text, sizeof text) << " -> "
                    << chm_layout_format(demand, to, sizeof to);
            }
            chm_bound bound;
            ASSERT_EQ(chm_bound_request(platform.get(), &c.request, &arena, &bound), chm_ok);
            EXPECT_LE(bound.lower_bound_cycles, plan.estimated_cycles)
                << bound.bound_by.name << ": "
                << chm_layout_format(&c.from->layout, text, sizeof text);
            chm_diagnostics_free(&diagnostics);
            chm_arena_free(&arena);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, checker_test, ::testing::Range(0, 20));

} // namespace
