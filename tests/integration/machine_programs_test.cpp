// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/machine_run.h"

using chimera::test::machine_run;

namespace {

constexpr uint64_t message = 64 * 1024;

const char* const programs[] = {"tp_sp",
                                "tp_pp",
                                "tp_ep",
                                "pp_ep",
                                "sp_pp",
                                "sp_pp_full",
                                "sp_ep",
                                "sp_ep_sp",
                                "lora",
                                "block_tp_sp",
                                "block_tp_sp_backward",
                                "block_tp_ep",
                                "block_tp_ep_backward"};

class shipped : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

chimera::die::machine_options with_data() {
    chimera::die::machine_options options;
    options.data = true;
    options.seed = 7;
    return options;
}

TEST_P(shipped, data_is_equal_with_the_engine_off_and_on) {
    const auto [platform, program] = GetParam();
    machine_run off(platform, program, 1, message, with_data());
    ASSERT_EQ(off.result.status, chm_ok) << off.result.text;
    EXPECT_TRUE(off.equal()) << off.machine->first_difference();
    machine_run on(platform, program, 8, message, with_data());
    ASSERT_EQ(on.result.status, chm_ok) << on.result.text;
    EXPECT_TRUE(on.equal()) << on.machine->first_difference();
    EXPECT_GT(off.machine->blocks_compared(), 0u);
    EXPECT_GT(on.machine->blocks_compared(), 0u);
    EXPECT_TRUE(off.machine->finished());
    // A run is not compared with its parts, and chunks may get into each other's way.
    EXPECT_LE(on.statistics.cycles, off.statistics.cycles + off.statistics.cycles / 200);
    EXPECT_EQ(off.statistics.fused, 0u);
    RecordProperty("off", static_cast<int>(off.statistics.cycles));
    RecordProperty("on", static_cast<int>(on.statistics.cycles));
    std::printf("%s %s: %llu -> %llu cycles, %llu -> %llu bytes, exposed %llu -> %llu\n", platform,
                program, (unsigned long long)off.statistics.cycles,
                (unsigned long long)on.statistics.cycles,
                (unsigned long long)off.statistics.bytes_moved,
                (unsigned long long)on.statistics.bytes_moved,
                (unsigned long long)off.statistics.exposed_communication_cycles,
                (unsigned long long)on.statistics.exposed_communication_cycles);
}

TEST_P(shipped, timing_does_not_depend_on_data) {
    const auto [platform, program] = GetParam();
    machine_run with(platform, program, 8, message, with_data());
    chimera::die::machine_options bare = with_data(); // the same seed: the same random routes
    bare.data = false;
    machine_run without(platform, program, 8, message, bare);
    ASSERT_EQ(without.result.status, chm_ok) << without.result.text;
    EXPECT_EQ(with.statistics.cycles, without.statistics.cycles);
    EXPECT_EQ(with.statistics.bytes_moved, without.statistics.bytes_moved);
    EXPECT_EQ(with.statistics.metadata_bytes, without.statistics.metadata_bytes);
}

class wired : public shipped {};

// Platforms that are no grids run the same programs; blocks are runs of die ids there.
TEST_P(wired, data_is_equal_with_the_engine_off_and_on) {
    const auto [platform, program] = GetParam();
    machine_run off(platform, program, 1, message, with_data());
    ASSERT_EQ(off.result.status, chm_ok) << off.result.text;
    EXPECT_TRUE(off.equal()) << off.machine->first_difference();
    machine_run on(platform, program, 8, message, with_data());
    ASSERT_EQ(on.result.status, chm_ok) << on.result.text;
    EXPECT_TRUE(on.equal()) << on.machine->first_difference();
    EXPECT_GT(on.machine->blocks_compared(), 0u);
    // A block may have as long a way through its computes alone, at so small a message.
    // A run is not compared with its parts, and chunks may get into each other's way.
    EXPECT_LE(on.statistics.cycles, off.statistics.cycles + off.statistics.cycles / 200);
    EXPECT_LT(on.statistics.bytes_moved, off.statistics.bytes_moved);
}

INSTANTIATE_TEST_SUITE_P(all, wired,
                         ::testing::Combine(::testing::Values("ring_8", "fully_connected_8",
                                                              "switch_8", "fat_tree_4x8",
                                                              "pcie_box_2x4", "two_racks"),
                                            ::testing::ValuesIn(programs)),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) + "_" +
                                    std::get<1>(test.param);
                         });

INSTANTIATE_TEST_SUITE_P(all, shipped,
                         ::testing::Combine(::testing::Values("mesh_5x5", "torus_4x4",
                                                              "torus_2x2x2", "fat_tree_2x8"),
                                            ::testing::ValuesIn(programs)),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) + "_" +
                                    std::get<1>(test.param);
                         });

} // namespace
