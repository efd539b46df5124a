// SPDX-License-Identifier: Apache-2.0
// Whole programs on the loosely timed network: what is computed, decided and moved does not depend
// on the fidelity; how long it takes nearly.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "hw/golden/network/lt_error.h"
#include "tests/support/machine_run.h"

using chimera::die::machine_options;
using chimera::test::machine_run;

namespace {

class lt_machine : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

constexpr uint64_t message = 64 * 1024;

machine_options with_data() {
    machine_options options;
    options.data = true;
    options.seed = 7;
    return options;
}

void expect_same_function(const machine_run& lt, const machine_run& at) {
    ASSERT_EQ(at.result.status, chm_ok) << at.result.text;
    ASSERT_EQ(lt.result.status, chm_ok) << lt.result.text;
    EXPECT_TRUE(lt.machine->finished());
    EXPECT_TRUE(lt.equal()) << lt.machine->first_difference();
    EXPECT_GT(lt.machine->blocks_compared(), 0u);
    EXPECT_EQ(lt.machine->blocks_compared(), at.machine->blocks_compared());
    EXPECT_EQ(lt.machine->content_digest(), at.machine->content_digest());
    EXPECT_EQ(lt.statistics.runs, at.statistics.runs);
    EXPECT_EQ(lt.statistics.fused, at.statistics.fused);
    EXPECT_EQ(lt.statistics.bytes_moved, at.statistics.bytes_moved);
    EXPECT_EQ(lt.statistics.metadata_bytes, at.statistics.metadata_bytes);
    EXPECT_EQ(lt.statistics.byte_hops, at.statistics.byte_hops);
}

double percent(const machine_run& lt, const machine_run& at) {
    return 100 *
           (static_cast<double>(lt.statistics.cycles) / static_cast<double>(at.statistics.cycles) -
            1);
}

} // namespace

TEST_P(lt_machine, does_the_same_in_nearly_the_same_time) {
    const auto [platform, program] = GetParam();
    const double allowed = chm_lt_error_of(chm_lt_streamed)->one_seed_percent;
    for (uint64_t window : {1, 8}) {
        const machine_run at(platform, program, window, message, with_data());
        const machine_run lt(platform, program, window, message, with_data(), {{"fidelity", "lt"}});
        expect_same_function(lt, at);
        EXPECT_LE(std::fabs(percent(lt, at)), allowed) << "window " << window;
    }
}

// Data, decisions and bytes are those without stalls. A stall seed also draws other routes on tori,
// so that only the longest of several runs must take longer.
TEST_P(lt_machine, stalls_change_time_only) {
    const auto [platform, program] = GetParam();
    const machine_run calm(platform, program, 8, 8192, with_data(), {{"fidelity", "lt"}});
    machine_options options = with_data();
    options.stall_probability = 0.2;
    uint64_t longest = 0;
    for (uint64_t seed = 0; seed < 8; ++seed) {
        options.stall_seed = seed;
        const machine_run run(platform, program, 8, 8192, options, {{"fidelity", "lt"}});
        expect_same_function(run, calm);
        longest = std::max(longest, run.statistics.cycles);
    }
    EXPECT_GT(longest, calm.statistics.cycles);
}

INSTANTIATE_TEST_SUITE_P(all, lt_machine,
                         ::testing::Combine(::testing::Values("mesh_5x5", "torus_4x4",
                                                              "torus_2x2x2", "fat_tree_2x8"),
                                            ::testing::Values("tp_sp", "tp_pp", "tp_ep", "pp_ep",
                                                              "sp_pp", "sp_pp_full", "sp_ep")),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) + "_" +
                                    std::get<1>(test.param);
                         });
