// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/golden/explain/explain.h"
#include "tests/support/driven_program.h"

// What becomes of whole transformer blocks: which runs fuse, what each reader gets, what moves.

using chimera::test::driven_program;

namespace {

const char* const platforms[] = {"mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"};
constexpr uint64_t m = 1 << 20; // bytes of one group's tensor

class blocks : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        chm_arena_init(&m_arena);
        chm_diagnostics_init(&m_diagnostics);
    }
    void TearDown() override {
        chm_arena_free(&m_arena);
        chm_diagnostics_free(&m_diagnostics);
    }

    const chm_explanation& of(const std::string& program) {
        m_program = std::make_unique<driven_program>(GetParam(), program);
        EXPECT_EQ(m_program->status, chm_ok) << m_program->faults;
        const chm_platform_description* p = m_program->platform;
        m_costs = chm_costs_from(&p->parameters);
        const chm_plan_options plan = chm_plan_options_from(&p->parameters, &m_costs);
        EXPECT_EQ(chm_explain(&m_program->workload, &p->topology, &plan, &m_arena, &m_explanation,
                              &m_diagnostics),
                  chm_ok)
            << chm_diagnostics_text(&m_diagnostics);
        return m_explanation;
    }

    // The run's operations by name: "sum_1 dropout_1 residual_1".
    std::string members(uint32_t run) const {
        std::string names;
        const chm_run* members = m_explanation.runs[run].run;
        for (uint32_t i = 0; i < members->count; ++i) {
            names += (i == 0 ? "" : " ");
            names += m_program->operation(members->members[i].seq).name;
        }
        return names;
    }

    // What the run delivers: "h: rows, b: complete", by the one layout that has these placements.
    std::string delivered(uint32_t run) const {
        std::string text;
        const chm_composition& c = m_explanation.runs[run].composition;
        for (uint32_t i = 0; i < c.request.demand_count; ++i) {
            text += (i == 0 ? "" : ", ");
            text += m_program->workload.tables.values[c.demand_values[i]].name;
            text += ": " + form(c.request.demands[i]);
        }
        return text;
    }

    std::string moved(uint32_t run) const {
        std::string names;
        const chm_explained_run& r = m_explanation.runs[run];
        for (uint32_t i = 0; i < r.operation_count; ++i) {
            if (r.operations[i].moved) {
                names += (names.empty() ? "" : " ");
                names += m_program->operation(r.operations[i].seq).name;
            }
        }
        return names;
    }

    // Where the run's operations stand, if all stand alike.
    std::string place(uint32_t run) const {
        const chm_explained_run& r = m_explanation.runs[run];
        for (uint32_t i = 1; i < r.operation_count; ++i) {
            EXPECT_EQ(form(r.operations[i].stands), form(r.operations[0].stands));
        }
        return form(r.operations[0].stands);
    }

    static std::string form(const chm_layout* layout) {
        bool replicated = false;
        for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
            replicated = replicated || layout->placement[d].kind == chm_place_replicate;
        }
        return chm_layout_is_routed(layout) ? "experts" : replicated ? "complete" : "rows";
    }

    const chm_explained_run& run(uint32_t index) const { return m_explanation.runs[index]; }

    std::unique_ptr<driven_program> m_program;
    chm_costs m_costs{};
    chm_explanation m_explanation{};
    chm_arena m_arena;
    chm_diagnostics m_diagnostics;
};

// A-R is 6 M of sends among four dies, R-S and A-G 3 M each. The sums are scattered once; dropout,
// residual and norm work on rows, and h stays there for the second residual.
TEST_P(blocks, tensor_parallel) {
    ASSERT_EQ(of("block_tp_sp").run_count, 3u);
    EXPECT_EQ(members(0), "all_gather");
    EXPECT_EQ(members(1), "sum_1 dropout_1 residual_1 norm_2 all_gather");
    EXPECT_EQ(delivered(1), "h: rows, b: complete");
    EXPECT_EQ(place(1), "rows");
    EXPECT_EQ(moved(1), "dropout_1");
    EXPECT_EQ(run(1).bytes_before, (6 + 3) * m);
    EXPECT_EQ(run(1).bytes_after, (3 + 3) * m);
    EXPECT_EQ(members(2), "sum_2 dropout_2 residual_2");
    EXPECT_EQ(delivered(2), "y: rows");
    EXPECT_EQ(moved(2), "dropout_2");
    EXPECT_EQ(run(2).bytes_after, 3 * m);
    EXPECT_EQ(m_explanation.refusal_count, 3u);
    for (uint32_t i = 0; i < m_explanation.refusal_count; ++i) {
        EXPECT_EQ(m_explanation.refusals[i].rule, chm_join_opaque); // GEMMs and the next block
    }
}

TEST_P(blocks, tensor_parallel_backward) {
    ASSERT_EQ(of("block_tp_sp_backward").run_count, 3u);
    EXPECT_EQ(members(1),
              "sum_2 norm_2_backward residual_1_backward dropout_1_backward all_gather");
    EXPECT_EQ(delivered(1), "dh: rows, du: complete");
    EXPECT_EQ(place(1), "rows");
    EXPECT_EQ(run(1).bytes_before, (6 + 3) * m);
    EXPECT_EQ(run(1).bytes_after, (3 + 3) * m);
    EXPECT_EQ(members(2), "sum_1 norm_1_backward residual_0_backward");
    EXPECT_EQ(delivered(2), "dx: rows");
    EXPECT_EQ(run(2).bytes_after, 3 * m);
}

// Two pairs with M each: A-R 2 x 2 M, R-S or A-G 2 x 1 M; dispatch 2 x 2 M x 3/4, combine as much.
TEST_P(blocks, experts) {
    ASSERT_EQ(of("block_tp_ep").run_count, 2u);
    EXPECT_EQ(members(0), "all_reduce dropout_1 residual_1 norm_2 gating dispatch");
    EXPECT_EQ(delivered(0), "h: rows, t: experts");
    EXPECT_EQ(place(0), "rows");
    EXPECT_EQ(moved(0), "dropout_1 residual_1 norm_2 gating");
    EXPECT_EQ(run(0).bytes_before, (4 + 3) * m);
    EXPECT_EQ(run(0).bytes_after, (2 + 3) * m);
    EXPECT_EQ(members(1), "combine dropout_2 residual_2 all_gather");
    EXPECT_EQ(delivered(1), "z: complete");
    EXPECT_EQ(place(1), "rows");
    EXPECT_EQ(run(1).bytes_after, (3 + 2) * m);
}

TEST_P(blocks, experts_backward) {
    ASSERT_EQ(of("block_tp_ep_backward").run_count, 3u);
    EXPECT_EQ(members(0), "sum_above norm_above_backward residual_2_backward dropout_2_backward "
                          "gating dispatch");
    EXPECT_EQ(delivered(0), "dy: rows, dt: experts");
    EXPECT_EQ(place(0), "rows");
    EXPECT_EQ(moved(0), "norm_above_backward");
    EXPECT_EQ(run(0).bytes_after, (2 + 3) * m);
    EXPECT_EQ(members(1),
              "combine norm_2_backward residual_1_backward dropout_1_backward all_gather");
    EXPECT_EQ(delivered(1), "dh: rows, dp: complete");
    EXPECT_EQ(run(1).bytes_after, (3 + 2) * m);
    EXPECT_EQ(members(2), "sum_1 norm_1_backward residual_0_backward");
    EXPECT_EQ(delivered(2), "dx: rows");
    EXPECT_EQ(moved(2), "norm_1_backward");
    EXPECT_EQ(run(2).bytes_before, 4 * m);
    EXPECT_EQ(run(2).bytes_after, 2 * m);
}

// The shipped program with one stretch of text in place of another.
std::string changed(const std::string& program, const std::string& from, const std::string& to) {
    std::ifstream file(CHM_SOURCE_DIR "/traces/" + program + ".yaml");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

// A residual that wants all of h: what the norm changes cannot be kept for it, the run ends there,
// and h is delivered as written.
TEST_P(blocks, a_reader_of_all_of_it_keeps_the_norm_where_it_is) {
    ASSERT_EQ(of(changed("block_tp_ep", "{r: rows, h: rows}", "{r: rows, h: complete}")).run_count,
              4u);
    EXPECT_EQ(members(0), "all_reduce dropout_1 residual_1");
    EXPECT_EQ(delivered(0), "h: complete");
    EXPECT_EQ(place(0), "rows");
    EXPECT_EQ(run(0).bytes_after, 4 * m);
    EXPECT_EQ(members(1), "norm_2"); // operations alone ask for no window
    EXPECT_EQ(members(2), "gating dispatch");
    ASSERT_GE(m_explanation.refusal_count, 1u);
    EXPECT_EQ(m_explanation.refusals[0].rule, chm_join_other_reader);
    const std::string sentence = m_explanation.refusals[0].sentence;
    EXPECT_NE(sentence.find("'residual_2' (seq 13) needs the intermediate 'h' too"),
              std::string::npos);
    EXPECT_NE(sentence.find("'norm_2' (seq 7) changes it"), std::string::npos);
}

// A residual that lies in column blocks is nowhere whole rows are: it cannot join the dropout.
TEST_P(blocks, an_operand_in_columns_keeps_the_residual_where_it_is) {
    std::string text =
        changed("block_tp_sp", "reads: {d: rows, x: rows}", "reads: {d: rows, w: columns}");
    const std::string inputs = "  x: {tensor: activation, layout: rows}\n";
    text.insert(text.find(inputs), "  w: {tensor: activation, layout: columns}\n");
    of(text);
    EXPECT_EQ(members(1), "sum_1 dropout_1");
    bool said = false;
    for (uint32_t i = 0; i < m_explanation.refusal_count; ++i) {
        const chm_refusal& r = m_explanation.refusals[i];
        if (r.rule == chm_join_operand_unavailable) {
            EXPECT_NE(std::string(r.sentence).find("what row_wise 'residual_1' (seq 7) needs"),
                      std::string::npos)
                << r.sentence;
            said = true;
        }
    }
    EXPECT_TRUE(said);
}

// In words and in JSON: what is kept, and in front of what.
TEST_P(blocks, kept_values_are_told) {
    const chm_explanation& x = of("block_tp_ep");
    EXPECT_EQ(run(0).kept[0], 7u);
    EXPECT_EQ(run(0).kept[1], CHM_NONE);
    chm_text text;
    chm_text_init(&text);
    chm_explain_text(&x, &text);
    EXPECT_NE(std::string(chm_text_get(&text)).find("R-S, kept before 'norm_2' (seq 7)"),
              std::string::npos);
    chm_text_free(&text);
    chm_text_init(&text);
    chm_json json;
    chm_json_begin(&json, &text);
    chm_explain_json(&x, &json);
    ASSERT_EQ(chm_json_finish(&json), chm_ok);
    EXPECT_NE(std::string(chm_text_get(&text)).find("\"kept_before\": 7"), std::string::npos);
    chm_text_free(&text);
}

// Told nothing of norm, residual and dropout, the engine runs every collective alone, and says that
// an opaque operation stands behind each.
TEST_P(blocks, opaque_operations_keep_everything_apart) {
    for (const char* name :
         {"block_tp_sp", "block_tp_sp_backward", "block_tp_ep", "block_tp_ep_backward"}) {
        SCOPED_TRACE(name);
        const chm_explanation& x = of(std::string("variants/") + name + "_opaque");
        uint32_t collectives = 0;
        for (uint32_t seq = 0; seq < m_program->workload.operation_count; ++seq) {
            collectives += m_program->operation(seq).kind == chm_operation_collective;
        }
        EXPECT_EQ(x.run_count, collectives);
        for (uint32_t i = 0; i < x.run_count; ++i) {
            EXPECT_EQ(x.runs[i].run->count, 1u);
            EXPECT_EQ(x.runs[i].composition.eliminated, 0u);
            EXPECT_EQ(x.runs[i].composition.moved, 0u);
        }
        ASSERT_EQ(x.refusal_count, x.run_count);
        for (uint32_t i = 0; i < x.refusal_count; ++i) {
            EXPECT_EQ(x.refusals[i].rule, chm_join_opaque);
            EXPECT_NE(std::string(x.refusals[i].sentence).find("opaque"), std::string::npos);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(all, blocks, ::testing::ValuesIn(platforms),
                         [](const auto& test) { return std::string(test.param); });

} // namespace
