// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/driven_program.h"

// The facts of the shipped programs, worked out by hand. Window 8, 1 MiB unless said.

using chimera::test::driven_program;
using dies = std::vector<uint32_t>;

namespace {

const char* const small_platforms[] = {"mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"};

// S and T in ascending ids on each small platform: x, y in {0,1} and {2,3} x {0,1}; planes z = 0
// and 1; dies 0-3 and 4-7.
const dies source_of[] = {{0, 1, 5, 6}, {0, 1, 4, 5}, {0, 1, 2, 3}, {0, 1, 2, 3}};
const dies target_of[] = {{2, 3, 7, 8}, {2, 3, 6, 7}, {4, 5, 6, 7}, {4, 5, 6, 7}};
// [dp][tp]: columns of the mesh, neighbours on the tree.
const dies pairs_of[] = {{0, 5, 1, 6}, {0, 4, 1, 5}, {0, 2, 1, 3}, {0, 1, 2, 3}};
const dies target_pairs_of[] = {{2, 7, 3, 8}, {2, 6, 3, 7}, {4, 6, 5, 7}, {4, 5, 6, 7}};

void expect_facts(const driven_program& p, uint32_t seq, uint32_t next, uint32_t distance,
                  uint32_t readers) {
    EXPECT_EQ(p.facts(seq).next_seq, next) << seq;
    EXPECT_EQ(p.facts(seq).next_distance, distance) << seq;
    EXPECT_EQ(p.facts(seq).reader_count, readers) << seq;
    EXPECT_EQ(p.facts(seq).needed_by, CHM_NONE) << seq;
    EXPECT_FALSE(p.facts(seq).next_unknown);
    EXPECT_FALSE(p.facts(seq).readers_unknown);
}

} // namespace

// M = 1 MiB: 262,144 elements, width 1024, 256 tokens. M = 1 KiB: 256 elements, 16 tokens of 16.
TEST(shipped_programs, message_becomes_tokens_and_width) {
    driven_program large("mesh_5x5", "tp_sp");
    ASSERT_EQ(large.faults, "");
    EXPECT_EQ(large.program->message_bytes, 1u << 20);
    EXPECT_EQ(large.workload.tables.tensors[0].tokens, 256u);
    EXPECT_EQ(large.workload.tables.tensors[0].width, 1024u);
    driven_program small("mesh_5x5", "tp_sp", {.message_bytes = 1024});
    ASSERT_EQ(small.faults, "");
    EXPECT_EQ(small.workload.tables.tensors[0].tokens, 16u);
    EXPECT_EQ(small.workload.tables.tensors[0].width, 16u);
    // 68 bytes: 17 elements, prime: rows of one element.
    driven_program odd("mesh_5x5", "tp_sp", {.message_bytes = 68});
    ASSERT_EQ(odd.faults, "");
    EXPECT_EQ(odd.workload.tables.tensors[0].tokens, 17u);
    EXPECT_EQ(odd.workload.tables.tensors[0].width, 1u);
}

// Two DP groups of M each: the global tensor has twice the tokens, and k = 2 copies of 2 M are 4 M.
TEST(shipped_programs, expert_programs_route_four_times_m) {
    for (const char* name : {"tp_ep", "pp_ep", "sp_ep"}) {
        driven_program p("mesh_5x5", name);
        ASSERT_EQ(p.faults, "") << name;
        const chm_tables& tables = p.workload.tables;
        EXPECT_EQ(tables.tensors[0].tokens, 512u);
        ASSERT_EQ(tables.routing_count, 1u);
        EXPECT_EQ(tables.routings[0].dies, 4u);
        EXPECT_EQ(tables.routings[0].top_k, 2u);
        const chm_value& routed = tables.values[p.operation(2).result];
        uint64_t bytes = 0;
        for (uint32_t rank = 0; rank < 4; ++rank) {
            bytes += chm_layout_bytes(&tables.layouts[routed.layout], &tables.tensors[0],
                                      &tables.routings[0], rank);
        }
        EXPECT_EQ(bytes, 4u << 20) << name;
    }
}

TEST(shipped_programs, tp_sp) {
    for (size_t i = 0; i < 4; ++i) {
        driven_program p(small_platforms[i], "tp_sp");
        ASSERT_EQ(p.faults, "");
        ASSERT_EQ(p.workload.operation_count, 2u);
        EXPECT_EQ(p.dies_in(0), source_of[i]);
        expect_facts(p, 0, CHM_NONE, 0, 1);
        EXPECT_TRUE(p.facts(0).ready_at_start);
        const chm_reader& reader = p.workload.tables.readers[p.facts(0).first_reader];
        EXPECT_EQ(reader.seq, 1u);
        EXPECT_EQ(reader.distance, 0u); // nothing is queued between, and the reader is no marker
        EXPECT_EQ(p.queued_on(0), source_of[i]);
        EXPECT_EQ(p.queued_on(1), dies{});
        EXPECT_EQ(p.stream(0), "0D 1C");
        EXPECT_EQ(p.stream(p.workload.dies - 1), "");
        EXPECT_EQ(p.workload.observers, 0u);
    }
}

// A-R and A-G are queued by the other stage as observers: 2 x 4.
TEST(shipped_programs, tp_pp) {
    for (size_t i = 0; i < 4; ++i) {
        driven_program p(small_platforms[i], "tp_pp");
        ASSERT_EQ(p.faults, "");
        ASSERT_EQ(p.workload.operation_count, 4u);
        EXPECT_EQ(p.dies_in(0), source_of[i]);
        EXPECT_EQ(p.dies_out(1), target_of[i]);
        expect_facts(p, 0, 1, 1, 1);
        expect_facts(p, 1, 2, 1, 1);
        expect_facts(p, 2, CHM_NONE, 0, 1);
        for (uint32_t seq = 0; seq < 3; ++seq) {
            EXPECT_EQ(p.queued_on(seq).size(), 8u);
            EXPECT_TRUE(p.facts(seq).ready_at_start); // all of one line
        }
        EXPECT_EQ(p.stream(source_of[i][0]), "0D 1D 2D");
        EXPECT_EQ(p.stream(target_of[i][0]), "0D 1D 2D 3C");
        EXPECT_EQ(p.workload.observers, 8u);
    }
}

// Gating is a marker on the line; all of it happens on S.
TEST(shipped_programs, tp_ep_and_sp_ep) {
    for (const char* name : {"tp_ep", "sp_ep"}) {
        for (size_t i = 0; i < 4; ++i) {
            driven_program p(small_platforms[i], name);
            ASSERT_EQ(p.faults, "");
            ASSERT_EQ(p.workload.operation_count, 4u);
            EXPECT_EQ(p.dies_in(0), pairs_of[i]);
            expect_facts(p, 0, 1, 1, 1);
            expect_facts(p, 1, 2, 1, 1);
            expect_facts(p, 2, CHM_NONE, 0, 1);
            EXPECT_EQ(p.queued_on(1), source_of[i]);
            EXPECT_EQ(p.workload.descriptors[1].kind, chm_descriptor_marker);
            EXPECT_EQ(p.workload.descriptors[1].available_count, 1u);
            EXPECT_EQ(p.stream(0), "0D 1D 2D 3C");
            EXPECT_EQ(p.workload.observers, 0u);
        }
    }
}

// The source observes gating and dispatch of the next stage: 2 x 4.
TEST(shipped_programs, pp_ep) {
    for (size_t i = 0; i < 4; ++i) {
        driven_program p(small_platforms[i], "pp_ep");
        ASSERT_EQ(p.faults, "");
        ASSERT_EQ(p.workload.operation_count, 4u);
        EXPECT_EQ(p.dies_in(0), pairs_of[i]);
        EXPECT_EQ(p.dies_out(0), target_pairs_of[i]);
        expect_facts(p, 0, 1, 1, 1);
        expect_facts(p, 1, 2, 1, 1);
        expect_facts(p, 2, CHM_NONE, 0, 1);
        EXPECT_EQ(p.stream(source_of[i][0]), "0D 1D 2D");
        EXPECT_EQ(p.stream(target_of[i][0]), "0D 1D 2D 3C");
        EXPECT_EQ(p.workload.observers, 8u);
    }
}

// The target observes the gathering at the source: 1 x 4.
TEST(shipped_programs, sp_pp_and_sp_pp_full) {
    for (const char* name : {"sp_pp", "sp_pp_full"}) {
        for (size_t i = 0; i < 4; ++i) {
            driven_program p(small_platforms[i], name);
            ASSERT_EQ(p.faults, "");
            ASSERT_EQ(p.workload.operation_count, 3u);
            expect_facts(p, 0, 1, 1, 1);
            expect_facts(p, 1, CHM_NONE, 0, 1);
            EXPECT_EQ(p.dies_in(1), source_of[i]);
            EXPECT_EQ(p.dies_out(1), target_of[i]);
            EXPECT_EQ(p.stream(target_of[i][3]), "0D 1D 2C");
            EXPECT_EQ(p.workload.observers, 4u);
        }
    }
}

// Two lines: A-G 0, gating 1, dispatch 2; and behind the experts (3) combine 4, local A2A 5, A-G 6.
// The dispatch is needed by the combine, through the experts.
TEST(shipped_programs, sp_ep_sp) {
    for (size_t i = 0; i < 4; ++i) {
        driven_program p(small_platforms[i], "sp_ep_sp");
        ASSERT_EQ(p.faults, "");
        ASSERT_EQ(p.workload.operation_count, 8u);
        EXPECT_EQ(p.dies_in(4), pairs_of[i]);
        expect_facts(p, 0, 1, 1, 1);
        expect_facts(p, 1, 2, 1, 1);
        EXPECT_EQ(p.facts(2).next_seq, CHM_NONE);
        EXPECT_EQ(p.facts(2).needed_by, 4u);
        expect_facts(p, 4, 5, 1, 1);
        expect_facts(p, 5, 6, 1, 1);
        expect_facts(p, 6, CHM_NONE, 0, 1);
        EXPECT_EQ(p.stream(0), "0D 1D 2D 3C 4D 5D 6D 7C");
        EXPECT_EQ(p.workload.observers, 0u);
    }
}

// With window 1 nothing is linked: every die queues its own descriptors alone.
TEST(shipped_programs, window_1_has_no_observers) {
    for (const char* name : {"tp_pp", "pp_ep", "sp_pp"}) {
        driven_program p("mesh_5x5", name, {.window_depth = 1});
        ASSERT_EQ(p.faults, "");
        EXPECT_EQ(p.workload.observers, 0u) << name;
    }
}

// The large platforms hold the same groups: block 1 begins at column 2, in plane 1, at die 4.
TEST(shipped_programs, fit_the_large_platforms) {
    for (const char* platform :
         {"mesh_8x8", "torus_8x8", "torus_4x4x4", "fat_tree_2x32", "mesh_5x5"}) {
        for (const char* name : {"tp_sp", "tp_pp", "tp_ep", "pp_ep", "sp_pp", "sp_pp_full", "sp_ep",
                                 "sp_ep_sp", "lora", "block_tp_sp", "block_tp_sp_backward",
                                 "block_tp_ep", "block_tp_ep_backward"}) {
            driven_program p(platform, name);
            EXPECT_EQ(p.faults, "") << platform << " " << name;
        }
    }
    EXPECT_EQ(driven_program("torus_4x4x4", "sp_pp").dies_out(1), (dies{16, 17, 20, 21}));
    EXPECT_EQ(driven_program("mesh_8x8", "sp_pp").dies_out(1), (dies{2, 3, 10, 11}));
}
