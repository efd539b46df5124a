// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/driven_program.h"

// Faults of program files: origin, key, value and what is allowed; all of a file at once.

using chimera::test::driven_program;

namespace {

// tp_ep with one text replaced by another.
std::string changed(const std::string& from, const std::string& to) {
    std::string text = R"(name: changed
routing: {top_k: 2}
tensors:
  activation: {groups: 2}
meshes:
  stage: {place: block of 2x2, dims: {dp: x, tp: y}}
  next_stage: {place: next block, dims: {dp: x, tp: y}}
layouts:
  addends: {mesh: stage, dp: shard(tokens), tp: partial}
  complete: {mesh: stage, dp: shard(tokens), tp: replicate}
  rows: {mesh: stage, dp: shard(tokens), tp: shard(tokens)}
  next_complete: {mesh: next_stage, dp: shard(tokens), tp: replicate}
  experts: {mesh: stage, dp: routed_copy, tp: routed_copy}
inputs:
  u: {tensor: activation, layout: addends}
operations:
  - all_reduce: {reads: {u: addends}, writes: {x: complete}, along: tp}
  - compute: {name: gating, class: transparent, reads: {x: complete}, writes: {g: complete}}
  - all_to_all: {reads: {g: complete}, writes: {d: experts}}
  - compute: {name: experts, class: opaque, reads: {d: experts}}
)";
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

struct fault_case {
    const char* from;
    const char* to;
    const char* message;
};

void expect_fault(const fault_case& c, const char* platform = "mesh_5x5") {
    driven_program p(platform, changed(c.from, c.to));
    EXPECT_EQ(p.status, chm_bad_input) << c.to;
    EXPECT_NE(p.faults.find(c.message), std::string::npos) << c.to << "\n" << p.faults;
}

} // namespace

TEST(program_faults, the_unchanged_program_is_sound) {
    driven_program p("mesh_5x5", changed("changed", "sound"));
    EXPECT_EQ(p.faults, "");
    EXPECT_STREQ(p.program->name, "sound");
}

TEST(program_faults, name_the_key_the_value_and_what_is_allowed) {
    const fault_case cases[] = {
        {"name: changed\n", "name: changed\nmessage_bytes: -1\n", "text:2:16: key 'message_bytes'"},
        {"name: changed\n", "name: changed\nmessage_bytes: 9223372036854775808\n", "text:2:16:"},
        {"name: changed\n", "name: changed\nmessage_bytes: 66\n", "whole rows of 4-byte elements"},
        {"name: changed\n", "name: changed\niterations: 0\n", "text:2:13: key 'iterations'"},
        {"name: changed\n", "name: changed\nlookahead: maybe\n", "allowed: none, readers, full"},
        {"name: changed\n", "name: changed\nspeed: 3\n", "unknown key 'speed'"},
        {"top_k: 2", "top_k: 9", "key 'top_k'"},
        {"routing: {top_k: 2}\n", "", "'routing' is missing"},
        {"groups: 2", "groups: two", "text:4:24: key 'groups'"},
        {"block of 2x2", "bloc of 2x2", "got 'bloc of 2x2'; allowed: all, block of CxR"},
        {"block of 2x2", "block of 2x2x", "allowed: all, block of CxR"},
        {"block of 2x2", "block of 0x2", "allowed: all, block of CxR"},
        {"dp: x, tp: y}}\n  next", "dp: x, tp: x}}\n  next", "x, y and z, each once"},
        {"dp: x, tp: y}}\n  next", "dp: q, tp: x}}\n  next",
         "dimension 'dp': got 'q'; allowed: x, y"},
        {"dp: x, tp: y}}\n  next", "dp: 2, tp: 3}}\n  next", "make 6 dies, the group has 4"},
        {"{place: block of 2x2,", "{dies: [0, 1, 1, 2],", "got 1 twice; allowed: each die once"},
        {"{place: block of 2x2,", "{dies: [0, 1, 25, 2],", "die 25: mesh_5x5 has dies 0 .. 24"},
        {"tp: partial", "tp: sum", "got 'sum'; allowed: replicate, shard(tokens)"},
        {"tp: partial", "tq: partial", "dimension 'tp' has no placement"},
        {"mesh: stage, dp: shard(tokens), tp: partial", "dp: shard(tokens), tp: partial",
         "layout 'addends': 'mesh' is missing"},
        {"mesh: stage, dp: shard(tokens), tp: partial", "mesh: stag, dp: replicate, tp: partial",
         "mesh: got 'stag'; allowed: stage, next_stage"},
        {"layout: addends", "layout: adends", "layout: got 'adends'; allowed: addends, complete"},
        {"tensor: activation", "tensor: weights", "tensor: got 'weights'; allowed: activation"},
        {"all_reduce:", "all_reduced:", "operation: got 'all_reduced'; allowed: one of reduce_sc"},
        {"reads: {u: addends}", "reads: {v: addends}", "text:17:26: value 'v' is read before"},
        {"reads: {d: experts}", "reads: {}", "reads 0 values; allowed: 1 .. 4"},
        {"writes: {g: complete}", "writes: {x: complete}", "value 'x' is written twice"},
        {"writes: {g: complete}", "writes: {u: complete}", "value 'u' is written twice"},
        {"along: tp", "along: dp", "along: got 'dp', but dimension 'dp' does not change"},
        {"along: tp", "along: pp", "allowed: a dimension of mesh 'stage'"},
        {"class: transparent", "class: linearr", "key 'class'"},
        {"class: transparent", "class: transparent, cycles: 5, gemm: [1, 1, 1]",
         "one of cycles, cycles_per_row and gemm"},
        {"class: transparent", "class: transparent, gemm: [1, 1]", "allowed: [M, N, K]"},
        {"class: transparent", "class: transparent, weights_on: [here]", "mesh: got 'here'"},
        {"  - compute: {name: experts",
         "  - wait: {reads: {d: experts}, rank: 4}\n  - compute: {name: e",
         "rank: got '4'; allowed: 0 .. 3"},
        {"along: tp", "communicator: fast", "communicator: got 'fast'; allowed: none is declared"},
        {"inputs:", "buffer_of: {nothing: here}\ninputs:", "unknown key 'nothing'"},
    };
    for (const fault_case& c : cases) {
        expect_fault(c);
    }
}

TEST(program_faults, come_all_at_once) {
    std::string text = changed("top_k: 2", "top_k: 0");
    text.replace(text.find("tp: replicate"), 13, "tp: repeated!");
    text.replace(text.find("{g: complete}"), 13, "{h: complete}");
    driven_program p("mesh_5x5", text);
    EXPECT_EQ(p.status, chm_bad_input);
    for (const char* message : {"key 'top_k'", "got 'repeated!'", "value 'g' is read before"}) {
        EXPECT_NE(p.faults.find(message), std::string::npos) << p.faults;
    }
}

TEST(program_faults, a_program_that_does_not_fit_says_why) {
    EXPECT_EQ(driven_program("torus_2x2x2", changed("changed", "fits")).faults, "");
    driven_program p("mesh_5x5", changed("block of 2x2", "block of 3x3"));
    EXPECT_NE(
        p.faults.find("block 1 of 3x3 does not fit mesh_5x5: 5 columns / 3 = 1 across, 5 rows "
                      "/ 3 = 1 down, 1 plane(s): 1 block(s)"),
        std::string::npos)
        << p.faults;
    driven_program tree("fat_tree_2x8", changed("block of 2x2", "block of 4x4"));
    EXPECT_NE(tree.faults.find("it needs dies 16 .. 31, there are 16"), std::string::npos)
        << tree.faults;
}

// Refused by the driver: what does not follow, or does not make sense.
TEST(program_faults, layouts_must_follow) {
    const fault_case cases[] = {
        {"reads: {g: complete}", "reads: {g: addends}", "turns shard(a) into shard(b)"},
        {"reads: {x: complete}", "reads: {x: next_complete}", "which does not give"},
        {"reads: {u: addends}, writes: {x: complete}, along: tp}",
         "reads: {u: complete}, writes: {x: complete}}", "which does not give"},
        {"- all_reduce: {reads: {u: addends}, writes: {x: complete}, along: tp}",
         "- all_gather: {reads: {u: addends}, writes: {x: complete}, along: tp}",
         "an all-gather turns shard into replicate"},
        {"writes: {d: experts}", "writes: {d: complete}", "both layouts are the same"},
        {"- all_to_all: {reads: {g: complete}, writes: {d: experts}}",
         "- reduce_scatter: {reads: {g: complete}, writes: {d: rows}}",
         "of a replicated tensor it would yield N times the value"},
        {"- all_to_all: {reads: {g: complete}, writes: {d: experts}}",
         "- point_to_point: {reads: {g: complete}, writes: {d: rows}}", "two different groups"},
        {"class: opaque, reads: {d: experts}", "class: opaque, reads: {u: addends}",
         "only collectives read addends"},
        {"writes: {g: complete}", "writes: {g: rows}", "writes the layout (and tensor) of its fir"},
        {"class: opaque, reads: {d: experts}",
         "class: opaque, reads: {d: experts, g: rows}, "
         "writes: {e: next_complete}",
         "its result is on other dies"},
        {"inputs:", "buffer_of: {x: here, d: here}\ninputs:", ""},
        {"inputs:", "buffer_of: {x: here, g: here}\ninputs:", "which it reads; allowed: another"},
        {"class: opaque, reads: {d: experts}}\n",
         "class: opaque, reads: {d: experts}}\n  - compute: {reads: {x: rows}}\n"
         "buffer_of: {x: here, d: here}\n",
         "reads 'x' after 'd' (operation 2) has overwritten its buffer"},
        {"groups: 2", "tokens: 7, width: 4", "7 tokens; allowed: at least 4 dies x top_k 2 = 8"},
    };
    for (const fault_case& c : cases) {
        if (c.message[0] == '\0') {
            EXPECT_EQ(driven_program("mesh_5x5", changed(c.from, c.to)).faults, "");
        } else {
            expect_fault(c);
        }
    }
}

// The major of two dimensions that split one axis cannot be gathered: the pieces would be strided.
TEST(program_faults, strided_gathers_are_refused) {
    const char* gather = R"(name: gather
tensors: {a: {}}
meshes:
  m: {place: block of 2x2, dims: {outer: x, inner: y}}
layouts:
  both: {mesh: m, outer: shard(tokens), inner: shard(tokens)ORDER}
  inner_left: {mesh: m, outer: replicate, inner: shard(tokens)}
inputs:
  u: {tensor: a, layout: both}
operations:
  - all_gather: {reads: {u: both}, writes: {x: inner_left}, along: outer}
)";
    std::string text = gather;
    text.replace(text.find("ORDER"), 5, "");
    driven_program strided("mesh_5x5", text);
    EXPECT_NE(strided.faults.find("gathering the major"), std::string::npos) << strided.faults;
    text = gather;
    text.replace(text.find("ORDER"), 5, ", order: [inner, outer]");
    EXPECT_EQ(driven_program("mesh_5x5", text).faults, "");
}

// cycles(M,N,K) = ceil(M/256) * ceil(N/256) * (K + 510) - 1: GPT2's first, (256,3072,1024):
// 1 * 12 * 1534 - 1 = 18407; on a 128 x 128 array 2 * 24 * (1024 + 254) - 1 = 61343.
TEST(program_faults, gemm_and_rows_become_cycles) {
    std::string text = changed("class: opaque", "class: opaque, gemm: [256, 3072, 1024]");
    EXPECT_EQ(driven_program("mesh_5x5", text).operation(3).cycles, 18407u);
    chm_program_options small{};
    small.array_rows = small.array_columns = 128;
    EXPECT_EQ(driven_program("mesh_5x5", text, small).operation(3).cycles, 61343u);
    // 2 x 256 tokens, split over dp: 256 rows on each die of `complete`.
    std::string rows = changed("class: transparent", "class: transparent, cycles_per_row: 3");
    EXPECT_EQ(driven_program("mesh_5x5", rows).operation(1).cycles, 768u);
}

// Without a platform: the shipped programs are sound, a fault is found.
TEST(program_faults, validate_needs_no_platform) {
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    const std::string root = CHM_SOURCE_DIR "/traces/";
    for (const char* name : {"tp_sp", "tp_pp", "tp_ep", "pp_ep", "sp_pp", "sp_pp_full", "sp_ep",
                             "variants/parallel_pairs", "variants/shared_die"}) {
        EXPECT_EQ(chm_program_validate((root + name + ".yaml").c_str(), &diagnostics), chm_ok)
            << chm_diagnostics_text(&diagnostics);
    }
    EXPECT_EQ(chm_program_validate((root + "none.yaml").c_str(), &diagnostics), chm_io);
    EXPECT_EQ(chm_program_validate(CHM_SOURCE_DIR "/platforms/mesh_5x5.yaml", &diagnostics),
              chm_bad_input);
    chm_diagnostics_free(&diagnostics);
}
