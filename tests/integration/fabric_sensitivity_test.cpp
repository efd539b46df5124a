// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "hw/fabric/replay.h"
#include "platforms/platform.h"
#include "tests/support/message_graph.h"

using chimera::fabric::replay_result;
using chimera::test::message_graph;

namespace {

using settings = std::vector<chm_setting>;

struct measured {
    uint64_t cycles = 0, time_ps = 0, activations = 0;
    double latency = 0; // mean of messages
};

// Replays a graph on a shipped platform with settings.
measured replay(const std::string& name, settings set, const chm_graph& graph, uint64_t seed = 1,
                const std::vector<chm_failure>& failures = {}) {
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_platform_description* platform = nullptr;
    const std::string path = CHM_SOURCE_DIR "/platforms/" + name + ".yaml";
    EXPECT_EQ(chm_platform_read(path.c_str(), set.data(), static_cast<uint32_t>(set.size()),
                                &platform, &diagnostics),
              chm_ok)
        << chm_diagnostics_text(&diagnostics);
    chm_diagnostics_free(&diagnostics);
    measured result;
    if (platform == nullptr) {
        return result;
    }
    chimera::fabric::fabric_params params;
    params.seed = seed;
    params.take(platform->parameters.fabric);
    params.failures = failures;
    const replay_result run = chimera::fabric::run_replay(platform->topology, params, graph);
    EXPECT_EQ(run.status, chm_ok) << run.text;
    result.cycles = run.cycles;
    result.time_ps =
        chm_clock_cycles_to_ps(run.cycles, chm_clock_khz(platform->topology.clock_ghz));
    result.activations = run.activations;
    result.latency = run.latency_mean;
    chm_platform_free(platform);
    return result;
}

enum class effect { faster, slower, none, other, fewer_events };
enum class workload { all_to_all, one_message };

// What changing a key from one value to another does, and for what traffic.
struct direction {
    const char* from;
    const char* to;
    effect does;
    workload traffic = workload::all_to_all;
    settings with = {};
    std::vector<chm_failure> failures = {};
};

const chm_setting loosely = {"fidelity", "lt"};
const std::vector<chm_failure> breaking = {{chm_failure_link, 6, 7, 200}};
const settings losing = {{"drop_probability", "0.05"}};

// All keys of the fabric's block. One that is not here fails the test.
const std::multimap<std::string, direction> directions = {
    {"clock_ghz", {"1", "1.7", effect::faster}},
    {"flit_bytes", {"50", "25", effect::slower}},
    {"flit_bytes", {"50", "100", effect::faster}},
    // 256 bytes are 1 + 6 flits, four times 64 bytes 4 x (1 + 2).
    {"mtu_bytes", {"256", "64", effect::slower}},
    {"link_latency_cycles", {"100", "150", effect::slower}},
    {"link_latency_cycles", {"100", "101", effect::slower, workload::one_message}},
    // A link that takes 3 cycles for a flit carries a third; one on the way decides.
    {"link_cycles_per_flit", {"1", "3", effect::slower}},
    {"link_cycles_per_flit", {"1", "2", effect::slower, workload::one_message}},
    {"ports_per_die", {"1", "4", effect::faster}},
    {"ports_per_die", {"1", "2", effect::faster}},
    {"ports_per_die", {"1", "4", effect::none, workload::one_message}},
    // One channel: what waits for one output stands in front of what goes to another.
    {"vcs", {"4", "1", effect::slower}},
    {"vcs", {"4", "1", effect::slower, workload::one_message}},
    // A round trip of 100 + 100 cycles and more needs over 200 flits in 4 channels.
    {"vc_depth_flits", {"318", "20", effect::slower, workload::one_message}},
    {"vc_depth_flits", {"318", "20", effect::slower}},
    {"vc_depth_flits", {"318", "636", effect::none, workload::one_message}},
    {"arbitration", {"round_robin", "oldest_first", effect::other}},
    {"arbitration", {"round_robin", "oldest_first", effect::none, workload::one_message}},
    // Half of what fills the way there and back is half the rate; ten times limit nothing here.
    {"window_round_trips", {"0", "0.5", effect::slower, workload::one_message}},
    {"window_round_trips", {"0", "10", effect::none, workload::one_message}},
    {"trains", {"on", "off", effect::none}},
    {"trains", {"on", "off", effect::none, workload::one_message}},
    {"watchdog_cycles", {"1000000", "100000", effect::none}},
    // Loosely timed there is no head-of-line blocking, and nothing to tell apart on idle links.
    {"fidelity", {"at", "lt", effect::other}},
    {"fidelity", {"at", "lt", effect::none, workload::one_message}},
    {"lt_in_order", {"on", "off", effect::other, workload::all_to_all, {loosely}}},
    {"lt_in_order", {"on", "off", effect::none, workload::one_message, {loosely}}},
    {"lt_horizon_cycles", {"200", "0", effect::none, workload::one_message, {loosely}}},
    // In the order of heads it does not matter how early calls are made; in that of calls it does.
    {"lt_horizon_cycles", {"200", "2000", effect::none, workload::all_to_all, {loosely}}},
    {"lt_horizon_cycles",
     {"200", "2000", effect::other, workload::all_to_all, {loosely, {"lt_in_order", "off"}}}},
    {"lt_chunk_bytes", {"256", "2048", effect::fewer_events, workload::all_to_all, {loosely}}},
    {"lt_chunk_bytes", {"1024", "2048", effect::none, workload::one_message, {loosely}}},
    {"lt_chunk_share", {"1024", "4", effect::fewer_events, workload::one_message, {loosely}}},
    {"lt_chunk_share", {"1024", "4", effect::none, workload::one_message, {loosely}}},
    {"drop_probability", {"0", "0.01", effect::slower}},
    {"drop_probability", {"0.01", "0.1", effect::slower, workload::one_message}},
    {"corrupt_probability", {"0", "0.01", effect::slower}},
    {"corrupt_probability", {"0.01", "0.1", effect::slower, workload::one_message}},
    {"retry_timeout_cycles", {"200", "2000", effect::slower, workload::all_to_all, losing}},
    {"retry_timeout_cycles", {"200", "2000", effect::none}},
    {"crc_cycles", {"1", "50", effect::slower, workload::all_to_all, losing}},
    {"crc_cycles", {"1", "50", effect::none}},
    {"reroute_cycles", {"1000", "2000", effect::slower, workload::all_to_all, {}, breaking}},
    {"reroute_cycles", {"1000", "2000", effect::none}},
};

void check(const std::string& key, const direction& change, const char* clock) {
    message_graph graph;
    if (change.traffic == workload::all_to_all) {
        graph = message_graph::all_to_all(25, 2048);
    } else {
        graph.send(0, 24, 100000);
    }
    settings before = change.with, after = change.with;
    for (settings* each : {&before, &after}) {
        each->push_back({"clock_ghz", clock});
    }
    before.push_back({key.c_str(), change.from});
    after.push_back({key.c_str(), change.to});
    const measured a = replay("mesh_5x5", before, graph.get(), 1, change.failures);
    const measured b = replay("mesh_5x5", after, graph.get(), 1, change.failures);
    switch (change.does) {
    case effect::faster: EXPECT_LT(b.time_ps, a.time_ps); break;
    case effect::slower: EXPECT_GT(b.time_ps, a.time_ps); break;
    case effect::none:
        EXPECT_EQ(b.time_ps, a.time_ps);
        EXPECT_EQ(b.latency, a.latency);
        break;
    case effect::other: EXPECT_NE(b.latency, a.latency); break;
    case effect::fewer_events: EXPECT_LT(b.activations, a.activations); break;
    }
}

const chm_key_table& fabric_table() {
    for (uint32_t i = 0; i < chm_parameter_table_count; ++i) {
        if (std::string(chm_parameter_tables[i].block) == "fabric") {
            return chm_parameter_tables[i];
        }
    }
    return chm_parameter_tables[0];
}

std::vector<std::string> keys() {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < fabric_table().count; ++i) {
        names.push_back(fabric_table().keys[i].name);
    }
    return names;
}

class fabric_key : public ::testing::TestWithParam<std::string> {};

TEST_P(fabric_key, moves_the_result_the_stated_way) {
    const auto [first, last] = directions.equal_range(GetParam());
    ASSERT_NE(first, last) << "no direction is stated for this key";
    bool matters = false;
    for (auto each = first; each != last; ++each) {
        const direction& change = each->second;
        matters = matters || change.does != effect::none;
        for (const char* clock : {"1", "0.7"}) {
            if (GetParam() == "clock_ghz" && std::string(clock) != "1") {
                continue; // it is the clock that changes
            }
            SCOPED_TRACE(std::string(change.from) + " to " + change.to + " at " + clock + " GHz");
            check(GetParam(), change, clock);
        }
    }
    const bool must_not = GetParam() == "trains" || GetParam() == "watchdog_cycles";
    EXPECT_NE(matters, must_not);
}

INSTANTIATE_TEST_SUITE_P(all, fabric_key, ::testing::ValuesIn(keys()),
                         [](const auto& test) { return test.param; });

TEST(fabric_sensitivity, no_direction_is_stated_for_keys_that_are_gone) {
    const std::vector<std::string> names = keys();
    for (const auto& [key, change] : directions) {
        EXPECT_NE(std::find(names.begin(), names.end(), key), names.end()) << key;
    }
}

// The seed is of random routes: a mesh has none, a torus with even sides has ties.
TEST(fabric_sensitivity, a_seed_matters_where_routes_are_random_only) {
    for (const char* fidelity : {"at", "lt"}) {
        for (const char* clock : {"1", "0.7"}) {
            const settings set = {{"fidelity", fidelity}, {"clock_ghz", clock}};
            const message_graph mesh = message_graph::all_to_all(25, 2048);
            const message_graph torus = message_graph::all_to_all(16, 4096);
            EXPECT_EQ(replay("mesh_5x5", set, message_graph(mesh).get(), 1).cycles,
                      replay("mesh_5x5", set, message_graph(mesh).get(), 2).cycles);
            EXPECT_NE(replay("torus_4x4", set, message_graph(torus).get(), 1).cycles,
                      replay("torus_4x4", set, message_graph(torus).get(), 2).cycles);
        }
    }
}

} // namespace
