// SPDX-License-Identifier: Apache-2.0
#include "hw/dma/run_execution.h"

#include <gtest/gtest.h>

#include "hw/golden/fusion/window.h"
#include "tests/support/driven_program.h"
#include "tests/support/plan_shuffler.h"

using chimera::test::driven_program;
using chimera::test::plan_shuffler;

namespace {

// The first run that a program decides, with what its dies hold at the start.
struct first_run {
    first_run(const std::string& platform, const std::string& program, uint64_t window,
              bool random_floats)
        : driven(platform, program, options(window)), uses(driven.workload),
          book(driven.platform->topology, driven.platform->parameters, driven.workload) {
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        EXPECT_EQ(chm_truth_create(&truth, &driven.workload, 3, random_floats, &diagnostics),
                  chm_ok);
        chm_diagnostics_free(&diagnostics);
        chm_window* open = chm_window_create(&driven.workload.tables);
        for (uint32_t seq = 0; seq < driven.workload.operation_count; ++seq) {
            if (driven.workload.has_descriptor[seq]) {
                chm_window_push(open, &driven.workload.descriptors[seq]);
            }
        }
        chm_window_drain(open);
        chm_decided_run made = {};
        EXPECT_TRUE(chm_window_pop(open, &made));
        std::string fault;
        recipe = book.find(*made.run, fault);
        EXPECT_NE(recipe, nullptr) << fault;
        chm_window_free(open);
    }
    ~first_run() { chm_truth_free(truth); }

    static chm_program_options options(uint64_t window) {
        chm_program_options asked = {};
        asked.window_depth = window;
        asked.message_bytes = 16384;
        return asked;
    }

    std::string shuffle(bool credits, uint64_t seed) {
        std::vector<std::unique_ptr<chimera::memory::value_store>> stores;
        const chm_tables& tables = driven.workload.tables;
        for (uint32_t die = 0; die < driven.workload.dies; ++die) {
            stores.push_back(std::make_unique<chimera::memory::value_store>(uses, die, true));
            for (uint32_t value = 0; value < tables.value_count; ++value) {
                if (stores[die]->ready(value)) {
                    stores[die]->add_block(value,
                                           chimera::die::input_block(*truth, tables, value, die));
                }
            }
        }
        plan_shuffler shuffler(*recipe, driven.workload, *truth, stores, credits, seed);
        return shuffler.run();
    }

    driven_program driven;
    chimera::memory::use_table uses;
    chimera::fusion::recipe_book book;
    chm_truth* truth = nullptr;
    chimera::fusion::run_recipe* recipe = nullptr;
};

class shuffled : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

// Whatever order packets, credits, inputs, buffers and operations come in, every die delivers the
// same bits and finishes.
TEST_P(shuffled, any_order_delivers_equal_data) {
    const auto [platform, program] = GetParam();
    for (uint64_t window : {1, 8}) {
        first_run made(platform, program, window, false);
        for (uint64_t seed = 0; seed < 20; ++seed) {
            const std::string fault = made.shuffle(seed % 2 == 0, seed);
            ASSERT_EQ(fault, "") << "window " << window << " seed " << seed;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(all, shuffled,
                         ::testing::Combine(::testing::Values("mesh_5x5", "torus_2x2x2",
                                                              "fat_tree_2x8"),
                                            ::testing::Values("tp_sp", "tp_pp", "tp_ep", "pp_ep",
                                                              "sp_pp", "sp_pp_full", "sp_ep")),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) + "_" +
                                    std::get<1>(test.param);
                         });

const char* const ordered_text = R"(name: ordered
tensors:
  activation: {}
meshes:
  stage: {place: block of 2x2, dims: {tp: all}}
layouts:
  addends: {mesh: stage, tp: partial}
  complete: {mesh: stage, tp: replicate}
inputs:
  u: {tensor: activation, layout: addends}
operations:
  - all_reduce: {reads: {u: addends}, writes: {x: complete}, ordered_sum: true}
  - compute: {name: consume, class: opaque, reads: {x: complete}}
)";

// Random floats show every change in the order of a sum: with ordered_sum there is none.
TEST(ordered_sum, adds_in_rank_order_whatever_arrives_first) {
    first_run made("mesh_5x5", ordered_text, 8, true);
    ASSERT_EQ(made.driven.faults, "");
    for (uint64_t seed = 0; seed < 50; ++seed) {
        ASSERT_EQ(made.shuffle(seed % 2 == 0, seed), "") << "seed " << seed;
    }
}

} // namespace
