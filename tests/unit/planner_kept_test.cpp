// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/plan_interpreter.h"
#include "tests/support/planned.h"

// Values that an operation of the run changes, and that somebody else reads as they were.

namespace {

using namespace chimera::test;

constexpr chm_tensor activation = {256, 1024, 4};
constexpr uint64_t message = 1 << 20;

const built_topology& mesh_5x5() {
    static const auto topology = built_topology::shipped("mesh_5x5");
    return topology;
}

const std::vector<uint32_t> stage = {0, 1, 5, 6};

} // namespace

// R-S and A-G 3 M each; the rows in front of the norm are there anyway.
TEST(planner_kept, rows_before_a_norm_cost_nothing) {
    built_layout sums({4}, {partial()}, stage), rows({4}, {tokens()}, stage),
        whole({4}, {replicate()}, stage);
    built_request plain(activation, sums, {&whole});
    plain.operation(1, false);
    built_request request(activation, sums, {&rows, &whole});
    request.operation(1, false).kept(0);
    planned alone(*mesh_5x5(), *plain), made(*mesh_5x5(), *request);
    ASSERT_EQ(made.status, chm_ok) << made.faults;
    EXPECT_EQ(made.plan.payload_bytes, 6 * message);
    EXPECT_EQ(made.plan.estimated_cycles, alone.plan.estimated_cycles);
    EXPECT_TRUE(chm_layout_same(made.plan.operations[0].layout, &*rows, &activation));
    built_request small({10, 3, 4}, sums, {&rows, &whole});
    small.operation(1, false).kept(0);
    planned executed(*mesh_5x5(), *small);
    ASSERT_EQ(executed.status, chm_ok) << executed.faults;
    EXPECT_EQ(plan_interpreter(*small, executed.plan, 1).run(), "");
}

// Where columns are kept an element-wise operation stands on columns, a norm on whole rows only.
TEST(planner_kept, what_is_kept_decides_the_place) {
    built_layout sums({4}, {partial()}, stage), columns({4}, {width()}, stage),
        whole({4}, {replicate()}, stage);
    built_request request(activation, sums, {&columns, &whole});
    request.operation(1, false, true).kept(0);
    planned made(*mesh_5x5(), *request);
    ASSERT_EQ(made.status, chm_ok) << made.faults;
    EXPECT_TRUE(chm_layout_same(made.plan.operations[0].layout, &*columns, &activation));
    built_request norm(activation, sums, {&columns, &whole});
    norm.operation(1, false).kept(0);
    planned behind(*mesh_5x5(), *norm);
    ASSERT_EQ(behind.status, chm_ok) << behind.faults;
    EXPECT_TRUE(chm_layout_same(behind.plan.operations[0].layout, &*whole, &activation));
    built_request elsewhere(activation, sums, {&columns, &columns});
    elsewhere.operation(1, false).kept(0);
    planned refused(*mesh_5x5(), *elsewhere);
    EXPECT_EQ(refused.status, chm_unsupported);
    EXPECT_NE(refused.faults.find("no layout has complete rows"), std::string::npos);
}

// A demand lists the replicas of each pair in the other order, so that a reduction to its blocks
// would be sliced otherwise. The operand lies as the input's own order slices them.
TEST(planner_kept, replicas_are_sliced_in_the_order_of_the_input) {
    const chm_tensor small = {16, 4, 4};
    built_layout sums({2, 2}, {replicate(), partial()}, stage);
    built_layout rows({2, 2}, {tokens(1), tokens(0)}, stage);
    built_layout halves({2, 2}, {replicate(), tokens()}, {5, 6, 0, 1});
    built_layout experts({2, 2}, {routed_copy(), routed_copy()}, stage);
    built_request request(small, sums, {&halves, &experts});
    request.route({2, 4, 0.0, 1}).operation(1, false).available(rows);
    planned made(*mesh_5x5(), *request);
    ASSERT_EQ(made.status, chm_ok) << made.faults;
    EXPECT_TRUE(chm_layout_same(made.plan.operations[0].layout, &*rows, &small));
    EXPECT_EQ(plan_interpreter(*request, made.plan, 5).run(), "");
}
