// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/machine_run.h"

using chimera::test::machine_run;

namespace {

constexpr uint64_t message = 1024 * 1024; // the size that the blocks' GEMMs are of

// Platform, block.
class blocks : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
protected:
    static chimera::die::machine_options seeded(bool data) {
        chimera::die::machine_options options;
        options.data = data;
        options.seed = 3;
        return options;
    }
};

// Less is moved, less of it shows, and the computes of the program take as long as before.
TEST_P(blocks, fused_runs_leave_less_communication_exposed) {
    const auto [platform, program] = GetParam();
    const machine_run off(platform, program, 1, message, seeded(false));
    const machine_run on(platform, program, 8, message, seeded(false));
    ASSERT_EQ(off.result.status, chm_ok) << off.result.text;
    ASSERT_EQ(on.result.status, chm_ok) << on.result.text;
    EXPECT_EQ(off.statistics.fused, 0u);
    EXPECT_GT(on.statistics.fused, 0u);
    EXPECT_EQ(on.statistics.bytes_asked, off.statistics.bytes_asked);
    EXPECT_LT(on.statistics.bytes_moved, off.statistics.bytes_moved);
    EXPECT_EQ(on.statistics.compute_busy_cycles, off.statistics.compute_busy_cycles);
    EXPECT_LT(on.statistics.exposed_communication_cycles,
              off.statistics.exposed_communication_cycles);
    EXPECT_LT(on.statistics.cycles, off.statistics.cycles);
}

// With norm, residual and dropout opaque the engine finds nothing to fuse, and the data are the
// same.
TEST_P(blocks, opaque_operations_leave_nothing_to_fuse) {
    const auto [platform, program] = GetParam();
    const std::string opaque = std::string("variants/") + program + "_opaque";
    const machine_run off(platform, opaque, 1, message / 16, seeded(true));
    const machine_run on(platform, opaque, 8, message / 16, seeded(true));
    ASSERT_EQ(off.result.status, chm_ok) << off.result.text;
    ASSERT_EQ(on.result.status, chm_ok) << on.result.text;
    EXPECT_TRUE(off.equal()) << off.machine->first_difference();
    EXPECT_TRUE(on.equal()) << on.machine->first_difference();
    EXPECT_EQ(on.statistics.fused, 0u);
    EXPECT_EQ(on.statistics.eliminated, 0u);
    EXPECT_LE(on.statistics.bytes_moved, off.statistics.bytes_moved);
}

INSTANTIATE_TEST_SUITE_P(
    all, blocks,
    ::testing::Combine(::testing::Values("mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"),
                       ::testing::Values("block_tp_sp", "block_tp_sp_backward", "block_tp_ep",
                                         "block_tp_ep_backward")),
    [](const auto& test) {
        return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param);
    });

} // namespace
