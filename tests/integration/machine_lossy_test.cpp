// SPDX-License-Identifier: Apache-2.0
// Programs on links that lose packets.
#include <gtest/gtest.h>

#include "tests/support/machine_run.h"

using chimera::test::machine_run;

namespace {

constexpr uint64_t seeds_per_program = 15; // of seven programs: 105 in all

class lossy_program : public ::testing::TestWithParam<const char*> {};

// 1 % dropped and 0.1 % corrupted on every link: the same results later, and nothing missing.
TEST_P(lossy_program, computes_the_same_later) {
    const char* const platforms[] = {"mesh_5x5", "torus_4x4", "mesh_8x8"};
    const chimera::test::settings loss = {{"drop_probability", "0.01"},
                                          {"corrupt_probability", "0.001"}};
    uint64_t dropped = 0, corrupted = 0, lossy_cycles = 0, calm_cycles = 0;
    for (uint64_t seed = 0; seed < seeds_per_program; ++seed) {
        const char* platform = platforms[seed % 3];
        SCOPED_TRACE(std::string(platform) + ", seed " + std::to_string(seed));
        chimera::die::machine_options options;
        options.data = true;
        options.seed = seed;
        const uint64_t window = seed % 2 == 0 ? 8 : 1;
        machine_run calm(platform, GetParam(), window, 16384, options);
        machine_run run(platform, GetParam(), window, 16384, options, loss);
        ASSERT_EQ(calm.result.status, chm_ok) << calm.result.text;
        ASSERT_EQ(run.result.status, chm_ok) << run.result.text;
        EXPECT_TRUE(run.equal()) << run.machine->first_difference();
        EXPECT_EQ(run.machine->content_digest(), calm.machine->content_digest());
        // A delay can let another transfer go first, by which a single run may even gain a little.
        EXPECT_GT(run.statistics.cycles * 100, calm.statistics.cycles * 98);
        lossy_cycles += run.statistics.cycles;
        calm_cycles += calm.statistics.cycles;
        EXPECT_EQ(run.statistics.packet_hops, calm.statistics.packet_hops);
        EXPECT_EQ(run.statistics.bytes_moved, calm.statistics.bytes_moved);
        EXPECT_TRUE(run.machine->network().idle());
        EXPECT_EQ(run.machine->network().packets().outstanding(), 0u);
        dropped += run.statistics.links.dropped;
        corrupted += run.statistics.links.corrupted;
        EXPECT_GE(run.statistics.links.replayed,
                  run.statistics.links.dropped + run.statistics.links.corrupted);
    }
    EXPECT_GT(lossy_cycles, calm_cycles);
    EXPECT_GT(dropped, 0u);
    EXPECT_GT(corrupted, 0u);
}

INSTANTIATE_TEST_SUITE_P(all, lossy_program,
                         ::testing::Values("tp_sp", "tp_pp", "tp_ep", "pp_ep", "sp_pp",
                                           "sp_pp_full", "sp_ep"),
                         [](const auto& test) { return std::string(test.param); });

} // namespace
