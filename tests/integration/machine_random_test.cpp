// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/random_run.h"

using chimera::test::random_run;

namespace {

class random_programs : public ::testing::TestWithParam<uint64_t> {};

constexpr uint64_t per_case = 50;

// The members and keys of every die's decisions, as text.
std::string decisions_of(const random_run& run) {
    std::string text;
    for (uint32_t die = 0; die < run.topology.dies; ++die) {
        text += "die " + std::to_string(die) + ":";
        for (const chimera::fusion::decision& made : run.machine->decisions().of(die)) {
            text += " " + std::to_string(made.key) + "{";
            for (uint32_t seq : made.recipe->members()) {
                text += std::to_string(seq) + " ";
            }
            text += "}";
        }
        text += "\n";
    }
    return text;
}

// Every die decides alike (the machine fails if not), everything completes, and all data are equal.
TEST_P(random_programs, decide_alike_and_complete_with_equal_data) {
    for (uint64_t seed = GetParam() * per_case; seed < (GetParam() + 1) * per_case; ++seed) {
        chimera::die::machine_options options;
        options.data = true;
        options.seed = seed;
        const random_run run(seed, options);
        ASSERT_EQ(run.result.status, chm_ok) << "seed " << seed << "\n" << run.result.text;
        EXPECT_EQ(run.machine->data(), chimera::die::data_result::equal)
            << "seed " << seed << "\n"
            << run.machine->first_difference();
        EXPECT_TRUE(run.machine->finished());
        if (seed % 10 == 0) { // other timings, the same decisions
            options.stall_probability = 0.2;
            const random_run stalled(seed, options);
            ASSERT_EQ(stalled.result.status, chm_ok) << stalled.result.text;
            EXPECT_EQ(decisions_of(run), decisions_of(stalled));
            EXPECT_EQ(stalled.machine->data(), chimera::die::data_result::equal);
            options.stall_probability = 0;
            const random_run faster(seed, options, 1.7); // another clock, the same cycles
            EXPECT_EQ(faster.machine->statistics().cycles, run.machine->statistics().cycles);
            EXPECT_LT(faster.machine->statistics().time_ps, run.machine->statistics().time_ps);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, random_programs, ::testing::Range<uint64_t>(0, 20));

} // namespace
