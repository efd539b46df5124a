// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/driven_program.h"

// Where movable operations may stand, by their other operands; worked out by hand.

using chimera::test::driven_program;

namespace {

// u summed to x, z gathered to w, both added; `keys` go on top of the file, `more` at its end.
std::string lora(const std::string& keys = "", const std::string& more = "",
                 const std::string& op_class = "linear") {
    return "name: text\n" + keys + R"(
tensors:
  activation: {}
meshes:
  stage: {place: block of 2x2, dims: {tp: all}}
layouts:
  addends: {mesh: stage, tp: partial}
  rows: {mesh: stage, tp: shard(tokens)}
  columns: {mesh: stage, tp: shard(width)}
  complete: {mesh: stage, tp: replicate}
inputs:
  u: {tensor: activation, layout: addends}
  z: {tensor: activation, layout: columns}
  r: {tensor: activation, layout: rows}
  a: {tensor: activation, layout: complete}
operations:
  - all_reduce: {reads: {u: addends}, writes: {x: complete}}
  - all_gather: {reads: {z: columns}, writes: {w: complete}}
  - compute: {name: add, class: )" +
           op_class + R"(, reads: {x: complete, w: complete}, writes: {y: complete}}
)" + more;
}

// The placements at which the operation's other operands are said to be.
std::string places(const driven_program& p, uint32_t seq) {
    const chm_tables& tables = p.workload.tables;
    const chm_descriptor& d = p.workload.descriptors[seq];
    std::string all;
    for (uint32_t i = 0; i < d.available_count; ++i) {
        const chm_layout& layout = tables.layouts[tables.available[d.first_available + i]];
        static const char* const kinds[] = {"R", "T", "P"};
        bool width = layout.placement[0].kind == chm_place_shard &&
                     layout.placement[0].axis == chm_axis_width;
        all += width ? "W" : kinds[layout.placement[0].kind];
    }
    return all;
}

std::string read_of_gathered(const driven_program& p) {
    const chm_tables& tables = p.workload.tables;
    uint32_t layout = p.operation(2).operands[1].layout;
    if (!p.facts(1).readers_unknown) {
        EXPECT_EQ(tables.readers[p.facts(1).first_reader].layout, layout);
    }
    const chm_placement& placement = tables.layouts[layout].placement[0];
    return placement.kind == chm_place_replicate ? "complete" : "columns";
}

} // namespace

TEST(driver_operands, a_linear_join_reads_what_was_gathered_from) {
    driven_program p("mesh_5x5", lora());
    ASSERT_EQ(p.faults, "");
    EXPECT_EQ(read_of_gathered(p), "columns");
    EXPECT_EQ(places(p, 2), "W");
    // The gathering moves nothing and holds no staging: the join needs no ready credits.
    EXPECT_TRUE(p.facts(2).ready_at_start);
}

// As written the other way round: the line goes through the sum all the same.
TEST(driver_operands, an_addition_continues_the_sum_whatever_the_order) {
    std::string text = lora();
    text.replace(text.find("x: complete, w: complete"), 24, "w: complete, x: complete");
    driven_program p("mesh_5x5", text);
    ASSERT_EQ(p.faults, "");
    EXPECT_EQ(p.facts(0).next_seq, 2u);
    EXPECT_EQ(p.facts(1).next_seq, CHM_NONE);
    EXPECT_EQ(read_of_gathered(p), "columns");
    // Other operations keep their first operand.
    text.replace(text.find("linear"), 6, "element_wise");
    driven_program other("mesh_5x5", text);
    ASSERT_EQ(other.faults, "");
    EXPECT_EQ(other.facts(0).next_seq, CHM_NONE);
    EXPECT_EQ(other.facts(1).next_seq, 2u);
}

// Only addition distributes over the gathering: another operation reads what the program says.
TEST(driver_operands, other_classes_read_what_they_name) {
    driven_program p("mesh_5x5", lora("", "", "element_wise"));
    ASSERT_EQ(p.faults, "");
    EXPECT_EQ(read_of_gathered(p), "complete");
    EXPECT_EQ(places(p, 2), "R");
    EXPECT_FALSE(p.facts(2).ready_at_start);
}

TEST(driver_operands, a_gathering_as_written_is_not_looked_through) {
    // Engine off: window 1.
    driven_program off("mesh_5x5", lora(), {.window_depth = 1});
    ASSERT_EQ(off.faults, "");
    EXPECT_EQ(read_of_gathered(off), "complete");
    // Another reader wants all of it.
    driven_program shared("mesh_5x5", lora("", R"(  - compute: {name: other, reads: {w: complete}}
)"));
    ASSERT_EQ(shared.faults, "");
    EXPECT_EQ(read_of_gathered(shared), "complete");
    // A driver that does not know who reads.
    driven_program blind("mesh_5x5", lora("lookahead: none"));
    ASSERT_EQ(blind.faults, "");
    EXPECT_EQ(read_of_gathered(blind), "complete");
    // A window away: the addition is queued one descriptor behind the gathering.
    const std::string own = "communicators: {narrow: {window_depth: 1}}";
    std::string text = lora(own);
    text.replace(text.find("writes: {w: complete}"), 21,
                 "writes: {w: complete}, communicator: narrow");
    driven_program narrow("mesh_5x5", text);
    ASSERT_EQ(narrow.faults, "");
    EXPECT_EQ(read_of_gathered(narrow), "complete");
}

// Every operand must give the rows worked on: r those of a token shard, a any; weights are matrices
// of another shape and stand where the program says.
TEST(driver_operands, a_row_wise_operation_stands_where_all_operands_are) {
    const std::string more =
        R"(  - compute: {name: both, class: row_wise, reads: {x: rows, r: rows, a: complete}, writes: {b: rows}}
  - compute: {name: whole, class: row_wise, reads: {x: rows, a: complete}, writes: {c: rows}}
)";
    std::string text = lora("", more, "element_wise");
    // x continues through the first of them only: `both` takes the place of `add`.
    text.replace(text.find("x: complete, w: complete"), 24, "w: complete, x: complete");
    driven_program p("mesh_5x5", text);
    ASSERT_EQ(p.faults, "");
    EXPECT_EQ(p.facts(0).next_seq, 3u);
    EXPECT_EQ(places(p, 3), "T"); // r's rows; a gives them too
    EXPECT_FALSE(p.workload.has_descriptor[4]);
}

// Rows of p: those that the routing put on a die are not those that it works on.
TEST(driver_operands, copies_go_with_copies_only) {
    const auto text = [](const char* op_class, const char* reads, const char* writes) {
        return std::string(R"(name: text
routing: {top_k: 2}
tensors:
  activation: {}
meshes:
  stage: {place: block of 2x2, dims: {tp: all}}
layouts:
  addends: {mesh: stage, tp: partial}
  complete: {mesh: stage, tp: replicate}
  copies: {mesh: stage, tp: routed_copy}
inputs:
  u: {tensor: activation, layout: addends}
  p: {tensor: activation, layout: copies}
  q: {tensor: activation, layout: copies}
operations:
  - all_reduce: {reads: {u: addends}, writes: {x: complete}}
  - compute: {class: )") +
               op_class + ", reads: {" + reads + "}, writes: {y: " + writes + "}}\n";
    };
    const std::string some = "x: complete, p: copies";
    const driven_program mixed("mesh_5x5", text("row_wise", some.c_str(), "complete"));
    EXPECT_NE(mixed.faults.find("some are routed copies"), std::string::npos) << mixed.faults;
    const driven_program turned("mesh_5x5", text("linear", "p: copies, x: complete", "copies"));
    EXPECT_NE(turned.faults.find("some are routed copies"), std::string::npos) << turned.faults;
    // What an opaque operation reads of them is its own affair; copies are added where they are.
    const driven_program opaque("mesh_5x5", text("opaque", some.c_str(), "complete"));
    EXPECT_EQ(opaque.faults, "");
    const driven_program all("mesh_5x5", text("row_wise", "p: copies, q: copies", "copies"));
    EXPECT_EQ(all.faults, "");
    EXPECT_FALSE(all.workload.has_descriptor[1]);
}
