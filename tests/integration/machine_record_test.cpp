// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/fabric_run.h"
#include "tests/support/machine_run.h"

using chimera::test::machine_run;
using chimera::test::settings;

namespace {

struct setting {
    const char* name;
    settings set;
    double stall = 0;
    uint64_t seed = 1;
    bool data = false;
};

const setting cases[] = {
    {"default", {}},
    {"reference_costs", {{"costs", "reference"}}},
    {"stalls", {}, 0.1},
    {"another_seed", {}, 0, 77},
    {"data", {}, 0, 3, true},
    {"trains_off", {{"trains", "off"}}},
    {"one_fifo", {{"dma_per_destination", "off"}}},
    {"one_channel_slow_memory",
     {{"dma_channels", "1"},
      {"memory_bandwidth_bytes_per_cycle", "40"},
      {"memory_latency_cycles", "33"}}},
    {"window_oldest_first", {{"window_round_trips", "1"}, {"arbitration", "oldest_first"}}},
    {"gating_on_compute_small_staging", {{"gating_on_compute", "on"}, {"staging_bytes", "16384"}}},
};

const char* const platforms[] = {"mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"};
const char* const programs[] = {"tp_sp", "tp_pp", "tp_ep", "pp_ep", "sp_pp", "sp_ep", "sp_pp_full"};

class recorded : public ::testing::TestWithParam<std::tuple<const char*, const char*, uint64_t>> {};

// What a program's machine does on a platform, replayed there, takes exactly as long. Each message
// waits, so the graph has dependencies, and no replay could be faster or slower by chance: every
// cycle at which anything is issued follows from an arrival.
TEST_P(recorded, replays_to_the_cycle) {
    const auto [platform, program, window] = GetParam();
    for (const setting& each : cases) {
        SCOPED_TRACE(each.name);
        chimera::die::machine_options options;
        options.record = true;
        options.seed = each.seed;
        options.stall_probability = each.stall;
        options.data = each.data;
        machine_run run(platform, program, window, 32768, options, each.set);
        ASSERT_EQ(run.result.status, chm_ok) << run.result.text;
        const chm_graph* graph = run.machine->recorded();
        ASSERT_NE(graph, nullptr);
        chimera::fabric::fabric_params params;
        params.seed = each.seed;
        params.stall_probability = each.stall;
        params.take(run.driven.platform->parameters.fabric);
        chimera::test::fabric_run replay(run.driven.platform->topology, params, *graph);
        const auto replayed = replay.run();
        ASSERT_EQ(replayed.status, chm_ok) << replayed.text;
        for (uint32_t node = 0; node < graph->node_count; ++node) {
            ASSERT_EQ(replay.player().done_at(node), run.machine->recorded_end(node))
                << "node " << node << " kind " << graph->nodes[node].kind << " die "
                << graph->nodes[node].die << " of " << graph->node_count;
        }
        const auto again = replay.player().result();
        EXPECT_EQ(again.cycles, run.statistics.cycles);
        EXPECT_EQ(again.packet_hops, run.statistics.packet_hops);
        EXPECT_EQ(again.payload_bytes, run.statistics.bytes_moved + run.statistics.metadata_bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(all, recorded,
                         ::testing::Combine(::testing::ValuesIn(platforms),
                                            ::testing::ValuesIn(programs), ::testing::Values(1, 8)),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) + "_" +
                                    std::get<1>(test.param) + "_window_" +
                                    std::to_string(std::get<2>(test.param));
                         });

} // namespace
