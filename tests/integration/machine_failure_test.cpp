// SPDX-License-Identifier: Apache-2.0
// Programs on platforms of which a link or a die fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/machine_run.h"

using chimera::test::machine_run;
using ::testing::HasSubstr;

namespace {

chimera::die::machine_options failing(std::vector<chm_failure> failures) {
    chimera::die::machine_options options;
    options.data = true;
    options.failures = std::move(failures);
    return options;
}

// The link that carried most.
chm_failure busiest_link(machine_run& run, uint64_t cycle) {
    const chm_topology& topology = run.driven.platform->topology;
    uint32_t most = 0;
    for (uint32_t id = 1; id < topology.link_count; ++id) {
        const auto& network = run.machine->network();
        most = network.link_busy_cycles(id) > network.link_busy_cycles(most) ? id : most;
    }
    return {chm_failure_link, topology.links[most].from_node, topology.links[most].to_node, cycle};
}

class failed_link : public ::testing::TestWithParam<const char*> {};

// The busiest link fails at several times of the run: the same results, later.
TEST_P(failed_link, is_gone_round) {
    uint64_t returned = 0;
    for (const char* platform : {"mesh_5x5", "torus_4x4"}) {
        machine_run calm(platform, GetParam(), 8, 65536, failing({}));
        ASSERT_EQ(calm.result.status, chm_ok) << calm.result.text;
        for (uint64_t part : {0, 1, 2, 3}) {
            const uint64_t cycle = calm.statistics.cycles * part / 4;
            SCOPED_TRACE(std::string(platform) + " at " + std::to_string(cycle));
            machine_run run(platform, GetParam(), 8, 65536, failing({busiest_link(calm, cycle)}));
            ASSERT_EQ(run.result.status, chm_ok) << run.result.text;
            EXPECT_TRUE(run.equal()) << run.machine->first_difference();
            EXPECT_EQ(run.machine->content_digest(), calm.machine->content_digest());
            // Late in the run nothing may be left to inject.
            EXPECT_GE(run.statistics.cycles, calm.statistics.cycles + (part == 0 ? 1000 : 0));
            EXPECT_TRUE(run.machine->network().idle());
            EXPECT_EQ(run.machine->network().packets().outstanding(), 0u);
            returned += run.statistics.returned_packets;
        }
    }
    EXPECT_GT(returned, 0u);
}

INSTANTIATE_TEST_SUITE_P(all, failed_link,
                         ::testing::Values("tp_sp", "tp_pp", "tp_ep", "pp_ep", "sp_pp",
                                           "sp_pp_full", "sp_ep"),
                         [](const auto& test) { return std::string(test.param); });

} // namespace

// Die 1 is in the first stage of the pipeline: what it was to send never comes.
TEST(failed_die, is_named_with_what_needs_it) {
    machine_run run("mesh_5x5", "pp_ep", 8, 65536, failing({{chm_failure_die, 1, 0, 500}}));
    EXPECT_EQ(run.result.status, chm_unreachable);
    EXPECT_THAT(run.result.text, HasSubstr("die_1_0 failed at cycle 500\n"));
    EXPECT_THAT(run.result.text, HasSubstr(") needs die_1_0, which failed at cycle 500\n"));
}

// One that takes no part only costs its links.
TEST(failed_die, matters_to_those_who_need_it_only) {
    machine_run run("mesh_5x5", "pp_ep", 8, 65536, failing({{chm_failure_die, 24, 0, 500}}));
    EXPECT_EQ(run.result.status, chm_ok) << run.result.text;
    EXPECT_TRUE(run.equal()) << run.machine->first_difference();
}
