// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/driven_program.h"

// Facts of the programs in traces/variants, worked out by hand: intermediates with other readers,
// and the counter-examples of the decision rule.

using chimera::test::driven_program;
using dies = std::vector<uint32_t>;

namespace {

driven_program load(const char* name, const char* platform = "mesh_5x5") {
    return driven_program(platform, std::string("variants/") + name);
}

const chm_reader& reader_of(const driven_program& p, uint32_t seq, uint32_t index) {
    return p.workload.tables.readers[p.facts(seq).first_reader + index];
}

} // namespace

// 0 A-R, 1 gating, 2 keeps_residual, 3 A2A, 4 experts. x is read by gating and by the residual;
// keeps_residual writes nothing, so that no collective depends on it.
TEST(variant_programs, other_reader) {
    driven_program p = load("other_reader");
    ASSERT_EQ(p.faults, "");
    EXPECT_EQ(p.facts(0).next_seq, 1u);
    ASSERT_EQ(p.facts(0).reader_count, 2u);
    EXPECT_EQ(reader_of(p, 0, 0).seq, 1u);
    EXPECT_EQ(reader_of(p, 0, 1).seq, 2u);
    EXPECT_EQ(reader_of(p, 0, 1).distance, 1u); // the gating's marker
    EXPECT_EQ(p.facts(0).needed_by, CHM_NONE);
    EXPECT_EQ(p.stream(0), "0D 1D 2C 3D 4C");
}

// 0 A-R, 1 unknown_kernel, 2 gating, 3 A2A, 4 experts. The line ends at the kernel; what it writes
// is no collective's result, so that gating is an ordinary compute; A2A is a line of its own.
TEST(variant_programs, opaque_between) {
    driven_program p = load("opaque_between");
    ASSERT_EQ(p.faults, "");
    EXPECT_EQ(p.facts(0).next_seq, CHM_NONE);
    EXPECT_EQ(p.facts(0).needed_by, 3u); // through kernel and gating
    EXPECT_FALSE(p.workload.has_descriptor[2]);
    EXPECT_EQ(p.stream(0), "0D 1C 2C 3D 4C");
    EXPECT_TRUE(p.facts(0).ready_at_start);
    EXPECT_FALSE(p.facts(3).ready_at_start); // an earlier collective of another line on its dies
}

TEST(variant_programs, gate_weights_absent) {
    driven_program p = load("gate_weights_absent");
    ASSERT_EQ(p.faults, "");
    const chm_descriptor& gating = p.workload.descriptors[1];
    ASSERT_EQ(gating.available_count, 1u);
    const chm_tables& tables = p.workload.tables;
    const chm_layout& weights = tables.layouts[tables.available[gating.first_available]];
    EXPECT_EQ(weights.mesh.dies[0], 2u); // the next stage
}

TEST(variant_programs, window_1) {
    driven_program p = load("window_1");
    ASSERT_EQ(p.faults, "");
    EXPECT_EQ(p.workload.tables.communicators[p.operation(0).communicator].window_depth, 1u);
    EXPECT_EQ(p.facts(0).next_seq, 1u); // the facts stay; the window forbids
    EXPECT_EQ(p.workload.observers, 0u);
}

// 0 A-R on S, 1 wait of rank 2 (die 5), 2 M2MS, 3 A-G, 4 next_layer. The wait finds the run open
// between 0 and 2, which die 5 is a member of: a fence on all 8 dies, which adds one to the
// distance. Observers: 4 of A-R, 4 of A-G, and the fence on the 7 dies that do not wait.
TEST(variant_programs, blocks_alone) {
    driven_program p = load("blocks_alone");
    ASSERT_EQ(p.faults, "");
    EXPECT_EQ(p.queued_on(1), (dies{0, 1, 2, 3, 5, 6, 7, 8}));
    EXPECT_EQ(p.stream(0), "0D 1D 2D 3D");
    EXPECT_EQ(p.stream(5), "0D 1D 1W 2D 3D");
    EXPECT_EQ(p.stream(2), "0D 1D 2D 3D 4C");
    EXPECT_EQ(p.facts(0).next_seq, 2u);
    EXPECT_EQ(p.facts(0).next_distance, 2u);
    EXPECT_EQ(p.workload.descriptors[1].waiting_die, 5u);
    EXPECT_EQ(p.workload.observers, 15u);
}

TEST(variant_programs, next_unknown) {
    driven_program p = load("next_unknown");
    ASSERT_EQ(p.faults, "");
    for (uint32_t seq = 0; seq < 3; ++seq) {
        EXPECT_TRUE(p.facts(seq).next_unknown);
        EXPECT_EQ(p.facts(seq).next_seq, CHM_NONE);
        EXPECT_EQ(p.facts(seq).reader_count, 1u);
        EXPECT_EQ(p.queued_on(seq).size(), 8u);
    }
}

// Windows 2, 3 and 8; every distance is 1, below all of them: all three are linked.
TEST(variant_programs, different_windows) {
    driven_program p = load("different_windows");
    ASSERT_EQ(p.faults, "");
    EXPECT_EQ(p.workload.tables.communicators[p.operation(0).communicator].window_depth, 2u);
    EXPECT_EQ(p.workload.tables.communicators[p.operation(1).communicator].window_depth, 3u);
    EXPECT_EQ(p.workload.tables.communicators[p.operation(2).communicator].window_depth, 8u);
    EXPECT_EQ(p.workload.observers, 8u);
}

// Counter-example 1. The line's groups are {0,2}, {1,2,3}, {0,1,6}: all see everything.
TEST(variant_programs, last_group_sees_first) {
    driven_program p = load("last_group_sees_first");
    ASSERT_EQ(p.faults, "");
    for (uint32_t seq = 0; seq < 3; ++seq) {
        EXPECT_EQ(p.queued_on(seq), (dies{0, 1, 2, 3, 6}));
        EXPECT_EQ(p.facts(seq).next_seq, seq == 2 ? CHM_NONE : seq + 1);
    }
    // A-R: 5 - 2; {0,2}->{1,2,3}: 5 - 4; {1,2,3}->{0,1,6}: 5 - 5.
    EXPECT_EQ(p.workload.observers, 4u);
}

// Counter-example 2. Through `local` on die 0 the hand-over 2 needs x1 before the dispatch 3.
TEST(variant_programs, needed_on_one_die) {
    driven_program p = load("needed_on_one_die");
    ASSERT_EQ(p.faults, "");
    EXPECT_EQ(p.facts(0).next_seq, 3u);
    EXPECT_EQ(p.facts(0).needed_by, 2u);
    EXPECT_EQ(p.facts(0).next_distance, 2u); // die 0 queues the hand-over, die 1 does not
    EXPECT_EQ(p.stream(1), "0D 3D 4C");
    EXPECT_EQ(p.stream(0), "0D 1C 2D 3D 4C");
}

// Counter-example 3. x1 (2) is read by r (3); y2 (4) takes the buffer of y0, which r reads.
TEST(variant_programs, buffer_depends) {
    driven_program p = load("buffer_depends");
    ASSERT_EQ(p.faults, "");
    EXPECT_EQ(p.facts(2).next_seq, 5u);
    EXPECT_EQ(p.facts(2).needed_by, 4u);
    EXPECT_EQ(p.facts(0).needed_by, 4u); // y0 is read by r, which 4 waits for
    EXPECT_EQ(p.facts(1).needed_by, CHM_NONE);
    EXPECT_TRUE(p.facts(0).ready_at_start);
    EXPECT_FALSE(p.facts(4).ready_at_start); // the second use of the buffer
}

// Counter-example 4. Norm is a marker; one operation stands for all 32 pairs.
TEST(variant_programs, parallel_pairs) {
    driven_program p = load("parallel_pairs", "mesh_8x8");
    ASSERT_EQ(p.faults, "");
    EXPECT_EQ(p.queued_on(0).size(), 64u);
    EXPECT_EQ(p.facts(0).next_seq, 1u);
    EXPECT_EQ(p.facts(0).next_distance, 1u);
    EXPECT_EQ(p.workload.observers, 0u);
    driven_program small = load("parallel_pairs", "mesh_5x5");
    EXPECT_EQ(small.status, chm_bad_input);
    EXPECT_NE(small.faults.find("the dimensions make 64 dies, the group has 25"), std::string::npos)
        << small.faults;
}

// Counter-example 5. Die 1 queues 9 descriptors from 0 to 9, die 0 one: the fact is 9, not linked.
TEST(variant_programs, shared_die) {
    driven_program p = load("shared_die");
    ASSERT_EQ(p.faults, "");
    EXPECT_EQ(p.facts(0).next_seq, 9u);
    EXPECT_EQ(p.facts(0).next_distance, 9u);
    EXPECT_EQ(p.stream(0), "0D 9D 10C");
    EXPECT_EQ(p.stream(3), "");
}

// Four iterations of sp_ep (4 operations each); every value has two buffers in turn. Those of the
// second iteration are fresh, but another line has been on the dies.
TEST(variant_programs, repeated_iterations_use_two_buffers) {
    driven_program p = load("repeated");
    ASSERT_EQ(p.faults, "");
    ASSERT_EQ(p.workload.operation_count, 16u);
    const chm_value* values = p.workload.tables.values;
    for (uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(p.facts(4 * i).next_seq, 4 * i + 1);
        EXPECT_EQ(p.facts(4 * i).ready_at_start, i == 0);
        uint32_t buffer = values[p.operation(4 * i).result].buffer;
        EXPECT_EQ(buffer == values[p.operation(0).result].buffer, i % 2 == 0);
    }
    EXPECT_STREQ(values[p.operation(4).result].name, "x@2");
    // Iteration 3 writes x where gating 1 read it: A-G 0 is needed by nothing (gating is its next),
    // gating 1 by A-G 8, which overwrites what it reads.
    EXPECT_EQ(p.facts(0).needed_by, CHM_NONE);
    EXPECT_EQ(p.facts(1).needed_by, 8u);
    EXPECT_EQ(p.facts(9).needed_by, CHM_NONE);
}
