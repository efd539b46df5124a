// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "hw/golden/fusion/fusion.h"
#include "tests/support/table_builder.h"
#include "tests/support/value_line.h"

using chimera::test::mesh_spec;
using chimera::test::run_of;
using chimera::test::table_builder;
using chimera::test::value_line;

namespace {

const mesh_spec source{{4}, {0, 1, 4, 5}};
const mesh_spec target{{4}, {2, 3, 6, 7}};
const mesh_spec square{{2, 2}, {0, 1, 4, 5}};

class fusion : public ::testing::Test {
protected:
    void SetUp() override {
        chm_arena_init(&m_arena);
        chm_diagnostics_init(&m_diagnostics);
        tensor = build.tensor(64, 16);
        p = build.layout(source, "P");
        r = build.layout(source, "R");
        t = build.layout(source, "T");
        w = build.layout(source, "W");
        c = build.layout(source, "C");
        q = build.layout(source, "Q");
        target_r = build.layout(target, "R");
        target_t = build.layout(target, "T");
        target_c = build.layout(target, "C");
        routing = build.routing(2, 4);
        comm = build.communicator(r, 8);
    }
    void TearDown() override {
        chm_arena_free(&m_arena);
        chm_diagnostics_free(&m_diagnostics);
    }

    value_line line() { return value_line(build, tensor); }

    // Fuses as far as possible from `begin`, expects `count` members and the rule, and composes.
    chm_composition fuse(const std::vector<chm_descriptor>& members, uint32_t count, chm_join rule,
                         size_t begin = 0) {
        chm_join ended;
        chm_run run = run_of(build.tables(), members, &ended, begin);
        EXPECT_EQ(run.count, count) << chm_join_name(ended);
        EXPECT_STREQ(chm_join_name(ended), chm_join_name(rule));
        chm_composition composition;
        EXPECT_EQ(chm_compose(build.tables(), &run, &m_arena, &composition, &m_diagnostics),
                  chm_ok);
        return composition;
    }

    std::string text(const chm_layout* layout) {
        char buffer[256];
        return chm_layout_format(layout, buffer, sizeof buffer);
    }
    std::string text(uint32_t layout) { return text(&build.tables()->layouts[layout]); }

    void expect_request(const chm_composition& composition, uint32_t from,
                        const std::vector<uint32_t>& demands) {
        EXPECT_EQ(text(composition.request.from), text(from));
        ASSERT_EQ(composition.request.demand_count, demands.size());
        for (size_t i = 0; i < demands.size(); ++i) {
            EXPECT_EQ(text(composition.request.demands[i]), text(demands[i])) << i;
        }
    }

    table_builder build;
    uint32_t tensor, p, r, t, w, c, q, target_r, target_t, target_c, routing, comm;
    chm_arena m_arena;
    chm_diagnostics m_diagnostics;
};

TEST_F(fusion, an_all_reduce_delivers_what_its_near_reader_needs) {
    expect_request(fuse(line().collective(chm_all_reduce, p, r, comm).read(0, t, 7).finish(), 1,
                        chm_join_not_next),
                   p, {t});
}

TEST_F(fusion, a_reader_a_window_away_or_unknown_gets_the_layout_as_written) {
    expect_request(fuse(line().collective(chm_all_reduce, p, r, comm).read(0, t, 8).finish(), 1,
                        chm_join_not_next),
                   p, {r});
    expect_request(fuse(line().collective(chm_all_reduce, p, r, comm).read(0, CHM_NONE).finish(), 1,
                        chm_join_not_next),
                   p, {r});
    auto members = line().collective(chm_all_reduce, p, r, comm).finish();
    expect_request(fuse(members, 1, chm_join_not_next), p, {r}); // nobody reads
    members[0].facts.readers_unknown = true;
    expect_request(fuse(members, 1, chm_join_not_next), p, {r});
}

TEST_F(fusion, window_one_runs_every_collective_as_written) {
    uint32_t alone = build.communicator(r, 1);
    auto members = line()
                       .collective(chm_all_reduce, p, r, alone)
                       .collective(chm_all_to_all, t, w, alone)
                       .finish();
    expect_request(fuse(members, 1, chm_join_window), p, {r});
    // A compute reader right behind is queued no descriptor away.
    expect_request(fuse(line().collective(chm_all_reduce, p, r, alone).read(0, t, 0).finish(), 1,
                        chm_join_not_next),
                   p, {r});
}

TEST_F(fusion, near_readers_with_different_needs_are_all_served) {
    // t and w: neither slices from the other. A second reader of t adds nothing.
    auto composition = fuse(line()
                                .collective(chm_all_reduce, p, r, comm)
                                .read(0, t)
                                .read(0, w, 2, 1001)
                                .read(0, t, 3, 1002)
                                .finish(),
                            1, chm_join_not_next);
    expect_request(composition, p, {t, w});
    // One that needs everything covers them.
    expect_request(
        fuse(line().collective(chm_all_reduce, p, r, comm).read(0, t).read(0, r, 2, 1001).finish(),
             1, chm_join_not_next),
        p, {r});
}

TEST_F(fusion, tp_ep_gates_between_the_scatter_and_the_dispatch) {
    auto composition = fuse(line()
                                .routed(routing)
                                .collective(chm_all_reduce, p, r, comm)
                                .compute(chm_class_transparent, r, r, {r})
                                .collective(chm_all_to_all, t, c, comm)
                                .finish(),
                            3, chm_join_not_next);
    expect_request(composition, p, {c});
    ASSERT_EQ(composition.request.operation_count, 1u);
    EXPECT_TRUE(composition.request.operations[0].is_gating);
    EXPECT_EQ(composition.request.operations[0].seq, 11u);
    EXPECT_EQ(composition.request.operations[0].available_count, 1u);
    EXPECT_EQ(composition.eliminated, 2u); // the sum and the gated value, both replicated
    EXPECT_EQ(composition.moved, 1u);      // written at replicate, stands at shard(tokens)
    ASSERT_NE(composition.request.routing, nullptr);
    EXPECT_EQ(composition.request.routing->top_k, 2u);
}

TEST_F(fusion, gating_without_a_result_leaves_the_line_open) {
    auto members = line()
                       .routed(routing)
                       .collective(chm_all_reduce, p, r, comm)
                       .compute(chm_class_transparent, r)
                       .collective(chm_all_to_all, t, c, comm)
                       .read(0, t, 4)
                       .finish();
    auto composition = fuse(members, 3, chm_join_not_next);
    expect_request(composition, p, {t, c}); // the residual's shard beside the dispatch
    EXPECT_EQ(composition.demand_values[0], members[0].value_out);
    EXPECT_EQ(composition.demand_values[1], members[2].value_out);
    EXPECT_EQ(composition.eliminated, 1u);
}

TEST_F(fusion, pp_ep_gates_at_the_source_if_the_weights_are_there) {
    auto with_weights_on = [&](uint32_t layout) {
        return line()
            .routed(routing)
            .collective(chm_point_to_point, r, target_r, comm)
            .compute(chm_class_transparent, target_r, target_r, {layout})
            .collective(chm_all_to_all, target_r, target_c, comm)
            .finish();
    };
    auto composition = fuse(with_weights_on(r), 3, chm_join_not_next);
    expect_request(composition, r, {target_c});
    EXPECT_EQ(composition.moved, 1u);

    auto absent = with_weights_on(target_r);
    expect_request(fuse(absent, 1, chm_join_operand_unavailable), r, {target_r});
    composition = fuse(absent, 2, chm_join_not_next, 1); // gating starts the next run
    expect_request(composition, target_r, {target_c});
    EXPECT_EQ(composition.moved, 0u);
    EXPECT_EQ(composition.eliminated, 0u); // the gated value is what the run starts from
}

TEST_F(fusion, sp_pp_moves_shards_and_tp_pp_reduces_moves_gathers) {
    expect_request(fuse(line()
                            .collective(chm_all_gather, t, r, comm)
                            .collective(chm_point_to_point, r, target_r, comm)
                            .read(1, target_t)
                            .finish(),
                        2, chm_join_not_next),
                   t, {target_t});
    auto composition = fuse(line()
                                .collective(chm_all_reduce, p, r, comm)
                                .collective(chm_many_to_many, t, target_t, comm)
                                .collective(chm_all_gather, target_t, target_r, comm)
                                .finish(),
                            3, chm_join_not_next);
    expect_request(composition, p, {target_r});
    EXPECT_EQ(composition.eliminated, 2u);
}

TEST_F(fusion, gather_then_scatter_is_a_slice) {
    // As a reduction of zeros embedded around the owner's data, and back along the same axis.
    expect_request(fuse(line()
                            .collective(chm_all_gather, t, r, comm)
                            .collective(chm_reduce_scatter, p, t, comm)
                            .finish(),
                        2, chm_join_not_next),
                   t, {t});
    // At the front of a run, embedded zeros are not reduced either.
    auto members = line().collective(chm_reduce_scatter, p, t, comm).finish();
    members[0].value_in = build.value(tensor, r);
    expect_request(fuse(members, 1, chm_join_not_next), r, {t});
}

TEST_F(fusion, rows_must_be_complete_where_gating_could_stand) {
    auto between = [&](chm_operation_class op_class) {
        return line()
            .routed(routing)
            .collective(chm_all_gather, w, r, comm)
            .compute(op_class, r, r)
            .collective(chm_all_to_all, t, c, comm)
            .finish();
    };
    fuse(between(chm_class_transparent), 1, chm_join_rows_incomplete);
    fuse(between(chm_class_row_wise), 1, chm_join_rows_incomplete);
    fuse(between(chm_class_element_wise), 3, chm_join_not_next);
    // Behind a combine there are rows; copies that have been dispatched go nowhere else.
    fuse(line()
             .routed(routing)
             .collective(chm_all_to_all, q, t, comm)
             .compute(chm_class_row_wise, t, t)
             .collective(chm_all_gather, t, r, comm)
             .finish(),
         3, chm_join_not_next);
}

TEST_F(fusion, a_width_shard_beside_the_sum_keeps_rows_incomplete) {
    uint32_t pw = build.layout(square, "PW"), rw = build.layout(square, "RW");
    fuse(line()
             .collective(chm_all_reduce, pw, rw, comm)
             .compute(chm_class_row_wise, rw, rw)
             .finish(),
         1, chm_join_rows_incomplete);
    fuse(line()
             .collective(chm_all_reduce, pw, rw, comm)
             .compute(chm_class_element_wise, rw, rw)
             .finish(),
         2, chm_join_not_next);
}

TEST_F(fusion, the_residual_must_have_the_rows_worked_on) {
    auto with_residual = [&](uint32_t layout) {
        return line()
            .collective(chm_reduce_scatter, p, t, comm)
            .compute(chm_class_row_wise, t, t, {layout})
            .collective(chm_all_gather, t, r, comm)
            .finish();
    };
    auto composition = fuse(with_residual(t), 3, chm_join_not_next);
    EXPECT_EQ(composition.moved, 0u); // it stands where it was written
    expect_request(composition, p, {r});
    fuse(with_residual(r), 3, chm_join_not_next); // slicing is free
    fuse(with_residual(w), 1, chm_join_operand_unavailable);
    fuse(with_residual(target_r), 1, chm_join_operand_unavailable);
    // Columns held whole do not become rows for the sake of an operand.
    fuse(line()
             .collective(chm_all_gather, w, r, comm)
             .compute(chm_class_element_wise, r, r, {t})
             .finish(),
         1, chm_join_operand_unavailable);
}

TEST_F(fusion, opaque_operations_end_runs) {
    auto members = line()
                       .collective(chm_all_gather, t, r, comm)
                       .compute(chm_class_opaque, r, r)
                       .collective(chm_point_to_point, r, target_r, comm)
                       .finish();
    fuse(members, 1, chm_join_opaque);
    fuse(members, 1, chm_join_opaque, 1);
}

// Add(A-R(u), z) where z is a width shard: the sum is scattered along the width, z is added by its
// owners. An operation that needs rows cannot stand beside it, nor can the dispatch.
TEST_F(fusion, a_linear_join_stands_where_the_other_operand_is) {
    auto lora = [&](chm_operation_class behind) {
        return line()
            .routed(routing)
            .collective(chm_all_reduce, p, r, comm)
            .compute(chm_class_linear, r, r, {w})
            .compute(behind, r, r)
            .finish();
    };
    chm_composition both = fuse(lora(chm_class_element_wise), 3, chm_join_not_next);
    expect_request(both, p, {r});
    EXPECT_EQ(both.moved, 2u);
    EXPECT_TRUE(both.request.operations[0].element_wise);
    fuse(lora(chm_class_row_wise), 2, chm_join_operand_unavailable);
    fuse(line()
             .routed(routing)
             .collective(chm_all_reduce, p, r, comm)
             .compute(chm_class_linear, r, r, {w})
             .collective(chm_all_to_all, t, c, comm)
             .finish(),
         2, chm_join_operand_unavailable);
}

TEST_F(fusion, a_reader_of_the_intermediate_as_written_forbids) {
    auto with_reader = [&](uint32_t layout, uint32_t distance) {
        return line()
            .collective(chm_all_gather, t, r, comm)
            .collective(chm_point_to_point, r, target_r, comm)
            .read(0, layout, distance)
            .finish();
    };
    fuse(with_reader(r, 2), 1, chm_join_other_reader);
    fuse(with_reader(CHM_NONE, 2), 1, chm_join_reader_unknown);
    fuse(with_reader(t, 8), 1, chm_join_other_reader); // a window away: as written
    // The shard is what the run starts from: 0 bytes.
    expect_request(fuse(with_reader(t, 7), 2, chm_join_not_next), t, {t, target_r});
    // Another slice is one more demand.
    expect_request(fuse(with_reader(w, 2), 2, chm_join_not_next), t, {w, target_r});
    auto unknown = with_reader(r, 2);
    unknown[0].facts.readers_unknown = true;
    fuse(unknown, 1, chm_join_reader_unknown);
}

// The residual reads what the norm changes: kept on the dies where the norm runs.
TEST_F(fusion, a_side_reader_of_the_data_before_a_norm_has_it_kept) {
    auto normed = [&](uint32_t layout, uint32_t distance) {
        return line()
            .collective(chm_all_reduce, p, r, comm)
            .compute(chm_class_row_wise, r, r)
            .collective(chm_all_gather, t, r, comm)
            .read(0, layout, distance)
            .finish();
    };
    chm_composition kept = fuse(normed(t, 5), 3, chm_join_not_next);
    expect_request(kept, p, {t, r});
    EXPECT_EQ(kept.request.demand_operations[0], 0u);
    EXPECT_EQ(kept.request.demand_operations[1], 1u);
    fuse(normed(r, 5), 1, chm_join_other_reader); // more than the rows that a die works on
    fuse(normed(w, 5), 1, chm_join_other_reader); // other blocks
    fuse(normed(t, 8), 1, chm_join_other_reader); // a window away: as written
    // Two joins later as well, wherever the operation stood as written.
    auto members = line()
                       .collective(chm_all_reduce, p, r, comm)
                       .collective(chm_all_to_all, t, w, comm)
                       .compute(chm_class_element_wise, w, w)
                       .read(0, t)
                       .finish();
    expect_request(fuse(members, 3, chm_join_not_next), p, {t, w});
}

// What must be kept and where an operand is must be the same blocks.
TEST_F(fusion, kept_data_and_operands_choose_one_place) {
    auto members = [&](uint32_t reads) {
        return line()
            .collective(chm_all_reduce, p, r, comm)
            .compute(chm_class_linear, r, r, {w})
            .read(0, reads)
            .finish();
    };
    expect_request(fuse(members(w), 2, chm_join_not_next), p, {w, r});
    fuse(members(t), 1, chm_join_other_reader);
}

TEST_F(fusion, a_smaller_window_further_on_takes_a_side_reader_out_of_reach) {
    uint32_t narrow = build.communicator(target_r, 3);
    auto members = line()
                       .collective(chm_all_gather, t, r, comm)
                       .collective(chm_point_to_point, r, target_r, comm)
                       .collective(chm_all_to_all, target_t, target_r, narrow)
                       .read(0, w, 4)
                       .finish();
    fuse(members, 2, chm_join_other_reader);
}

TEST_F(fusion, distances_add_up_to_less_than_the_smallest_window) {
    uint32_t narrow = build.communicator(r, 3);
    auto chain = [&](uint32_t last) {
        return line()
            .collective(chm_all_to_all, t, w, comm)
            .collective(chm_all_to_all, w, t, comm)
            .collective(chm_all_to_all, t, w, comm)
            .collective(chm_all_to_all, w, t, last)
            .finish();
    };
    fuse(chain(comm), 4, chm_join_not_next);
    fuse(chain(narrow), 3, chm_join_window); // 1 + 1 + 1 = 3 is not less than 3
    auto far = chain(comm);
    far[1].facts.next_distance = 7; // 1 + 7
    fuse(far, 2, chm_join_window);
}

TEST_F(fusion, needed_by_of_every_member_counts) {
    auto members = line()
                       .collective(chm_all_to_all, t, w, comm)
                       .collective(chm_all_to_all, w, t, comm)
                       .collective(chm_all_to_all, t, w, comm)
                       .finish();
    members[0].facts.needed_by = members[2].seq;
    fuse(members, 2, chm_join_needed_by);
    members[0].facts.needed_by = members[2].seq + 1;
    fuse(members, 3, chm_join_not_next);
    members[1].facts.needed_by = members[2].seq - 1;
    fuse(members, 2, chm_join_needed_by);
}

TEST_F(fusion, a_consumer_takes_what_was_produced_or_a_slice_of_it) {
    fuse(line()
             .collective(chm_all_to_all, w, t, comm)
             .collective(chm_all_gather, w, r, comm)
             .finish(),
         1, chm_join_layout);
    auto members = line()
                       .collective(chm_all_gather, t, r, comm)
                       .collective(chm_all_to_all, w, t, comm)
                       .finish();
    fuse(members, 2, chm_join_not_next);
    uint32_t halves = build.tensor(64, 16, 2); // a cast changes the elements
    members[1].value_out = build.value(halves, t);
    fuse(members, 1, chm_join_layout);
}

TEST_F(fusion, two_ordered_reductions_do_not_become_one) {
    uint32_t pp = build.layout(square, "PP"), tp = build.layout(square, "TP"),
             tt = build.layout(square, "TT");
    auto members = line()
                       .collective(chm_reduce_scatter, pp, tp, comm)
                       .collective(chm_reduce_scatter, tp, tt, comm)
                       .finish();
    fuse(members, 2, chm_join_not_next);
    members[0].ordered_sum = true;
    EXPECT_TRUE(fuse(members, 1, chm_join_ordered_sum).request.ordered_sum);
    members = line()
                  .collective(chm_reduce_scatter, p, t, comm)
                  .collective(chm_all_gather, t, r, comm)
                  .finish();
    members[0].ordered_sum = true;
    EXPECT_TRUE(fuse(members, 2, chm_join_not_next).request.ordered_sum);
}

TEST_F(fusion, rows_are_routed_once_in_a_run) {
    fuse(line()
             .routed(routing)
             .collective(chm_all_to_all, q, t, comm)
             .collective(chm_all_to_all, t, c, comm)
             .finish(),
         1, chm_join_routing);
}

TEST_F(fusion, markers_alone_never_fuse_and_one_is_a_run_in_place) {
    auto members =
        line().compute(chm_class_row_wise, t, t).compute(chm_class_transparent, t, t).finish();
    auto composition = fuse(members, 1, chm_join_window);
    expect_request(composition, t, {t});
    EXPECT_EQ(composition.request.operation_count, 1u);
    EXPECT_EQ(composition.moved, 0u);
}

TEST_F(fusion, without_lookahead_known_readers_stand_in_and_unknown_ones_forbid) {
    auto members = line()
                       .collective(chm_all_gather, t, r, comm)
                       .collective(chm_point_to_point, r, target_r, comm)
                       .finish();
    members[0].facts.next_seq = CHM_NONE;
    members[0].facts.next_unknown = true;
    fuse(members, 2, chm_join_not_next);
    members[0].facts.readers_unknown = true;
    fuse(members, 1, chm_join_next_unknown);
}

TEST_F(fusion, every_rule_has_a_name_and_a_sentence) {
    for (int rule = chm_join_yes; rule <= chm_join_routing; ++rule) {
        EXPECT_STRNE(chm_join_name(static_cast<chm_join>(rule)), "?");
        EXPECT_GT(std::string(chm_join_text(static_cast<chm_join>(rule))).size(), 5u);
    }
    EXPECT_STREQ(chm_join_name(static_cast<chm_join>(chm_join_routing + 1)), "?");
}

} // namespace
