// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/machine_run.h"

using chimera::die::machine_options;
using chimera::test::machine_run;

namespace {

class stalled : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

std::vector<std::vector<uint32_t>> decisions(const machine_run& run) {
    std::vector<std::vector<uint32_t>> all;
    for (uint32_t die = 0; die < run.driven.workload.dies; ++die) {
        for (const chimera::fusion::decision& made : run.machine->decisions().of(die)) {
            std::vector<uint32_t> one = made.recipe->members();
            one.push_back(made.key);
            one.push_back(die);
            all.push_back(one);
        }
    }
    return all;
}

// 25 seeds on each of four platforms. Random floats, so that a sum in another order shows: the
// digest covers every bit delivered on every die.
TEST_P(stalled, ports_and_queues_change_time_only) {
    const auto [platform, program] = GetParam();
    machine_options options;
    options.data = true;
    options.random_floats = true;
    machine_run calm(platform, program, 8, 8192, options);
    ASSERT_EQ(calm.result.status, chm_ok) << calm.result.text;
    uint64_t longest = 0;
    for (uint64_t seed = 0; seed < 25; ++seed) {
        options.seed = 0; // of the inputs
        options.stall_probability = 0.2;
        options.stall_seed = seed;
        machine_run run(platform, program, 8, 8192, options);
        ASSERT_EQ(run.result.status, chm_ok) << run.result.text;
        EXPECT_EQ(decisions(run), decisions(calm));
        EXPECT_EQ(run.machine->content_digest(), calm.machine->content_digest()) << seed;
        EXPECT_EQ(run.statistics.bytes_moved, calm.statistics.bytes_moved);
        longest = std::max(longest, run.statistics.cycles);
    }
    EXPECT_GT(longest, calm.statistics.cycles);
    options.random_floats = false; // exact sums: equal to the truth as well
    machine_run exact(platform, program, 8, 8192, options);
    EXPECT_TRUE(exact.equal()) << exact.machine->first_difference();
}

INSTANTIATE_TEST_SUITE_P(all, stalled,
                         ::testing::Combine(::testing::Values("mesh_5x5", "torus_4x4",
                                                              "torus_2x2x2", "fat_tree_2x8"),
                                            ::testing::Values("tp_sp", "tp_pp", "tp_ep", "pp_ep",
                                                              "sp_pp", "sp_pp_full", "sp_ep")),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) + "_" +
                                    std::get<1>(test.param);
                         });

} // namespace
