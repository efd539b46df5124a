// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/machine_run.h"

using chimera::test::machine_run;

namespace {

std::vector<std::string> variants() {
    std::vector<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(CHM_SOURCE_DIR "/traces/variants")) {
        if (entry.path().extension() == ".yaml") {
            names.push_back("variants/" + entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

class variant : public ::testing::TestWithParam<std::string> {};

// Every window gives the same values, bit for bit, on every die.
TEST_P(variant, completes_with_equal_data_at_every_window) {
    for (uint64_t window : {1, 2, 4, 8, 62}) {
        chimera::die::machine_options options;
        options.data = true;
        options.seed = window;
        machine_run run("mesh_8x8", GetParam(), window, 4096, options);
        ASSERT_EQ(run.result.status, chm_ok) << "window " << window << "\n" << run.result.text;
        EXPECT_TRUE(run.equal()) << "window " << window << "\n" << run.machine->first_difference();
        EXPECT_GT(run.machine->blocks_compared(), 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(all, variant, ::testing::ValuesIn(variants()), [](const auto& test) {
    std::string name = test.param;
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
});

} // namespace
