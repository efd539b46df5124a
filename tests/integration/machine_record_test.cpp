// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/fabric_run.h"
#include "tests/support/machine_run.h"
#include "tests/support/random_run.h"

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
// Real blocks: computes between collectives, values read elsewhere, and moved operations.
const char* const blocks[] = {"sp_ep_sp",    "lora",
                              "block_tp_sp", "block_tp_sp_backward",
                              "block_tp_ep", "block_tp_ep_backward"};

// The replay takes as long as the run, and every message arrives when it did.
void expect_same_replay(chimera::die::machine& machine, const chm_topology& topology,
                        const chm_parameters& parameters,
                        const chimera::die::machine_options& options) {
    const chm_graph* graph = machine.recorded();
    ASSERT_NE(graph, nullptr);
    chimera::fabric::fabric_params params;
    params.seed = options.seed;
    params.stall_probability = options.stall_probability;
    params.take(parameters.fabric);
    chimera::test::fabric_run replay(topology, params, *graph);
    const auto replayed = replay.run();
    ASSERT_EQ(replayed.status, chm_ok) << replayed.text;
    for (uint32_t node = 0; node < graph->node_count; ++node) {
        ASSERT_EQ(replay.player().done_at(node), machine.recorded_end(node))
            << "node " << node << " of " << graph->node_count << ", die " << graph->nodes[node].die;
    }
    const auto again = replay.player().result();
    const auto ran = machine.statistics();
    EXPECT_EQ(again.cycles, ran.cycles);
    EXPECT_EQ(again.packet_hops, ran.packet_hops);
    EXPECT_EQ(again.payload_bytes, ran.bytes_moved + ran.metadata_bytes);
}

class recorded : public ::testing::TestWithParam<std::tuple<const char*, const char*, uint64_t>> {};

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
        expect_same_replay(*run.machine, run.driven.platform->topology,
                           run.driven.platform->parameters, options);
    }
}

std::string name_of(const ::testing::TestParamInfo<recorded::ParamType>& test) {
    return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param) + "_window_" +
           std::to_string(std::get<2>(test.param));
}

INSTANTIATE_TEST_SUITE_P(all, recorded,
                         ::testing::Combine(::testing::ValuesIn(platforms),
                                            ::testing::ValuesIn(programs), ::testing::Values(1, 8)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(blocks, recorded,
                         ::testing::Combine(::testing::ValuesIn(platforms),
                                            ::testing::ValuesIn(blocks), ::testing::Values(1, 8)),
                         name_of);

// Programs with computes, waits, operations in runs and values read elsewhere, with staging of a
// few hundred bytes up, one to four DMA channels, slow memory, and no or some set-up time.
class recorded_random : public ::testing::TestWithParam<uint64_t> {};

TEST_P(recorded_random, replays_to_the_cycle) {
    uint64_t messages = 0;
    for (uint64_t seed = GetParam(); seed < GetParam() + 20; ++seed) {
        SCOPED_TRACE(seed);
        chimera::die::machine_options options;
        options.record = true;
        options.data = true;
        options.seed = seed;
        options.stall_probability = seed % 5 == 0 ? 0.1 : 0;
        const chimera::test::random_run run(seed, options);
        ASSERT_EQ(run.result.status, chm_ok) << run.result.text;
        expect_same_replay(*run.machine, run.topology, run.parameters, options);
        messages += run.machine->statistics().bytes_moved != 0;
    }
    EXPECT_GT(messages, 0u);
}

INSTANTIATE_TEST_SUITE_P(seeds, recorded_random, ::testing::Range<uint64_t>(0, 200, 20));

class recorded_variant : public ::testing::TestWithParam<const char*> {};

TEST_P(recorded_variant, replays_to_the_cycle) {
    for (uint64_t window : {1, 8}) {
        chimera::die::machine_options options;
        options.record = true;
        machine_run run("mesh_8x8", std::string("variants/") + GetParam(), window, 4096, options);
        ASSERT_EQ(run.result.status, chm_ok) << run.result.text;
        expect_same_replay(*run.machine, run.driven.platform->topology,
                           run.driven.platform->parameters, options);
    }
}

INSTANTIATE_TEST_SUITE_P(some, recorded_variant,
                         ::testing::Values("buffer_depends", "gate_weights_absent",
                                           "needed_on_one_die", "other_reader", "parallel_pairs",
                                           "repeated", "shared_die"));

} // namespace
