// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "hw/base/yaml.h"
#include "hw/golden/explain/explain.h"
#include "tests/support/driven_program.h"

using chimera::test::driven_program;

namespace {

class explain : public ::testing::Test {
protected:
    void SetUp() override {
        chm_arena_init(&m_arena);
        chm_diagnostics_init(&m_diagnostics);
    }
    void TearDown() override {
        chm_arena_free(&m_arena);
        chm_diagnostics_free(&m_diagnostics);
    }

    const chm_explanation& of(const std::string& program, const std::string& platform = "mesh_5x5",
                              uint64_t window = 0) {
        chm_program_options options{};
        options.window_depth = window;
        m_program = std::make_unique<driven_program>(platform, program, options);
        EXPECT_EQ(m_program->status, chm_ok) << m_program->faults;
        const chm_platform_description* p = m_program->platform;
        m_costs = chm_costs_from(&p->parameters);
        chm_plan_options plan{};
        plan.costs = &m_costs;
        plan.staging_bytes = p->parameters.engine.staging_bytes;
        EXPECT_EQ(chm_explain(&m_program->workload, &p->topology, &plan, &m_arena, &m_explanation,
                              &m_diagnostics),
                  chm_ok)
            << chm_diagnostics_text(&m_diagnostics);
        return m_explanation;
    }

    // The sentence that says why `second` did not join, if the rule is this one.
    std::string sentence(chm_join rule, uint32_t second) {
        for (uint32_t i = 0; i < m_explanation.refusal_count; ++i) {
            const chm_refusal& r = m_explanation.refusals[i];
            if (r.second == second && r.rule == rule) {
                return r.sentence;
            }
        }
        return "";
    }

    std::string text() {
        chm_text buffer;
        chm_text_init(&buffer);
        chm_explain_text(&m_explanation, &buffer);
        std::string all = chm_text_get(&buffer);
        chm_text_free(&buffer);
        return all;
    }

    std::unique_ptr<driven_program> m_program;
    chm_costs m_costs{};
    chm_explanation m_explanation{};
    chm_arena m_arena;
    chm_diagnostics m_diagnostics;
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string layout_text(const chm_layout* layout) {
    char buffer[256];
    return layout == nullptr ? "" : chm_layout_format(layout, buffer, sizeof buffer);
}

TEST_F(explain, tp_ep_scatters_along_tokens_because_gating_follows) {
    const chm_explanation& x = of("tp_ep");
    ASSERT_EQ(x.run_count, 1u);
    const chm_explained_run& run = x.runs[0];
    EXPECT_EQ(run.run->count, 3u);
    EXPECT_STREQ(run.forms[0], "R-S; A2A");
    ASSERT_EQ(run.operation_count, 1u);
    EXPECT_TRUE(run.operations[0].moved);
    EXPECT_TRUE(contains(layout_text(run.operations[0].stands), "shard(tokens), shard(tokens)"));
    for (uint32_t i = 0; i < run.candidates.count; ++i) {
        EXPECT_TRUE(contains(run.candidates.items[i].form, "R-S(tokens)"));
    }
    // Two tensors of M = 1 MiB, each summed by a pair: A-R 2 x 2M; R-S half of that. Both send the
    // rows of 2M, sliced where they are replicated, to k = 2 of four dies, three quarters of them
    // elsewhere: 3M.
    uint64_t m = 1 << 20;
    EXPECT_EQ(run.bytes_before, 4 * m + 3 * m);
    EXPECT_EQ(run.bytes_after, 2 * m + 3 * m);
    EXPECT_TRUE(contains(text(), "moved  transparent 'gating'"));
}

TEST_F(explain, pp_ep_gates_at_the_source) {
    for (const char* platform : {"mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"}) {
        const chm_explanation& x = of("pp_ep", platform);
        ASSERT_EQ(x.run_count, 1u);
        const chm_explained_run& run = x.runs[0];
        EXPECT_STREQ(run.forms[0], "M2MS");
        EXPECT_EQ(run.composition.eliminated, 2u);
        ASSERT_EQ(run.operation_count, 1u);
        EXPECT_TRUE(run.operations[0].moved);
        ASSERT_NE(run.operations[0].stands, nullptr);
        EXPECT_TRUE(
            chm_mesh_equal(&run.operations[0].stands->mesh, &run.composition.request.from->mesh))
            << platform;
    }
}

TEST_F(explain, the_seven_programs_each_become_one_run_that_meets_its_bound) {
    for (const char* name : {"tp_sp", "tp_pp", "tp_ep", "pp_ep", "sp_pp", "sp_pp_full", "sp_ep"}) {
        const chm_explanation& x = of(name);
        ASSERT_EQ(x.run_count, 1u) << name;
        const chm_explained_run& run = x.runs[0];
        EXPECT_LT(run.bytes_after, run.bytes_before) << name;
        EXPECT_GE(run.plan.estimated_cycles, run.bound.lower_bound_cycles) << name;
        EXPECT_GT(run.bound.bandwidth_cycles, 0u) << name;
    }
}

// Dispatch as in sp_ep. Back: the combine of 2 M rows, the exchange of half of each pair's rows
// and the gathering of the other columns are one combine: 1.5 x 2 M = 3 M sends.
TEST_F(explain, sp_ep_sp_combines_straight_into_sequence_shards) {
    for (const char* platform : {"mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"}) {
        const chm_explanation& x = of("sp_ep_sp", platform);
        ASSERT_EQ(x.run_count, 2u);
        const uint64_t m = 1 << 20;
        EXPECT_EQ(x.runs[0].bytes_after, 3 * m);
        EXPECT_EQ(x.runs[1].run->count, 3u);
        EXPECT_STREQ(x.runs[1].forms[0], "A2A");
        EXPECT_EQ(x.runs[1].bytes_before, 3 * m + m + 2 * m);
        EXPECT_EQ(x.runs[1].bytes_after, 3 * m);
        EXPECT_EQ(x.runs[1].composition.eliminated, 2u);
        EXPECT_TRUE(contains(sentence(chm_join_opaque, 3), "'experts' (seq 3) does not join"));
    }
}

// u is scattered along the width, z added by the owners of its columns, the sum gathered: 3 M + 3
// M. The gathering of z disappears: what it was gathered from is all that the addition reads.
TEST_F(explain, lora_adds_the_adapters_columns_to_a_scattered_sum) {
    for (const char* platform : {"mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"}) {
        const chm_explanation& x = of("lora", platform);
        ASSERT_EQ(x.run_count, 2u);
        const uint64_t m = 1 << 20;
        EXPECT_EQ(x.runs[0].bytes_before, 3 * m);
        EXPECT_EQ(x.runs[0].bytes_after, 0u);
        EXPECT_STREQ(x.runs[0].forms[0], "nothing");
        EXPECT_EQ(x.runs[1].bytes_after, 6 * m);
        ASSERT_EQ(x.runs[1].operation_count, 1u);
        EXPECT_TRUE(x.runs[1].operations[0].moved);
        EXPECT_TRUE(contains(layout_text(x.runs[1].operations[0].stands), "[4: shard(width)]"));
    }
    EXPECT_TRUE(contains(text(), "not needed: linear 'add' (seq 2) adds what this starts from"));
    of("lora", "mesh_5x5", 1); // as written
    EXPECT_FALSE(contains(text(), "not needed"));
    EXPECT_EQ(m_explanation.runs[1].bytes_after, 3u << 20);
    EXPECT_FALSE(m_explanation.runs[2].operations[0].moved);
    const chm_explanation& x = of("variants/lora_waits");
    ASSERT_EQ(x.run_count, 3u);
    EXPECT_EQ(x.runs[0].bytes_after, 6u << 20); // the host wants all of the sum
    EXPECT_EQ(x.runs[1].bytes_after, 0u);
    EXPECT_EQ(x.runs[2].bytes_after, 3u << 20); // slice, add, gather
    EXPECT_TRUE(x.runs[2].operations[0].moved);
}

TEST_F(explain, every_refusal_names_its_rule_and_the_operations) {
    of("variants/other_reader");
    EXPECT_TRUE(contains(sentence(chm_join_other_reader, 1), "'keeps_residual' (seq 2) needs"));
    of("variants/opaque_between");
    EXPECT_TRUE(contains(sentence(chm_join_opaque, 1), "'unknown_kernel' (seq 1) does not join"));
    of("variants/gate_weights_absent");
    EXPECT_TRUE(contains(sentence(chm_join_operand_unavailable, 1), "on {2 7 3 8}"));
    of("variants/blocks_alone");
    EXPECT_TRUE(contains(sentence(chm_join_fence, 2), "a host waits"));
    of("variants/needed_on_one_die");
    EXPECT_TRUE(contains(sentence(chm_join_needed_by, 3), "(seq 2) depends on what"));
    of("variants/different_windows");
    EXPECT_TRUE(contains(sentence(chm_join_window, 2), "smallest window is 2"));
    of("variants/shared_die");
    EXPECT_TRUE(contains(sentence(chm_join_window, 9), "smallest window is 8"));
    of("variants/cast_at_experts");
    EXPECT_TRUE(contains(sentence(chm_join_opaque, 3), "what each die got by the routing"));
    of("variants/norm_on_column_sums");
    EXPECT_TRUE(contains(sentence(chm_join_rows_incomplete, 2), "needs whole rows on one die"));
}

TEST_F(explain, window_one_runs_everything_as_written) {
    const chm_explanation& x = of("tp_ep", "mesh_5x5", 1);
    ASSERT_EQ(x.run_count, 3u);
    EXPECT_STREQ(x.runs[0].forms[0], "R-S; A-G");
    EXPECT_FALSE(x.runs[1].transfers); // gating alone
    EXPECT_TRUE(contains(sentence(chm_join_window, 1), "smallest window is 1"));
    EXPECT_TRUE(contains(sentence(chm_join_window, 2), "smallest window is 1"));
    EXPECT_TRUE(contains(text(), "executes where it was written"));
}

TEST_F(explain, a_driver_without_lookahead_is_told_so) {
    const chm_explanation& x = of("variants/next_unknown");
    ASSERT_EQ(x.run_count, 1u); // all readers are known: the first stands in
    EXPECT_EQ(x.runs[0].run->count, 3u);
}

// A shard for the residual beside the dispatch: two demands of one run.
TEST_F(explain, several_demands_are_listed) {
    const chm_explanation& x = of(R"(name: residual
routing: {top_k: 2}
tensors:
  activation: {}
meshes:
  stage: {place: block of 2x2, dims: {tp: all}}
layouts:
  addends: {mesh: stage, tp: partial}
  complete: {mesh: stage, tp: replicate}
  rows: {mesh: stage, tp: shard(tokens)}
  experts: {mesh: stage, tp: routed_copy}
inputs:
  u: {tensor: activation, layout: addends}
operations:
  - all_reduce: {reads: {u: addends}, writes: {x: complete}}
  - compute: {name: gating, class: transparent, reads: {x: complete}, writes: {g: complete},
              weights_on: [stage]}
  - all_to_all: {reads: {g: complete}, writes: {d: experts}}
  - compute: {name: experts, class: opaque, reads: {d: experts}}
  - compute: {name: residual, class: opaque, reads: {x: rows}}
)");
    ASSERT_EQ(x.run_count, 1u);
    const chm_explained_run& run = x.runs[0];
    ASSERT_EQ(run.composition.request.demand_count, 2u);
    EXPECT_STREQ(run.forms[0], "R-S");
    EXPECT_STREQ(run.forms[1], "R-S; A2A");
    // The residual's shard is the way-point of the dispatch: R-S 3M, dispatch 3/4 of 2M.
    EXPECT_EQ(run.bytes_after, (3ull << 20) + (3ull << 19));
}

TEST_F(explain, json_lists_the_plan_with_its_dependencies) {
    const chm_explanation& x = of("tp_pp");
    chm_text text;
    chm_text_init(&text);
    chm_json json;
    chm_json_begin(&json, &text);
    chm_explain_json(&x, &json);
    ASSERT_EQ(chm_json_finish(&json), chm_ok);
    const chm_yaml_node* root = nullptr;
    ASSERT_EQ(
        chm_yaml_read_text("explain", text.data, text.length, &m_arena, &root, &m_diagnostics),
        chm_ok)
        << chm_diagnostics_text(&m_diagnostics);
    const chm_yaml_node* run = &chm_yaml_get(root, "runs")->items[0];
    const chm_yaml_node* transfers = chm_yaml_get(chm_yaml_get(run, "plan"), "transfers");
    ASSERT_EQ(transfers->count, x.runs[0].plan.transfer_count);
    uint64_t payload = 0, dependencies = 0;
    for (size_t i = 0; i < transfers->count; ++i) {
        const chm_yaml_node* after = chm_yaml_get(&transfers->items[i], "after");
        payload += std::stoull(chm_yaml_get(&transfers->items[i], "bytes")->text);
        for (size_t d = 0; d < after->count; ++d, ++dependencies) {
            EXPECT_LT(std::stoull(after->items[d].text), i);
        }
    }
    EXPECT_EQ(payload, x.runs[0].bytes_after);
    EXPECT_EQ(dependencies, x.runs[0].plan.dependency_count);
    EXPECT_EQ(chm_yaml_get(run, "candidates")->count, x.runs[0].candidates.count);
    chm_text_free(&text);
}

} // namespace
