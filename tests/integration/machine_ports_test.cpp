// SPDX-License-Identifier: Apache-2.0
// Programs on dies with several ports.
#include <algorithm>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "hw/golden/explain/explain.h"
#include "tests/support/fabric_run.h"
#include "tests/support/machine_run.h"

using chimera::test::machine_run;
using chimera::test::settings;

namespace {

const char* const programs[] = {"tp_sp",      "tp_pp", "tp_ep",    "pp_ep", "sp_pp",
                                "sp_pp_full", "sp_ep", "sp_ep_sp", "lora"};

chimera::die::machine_options options(bool record) {
    chimera::die::machine_options made;
    made.data = true;
    made.seed = 7;
    made.record = record;
    return made;
}

// The largest lower bound of the program's runs.
uint64_t bound_of(const machine_run& run) {
    chm_arena arena;
    chm_arena_init(&arena);
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_explanation explanation = {};
    const chm_parameters& parameters = run.driven.platform->parameters;
    const chm_costs costs = chm_costs_from(&parameters);
    const chm_plan_options plan = chm_plan_options_from(&parameters, &costs);
    EXPECT_EQ(chm_explain(&run.driven.workload, &run.driven.platform->topology, &plan, &arena,
                          &explanation, &diagnostics),
              chm_ok);
    uint64_t bound = 0;
    for (uint32_t i = 0; i < explanation.run_count; ++i) {
        if (explanation.runs[i].transfers) {
            bound = std::max(bound, explanation.runs[i].bound.lower_bound_cycles);
        }
    }
    chm_diagnostics_free(&diagnostics);
    chm_arena_free(&arena);
    return bound;
}

class on_ports
    : public ::testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

// Data are those of the collectives one by one, no run is faster than its bound, and both
// fidelities decide and move the same.
TEST_P(on_ports, data_is_equal_and_bounds_hold) {
    const auto [platform, program, ports] = GetParam();
    uint64_t moved[2] = {};
    for (const char* fidelity : {"at", "lt"}) {
        for (uint64_t window : {1, 8}) {
            SCOPED_TRACE(std::string(fidelity) + " window " + std::to_string(window));
            machine_run run(platform, program, window, 65536, options(false),
                            {{"ports_per_die", ports}, {"fidelity", fidelity}});
            ASSERT_EQ(run.result.status, chm_ok) << run.result.text;
            EXPECT_TRUE(run.equal()) << run.machine->first_difference();
            EXPECT_TRUE(run.machine->finished());
            EXPECT_GE(run.statistics.cycles, bound_of(run));
            uint64_t& bytes = moved[window == 8];
            EXPECT_TRUE(bytes == 0 || bytes == run.statistics.bytes_moved);
            bytes = run.statistics.bytes_moved;
        }
    }
}

// A recording knows the ports: every message of its replay arrives when it did.
TEST_P(on_ports, a_recorded_run_replays_to_the_cycle) {
    const auto [platform, program, ports] = GetParam();
    for (uint64_t window : {1, 8}) {
        machine_run run(platform, program, window, 32768, options(true),
                        {{"ports_per_die", ports}});
        ASSERT_EQ(run.result.status, chm_ok) << run.result.text;
        const chm_graph* graph = run.machine->recorded();
        ASSERT_NE(graph, nullptr);
        chimera::fabric::fabric_params params;
        params.seed = 7;
        params.take(run.driven.platform->parameters.fabric);
        chimera::test::fabric_run replay(run.driven.platform->topology, params, *graph);
        const auto replayed = replay.run();
        ASSERT_EQ(replayed.status, chm_ok) << replayed.text;
        for (uint32_t node = 0; node < graph->node_count; ++node) {
            ASSERT_EQ(replay.player().done_at(node), run.machine->recorded_end(node)) << node;
        }
        EXPECT_EQ(replay.player().result().cycles, run.statistics.cycles);
    }
}

std::string name_of(const ::testing::TestParamInfo<on_ports::ParamType>& test) {
    return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param) + "_" +
           std::get<2>(test.param);
}

INSTANTIATE_TEST_SUITE_P(mesh, on_ports,
                         ::testing::Combine(::testing::Values("mesh_5x5"),
                                            ::testing::ValuesIn(programs),
                                            ::testing::Values("2", "3", "4")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(torus, on_ports,
                         ::testing::Combine(::testing::Values("torus_4x4"),
                                            ::testing::ValuesIn(programs),
                                            ::testing::Values("2", "4")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(cube, on_ports,
                         ::testing::Combine(::testing::Values("torus_2x2x2"),
                                            ::testing::ValuesIn(programs),
                                            ::testing::Values("3", "6")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(tree, on_ports,
                         ::testing::Combine(::testing::Values("fat_tree_2x8"),
                                            ::testing::ValuesIn(programs),
                                            ::testing::Values("2", "8")),
                         name_of);

// Four dies of a column exchange all with all: each has two links of its own, so with a port for
// each an all-to-all of rows needs about half as long.
TEST(ports_of_machine, dispatches_to_two_neighbours_go_at_the_same_time) {
    uint64_t cycles[2];
    for (int many : {0, 1}) {
        machine_run run("mesh_5x5", "sp_ep", 8, 1 << 20, options(false),
                        {{"ports_per_die", many ? "4" : "1"}});
        ASSERT_EQ(run.result.status, chm_ok) << run.result.text;
        cycles[many] = run.statistics.cycles;
    }
    EXPECT_LT(cycles[1] * 10, cycles[0] * 8);
}

// What one port may not change: every channel of a die that has one is that one's.
TEST(ports_of_machine, a_seventh_channel_is_not_needed_where_ports_have_their_own) {
    settings few = {{"ports_per_die", "4"}, {"dma_channels", "1"}};
    machine_run one("mesh_5x5", "sp_ep", 8, 1 << 18, options(false), few);
    settings more = {{"ports_per_die", "1"}, {"dma_channels", "1"}};
    machine_run alone("mesh_5x5", "sp_ep", 8, 1 << 18, options(false), more);
    ASSERT_EQ(one.result.status, chm_ok) << one.result.text;
    ASSERT_EQ(alone.result.status, chm_ok) << alone.result.text;
    EXPECT_LT(one.statistics.cycles, alone.statistics.cycles);
}

} // namespace
