// SPDX-License-Identifier: Apache-2.0
// Collectives over a whole grid whose dies have a port per link.
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/support/machine_run.h"

using chimera::test::machine_run;
using chimera::test::settings;

namespace {

// One collective over a block of dies of the platform, its result read where it is.
std::string program(const std::string& block, const std::string& collective, bool reduces) {
    return "name: collective\n"
           "tensors:\n  activation: {}\n"
           "meshes:\n  all: {place: block of " +
           block +
           ", dims: {p: all}}\n"
           "layouts:\n  from: {mesh: all, p: " +
           (reduces ? "partial" : "shard(tokens)") + "}\n  to: {mesh: all, p: " +
           (collective == "reduce_scatter" ? "shard(tokens)" : "replicate") +
           "}\n"
           "inputs:\n  u: {tensor: activation, layout: from}\n"
           "operations:\n  - " +
           collective +
           ": {reads: {u: from}, writes: {x: to}}\n"
           "  - compute: {name: next, class: opaque, reads: {x: to}}\n";
}

using wanted = std::tuple<const char*, const char*, const char*>; // platform, fidelity, collective

class grid : public ::testing::TestWithParam<wanted> {};

// Data are equal, also with little staging and ports that stall.
TEST_P(grid, data_is_equal) {
    const auto [platform, fidelity, collective] = GetParam();
    const std::string text = program("4x4", collective, std::string(collective) != "all_gather");
    for (double stall : {0.0, 0.1}) {
        for (const char* staging : {"262144", "16384"}) {
            SCOPED_TRACE(std::string(staging) + (stall > 0 ? " stalls" : ""));
            chimera::die::machine_options options;
            options.data = true;
            options.seed = 11;
            options.stall_probability = stall;
            machine_run run(platform, text, 8, 65536, options,
                            {{"ports_per_die", "4"},
                             {"fidelity", fidelity},
                             {"staging_bytes", staging},
                             {"reduce_scatter_schedule", "grid"},
                             {"all_gather_schedule", "grid"}});
            ASSERT_EQ(run.result.status, chm_ok) << run.result.text;
            EXPECT_TRUE(run.equal()) << run.machine->first_difference();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    all, grid,
    ::testing::Combine(::testing::Values("torus_4x4", "mesh_5x5"), ::testing::Values("at", "lt"),
                       ::testing::Values("all_gather", "reduce_scatter", "all_reduce")),
    [](const auto& test) {
        return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param) + "_" +
               std::get<2>(test.param);
    });

// Of an all-gather of M bytes every die takes 15/16 M, 7 flits per 256 bytes, by 4 ports: 1 MiB
// need 28672 * 15/16 / 4 = 6720 cycles, and one hop after the other some latency.
TEST(grid_time, an_all_gather_over_a_torus_is_within_a_tenth_of_what_its_ports_need) {
    for (const char* fidelity : {"at", "lt"}) {
        machine_run run("torus_4x4", program("4x4", "all_gather", false), 8, 1 << 20, {},
                        {{"ports_per_die", "4"}, {"fidelity", fidelity}});
        ASSERT_EQ(run.result.status, chm_ok) << run.result.text;
        EXPECT_GE(run.statistics.cycles, 6720u) << fidelity;
        EXPECT_LE(run.statistics.cycles, 6720u * 11 / 10) << fidelity;
    }
}

} // namespace
