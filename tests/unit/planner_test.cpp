// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/planned.h"

// What the planner chooses, with the figures of the published transitions (1 MiB, four dies a
// group). U = M / 256 * 7 cycles is the time of M bytes through one port in full packets.

namespace {

using namespace chimera::test;

constexpr uint64_t message = 1 << 20;
constexpr double unit = message / 256.0 * 7;
constexpr chm_tensor activation = {256, 1024, 4};
constexpr chm_tensor two_activations = {512, 1024, 4};
const std::vector<uint32_t> stage = {0, 1, 5, 6};
const std::vector<uint32_t> next_stage = {2, 3, 7, 8};

const built_topology& mesh_5x5() {
    static const auto topology = built_topology::shipped("mesh_5x5");
    return topology;
}

double units(const planned& made) {
    return static_cast<double>(made.plan.estimated_cycles) / unit;
}

class layouts_of {
public:
    explicit layouts_of(const std::vector<uint32_t>& dies)
        : sums({4}, {partial()}, dies), whole({4}, {replicate()}, dies),
          rows({4}, {tokens()}, dies), columns({4}, {width()}, dies),
          experts({4}, {routed_copy()}, dies), expert_sums({4}, {routed_partial()}, dies),
          pair_sums({2, 2}, {tokens(), partial()}, dies),
          pair_whole({2, 2}, {tokens(), replicate()}, dies) {}

    built_layout sums, whole, rows, columns, experts, expert_sums, pair_sums, pair_whole;
};

// Each phase ends before the next begins.
chm_plan_options in_one_piece() {
    chm_plan_options options = {};
    options.chunk_bytes = 2 * message;
    return options;
}

const chm_routing top_two = {2, 4, 0.0, 0};

TEST(planner, a_scatter_is_a_scatter) {
    layouts_of here(stage);
    built_request request(activation, here.sums, {&here.rows});
    planned made(*mesh_5x5(), *request);
    EXPECT_STREQ(made.chosen()->form, "R-S(tokens)");
    EXPECT_EQ(made.plan.payload_bytes, 3 * message);
    EXPECT_NEAR(units(made), 0.75, 0.01);
    EXPECT_STREQ(made.plan.phases[0].collective, "R-S");
}

// R-S 0.75, the move 0.50 over the two links of the cut, A-G 0.75.
TEST(planner, tp_pp_reduces_hands_over_and_gathers) {
    layouts_of here(stage), there(next_stage);
    built_request request(activation, here.sums, {&there.whole});
    planned made(*mesh_5x5(), *request, in_one_piece());
    std::string form = made.chosen()->form;
    EXPECT_EQ(form.substr(0, 3), "R-S");
    EXPECT_EQ(form.substr(form.size() - 3), "A-G");
    EXPECT_NEAR(units(made), 2.0, 0.03);
    EXPECT_EQ(made.plan.payload_bytes, 7 * message); // 3 + 1 + 3
    // In slices the phases overlap: every port of the first stage sends 0.75 + 0.25, every port of
    // the second takes as much in. Without room in staging for more than a slice or two they do so
    // less.
    planned streamed(*mesh_5x5(), *request);
    EXPECT_GE(streamed.plan.slices, 16u);
    EXPECT_LT(units(streamed), 1.06);
    chm_plan_options options = {};
    options.staging_bytes = message / 16;
    planned scarce(*mesh_5x5(), *request, options);
    EXPECT_LE(scarce.plan.dies[0].staging_bytes, message / 16);
    EXPECT_LT(units(scarce), 1.2);
    ASSERT_NE(made.best_of("R-S(tokens); P2P; A-G"), nullptr);
    EXPECT_NEAR(made.best_of("R-S(tokens); P2P; A-G")->estimated_cycles / unit, 2.0, 0.03);
}

// Over the cut every needer's quarter crosses with four addends instead of one: 2 U on two links
// instead of 0.75 + 0.5.
TEST(planner, reduction_at_the_receiver_is_rejected_on_the_mesh_cut) {
    layouts_of here(stage), there(next_stage);
    built_request request(activation, here.sums, {&there.rows});
    planned made(*mesh_5x5(), *request, in_one_piece());
    const auto* merged = made.best_of("M2MS+reduce");
    const auto* apart = made.best_of("R-S(tokens); P2P");
    ASSERT_NE(merged, nullptr);
    ASSERT_NE(apart, nullptr);
    EXPECT_NEAR(static_cast<double>(merged->estimated_cycles) / unit, 2.0, 0.05);
    EXPECT_NEAR(static_cast<double>(apart->estimated_cycles) / unit, 1.25, 0.03);
    EXPECT_FALSE(merged->chosen);
    // Behind one switch it is not: 1 U in and out instead of 0.75 + 0.25 and another latency.
    auto tree = built_topology::shipped("fat_tree_2x8");
    layouts_of left({0, 1, 2, 3}), right({4, 5, 6, 7});
    built_request across(activation, left.sums, {&right.rows});
    EXPECT_STREQ(planned(*tree, *across).chosen()->form, "M2MS+reduce");
}

TEST(planner, shards_go_die_to_die) {
    layouts_of here(stage), there(next_stage);
    built_request request(activation, here.rows, {&there.rows});
    planned made(*mesh_5x5(), *request);
    EXPECT_STREQ(made.chosen()->form, "P2P");
    ASSERT_EQ(made.plan.transfer_count, 4u);
    for (uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(made.plan.transfers[i].source, stage[i]);
        EXPECT_EQ(made.plan.transfers[i].destination, next_stage[i]);
    }
    EXPECT_NEAR(units(made), 0.5, 0.02); // two quarters over each of the cut's two links
}

TEST(planner, slices_cost_nothing) {
    layouts_of here(stage);
    for (const auto* demand : {&here.rows, &here.columns, &here.whole}) {
        built_request request(activation, here.whole, {demand});
        planned made(*mesh_5x5(), *request);
        EXPECT_STREQ(made.chosen()->form, "nothing");
        EXPECT_EQ(made.plan.transfer_count, 0u);
        EXPECT_EQ(made.plan.estimated_cycles, 0u);
    }
}

// Gating needs rows: the sum is scattered along tokens and gated where the rows are.
TEST(planner, tp_ep_scatters_along_tokens_because_gating_follows) {
    layouts_of here(stage);
    built_request request(two_activations, here.pair_sums, {&here.experts});
    request.route(top_two).operation(5, true);
    planned made(*mesh_5x5(), *request);
    EXPECT_STREQ(made.chosen()->form, "R-S(tokens); gating; A2A");
    EXPECT_NEAR(units(made), 1.25, 0.04);
    ASSERT_EQ(made.plan.operation_count, made.plan.slices);
    EXPECT_TRUE(made.plan.operations[0].reads_only);
    EXPECT_TRUE(chm_layout_rows_complete(made.plan.operations[0].layout));
    for (const auto& candidate : made.candidates()) {
        EXPECT_EQ(std::string(candidate.form).find("R-S(width)"), std::string::npos);
    }
}

// One copy of each row crosses the cut and is forwarded behind it: 2 of the 4 M routed cross, over
// two links about 1 U, and are forwarded in another half; all copies at once take 2 U.
TEST(planner, pp_ep_forwards_behind_the_mesh_cut) {
    layouts_of here(stage), there(next_stage);
    built_request request(two_activations, here.pair_whole, {&there.experts});
    request.route(top_two).operation(5, true);
    planned made(*mesh_5x5(), *request);
    EXPECT_STREQ(made.chosen()->form, "gating; M2MS");
    EXPECT_STREQ(made.chosen()->schedule, "tree");
    EXPECT_LT(units(made), 1.15); // rows are forwarded while others cross
    EXPECT_EQ(made.plan.payload_bytes, 4 * message);
    planned whole(*mesh_5x5(), *request, in_one_piece());
    EXPECT_STREQ(whole.chosen()->schedule, "tree");
    EXPECT_NEAR(units(whole), 1.5, 0.05);
    for (const auto& candidate : whole.candidates()) {
        if (std::string(candidate.schedule) == "staggered") {
            EXPECT_NEAR(static_cast<double>(candidate.estimated_cycles) / unit, 2.0, 0.05);
        }
    }
}

// Without the gate's weights at the source, rows go to the next stage whole and are gated there.
TEST(planner, gating_stays_where_its_weights_are) {
    layouts_of here(stage), there(next_stage);
    built_request request(two_activations, here.pair_whole, {&there.experts});
    request.route(top_two).operation(5, true).available(there.whole);
    planned made(*mesh_5x5(), *request);
    EXPECT_STREQ(made.chosen()->form, "M2MS; gating; A2A");
    ASSERT_EQ(made.plan.operation_count, made.plan.slices);
    for (uint32_t b = 0; b < made.plan.operations[0].block_count; ++b) {
        uint32_t die = made.plan.operations[0].blocks[b].die;
        EXPECT_NE(std::find(next_stage.begin(), next_stage.end(), die), next_stage.end());
    }
    built_layout elsewhere({1}, {replicate()}, {24});
    request.available(elsewhere);
    planned far(*mesh_5x5(), *request);
    EXPECT_EQ(far.status, chm_ok) << far.faults; // rows make the way to the weights
    EXPECT_EQ(far.plan.operations[0].blocks[0].die, 24u);
}

// Every source tells every destination how many rows it has, were it none.
TEST(planner, every_pair_has_a_routed_transfer) {
    layouts_of here(stage), there(next_stage);
    chm_tensor few = {4, 16, 4}; // one row a die: most pairs have none
    built_request request(few, here.rows, {&there.experts});
    request.route({1, 4, 0.0, 0});
    chm_plan_options options = {};
    options.move = chm_schedule_direct;
    planned made(*mesh_5x5(), *request, options);
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    uint64_t rows = 0;
    for (uint32_t i = 0; i < made.plan.transfer_count; ++i) {
        const auto& t = made.plan.transfers[i];
        EXPECT_EQ(t.kind, chm_transfer_routed);
        pairs.insert({t.source, t.destination});
        rows += chm_plan_rows(&made.plan, &t);
    }
    // From its one sender each row goes to one expert, and rows moved before that start elsewhere.
    EXPECT_EQ(rows, 4u);
    EXPECT_EQ(pairs.size(), 16u);
}

TEST(planner, combine_returns_straight_to_the_shards) {
    layouts_of here(stage);
    built_request request(two_activations, here.expert_sums, {&here.rows});
    request.route(top_two);
    planned made(*mesh_5x5(), *request);
    EXPECT_STREQ(made.chosen()->form, "A2A");
    EXPECT_NEAR(units(made), 0.75, 0.03); // a quarter of the 4 M routed stays on its die
    EXPECT_EQ(made.plan.payload_bytes, 3 * message);
}

// Two demands: the sum is scattered once, the shard kept and dispatched.
TEST(planner, demands_share_one_reduction) {
    layouts_of here(stage);
    built_request request(activation, here.sums, {&here.rows, &here.experts});
    request.route(top_two).operation(5, true);
    planned made(*mesh_5x5(), *request);
    EXPECT_STREQ(made.chosen()->form, "R-S(tokens); gating; A2A");
    EXPECT_EQ(made.plan.payload_bytes, 3 * message + 3 * message / 2); // of 2 M routed 3/4 move
}

// An element-wise operation may stand on any shard, a row-wise one not on a width shard.
TEST(planner, row_wise_operations_force_the_axis) {
    layouts_of here(stage);
    for (bool element_wise : {true, false}) {
        built_request request(activation, here.sums, {&here.columns});
        request.operation(4, false, element_wise);
        planned made(*mesh_5x5(), *request);
        EXPECT_STREQ(made.chosen()->form,
                     element_wise ? "R-S(width); compute" : "R-S(tokens); compute; A2A");
    }
}

TEST(planner, ordered_sums_admit_only_what_keeps_their_order) {
    layouts_of here(stage);
    built_request request(activation, here.sums, {&here.rows});
    request.ordered();
    planned made(*mesh_5x5(), *request);
    EXPECT_TRUE(made.plan.ordered);
    for (const auto& candidate : made.candidates()) {
        std::string schedule = candidate.schedule;
        EXPECT_TRUE(schedule == "direct" || schedule == "staggered") << schedule;
    }
    // All three foreign addends of a quarter are kept until the last is there.
    EXPECT_EQ(made.plan.dies[0].staging_bytes, 3 * message / 4);
    chm_plan_options ring = {};
    ring.reduce_scatter = chm_schedule_ring;
    planned forced(*mesh_5x5(), *request, ring);
    EXPECT_EQ(forced.status, chm_unsupported);
    EXPECT_NE(forced.faults.find("order"), std::string::npos);
}

// A ring keeps two quarters that are not its own: 512 KiB, so that 200,000 bytes need 3 slices.
TEST(planner, staging_is_kept_in_bounds_by_slices) {
    built_topology line = built_topology::mesh({4, 1});
    layouts_of here({0, 1, 2, 3});
    built_request request(activation, here.sums, {&here.rows});
    chm_plan_options options = {};
    options.reduce_scatter = chm_schedule_ring;
    planned free(*line, *request, options);
    EXPECT_EQ(free.plan.slices, 1u); // one phase has nothing to overlap with
    EXPECT_EQ(free.plan.dies[0].staging_bytes, message / 2);
    options.staging_bytes = 200000;
    options.chunk_bytes = message;
    planned bound(*line, *request, options);
    EXPECT_EQ(bound.plan.slices, 3u);
    EXPECT_EQ(bound.plan.payload_bytes, free.plan.payload_bytes);
    EXPECT_GT(std::count_if(bound.plan.transfers, bound.plan.transfers + bound.plan.transfer_count,
                            [](const auto& t) { return t.kind == chm_transfer_credit; }),
              0);
    options.staging_bytes = 1000; // not even a quarter of a row
    planned none(*line, *request, options);
    EXPECT_EQ(none.status, chm_unsupported);
    EXPECT_NE(none.faults.find("staging_bytes 1000"), std::string::npos);
}

// The paper's volumes, summed over N = 4 dies.
TEST(request_volume, is_the_papers) {
    layouts_of here(stage), there(next_stage);
    auto volume = [](const built_layout& from, const built_layout& to) {
        return chm_request_volume(&*built_request(activation, from, {&to}));
    };
    EXPECT_EQ(volume(here.sums, here.rows), 3 * message);        // R-S (N-1) M
    EXPECT_EQ(volume(here.rows, here.whole), 3 * message);       // A-G (N-1) M
    EXPECT_EQ(volume(here.sums, here.whole), 6 * message);       // A-R 2 (N-1) M
    EXPECT_EQ(volume(here.rows, here.columns), 3 * message / 4); // A2A (N-1)/N M
    EXPECT_EQ(volume(here.whole, there.whole), 4 * message);     // P2P M each
    EXPECT_EQ(volume(here.sums, there.sums), 4 * message);
    EXPECT_EQ(volume(here.whole, here.sums), 0u); // embedding
    built_request dispatch(two_activations, here.rows, {&here.experts});
    dispatch.route(top_two);
    EXPECT_EQ(chm_request_volume(&*dispatch), 3 * message); // (N-1)/N of k DP M
}

TEST(planner, what_cannot_be_planned_is_refused_by_name) {
    layouts_of here(stage), there(next_stage), off({0, 1, 2, 25});
    built_request outside(activation, here.sums, {&off.rows});
    planned far(*mesh_5x5(), *outside);
    EXPECT_EQ(far.status, chm_bad_argument);
    EXPECT_NE(far.faults.find("die 25"), std::string::npos);
    built_request unrouted(activation, here.rows, {&here.experts});
    EXPECT_EQ(planned(*mesh_5x5(), *unrouted).status, chm_bad_argument);
    built_request copies(activation, here.experts, {&here.rows});
    copies.route(top_two);
    planned back(*mesh_5x5(), *copies);
    EXPECT_EQ(back.status, chm_unsupported);
    EXPECT_NE(back.faults.find("routed copies"), std::string::npos);
    built_request nothing(activation, here.rows, {});
    EXPECT_EQ(planned(*mesh_5x5(), *nothing).status, chm_bad_argument);
    built_layout mixed({2, 2}, {routed_copy(), replicate()}, stage);
    built_request wide(activation, here.rows, {&mixed});
    wide.route({1, 2, 0.0, 0});
    EXPECT_EQ(planned(*mesh_5x5(), *wide).status, chm_unsupported);
}

} // namespace
