// SPDX-License-Identifier: Apache-2.0
// Replays of the reference graphs (tests/reference/README.md) beside the cycle counts of the flit
// level simulator. Prints a table of all errors.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/fabric/replay.h"
#include "tests/support/built_topology.h"
#include "traces/graph.h"

using namespace chimera::fabric;
using chimera::test::built_topology;

namespace {

const std::string folder = CHM_SOURCE_DIR "/tests/reference/";

struct row {
    std::string label, platform, graph;
    uint64_t cycles = 0;
    bool uncontended = false;
};

std::vector<std::vector<std::string>> read_table(const std::string& path) {
    std::vector<std::vector<std::string>> rows;
    std::ifstream file(path);
    std::string line, field;
    std::getline(file, line); // titles
    while (std::getline(file, line)) {
        rows.emplace_back();
        std::istringstream fields(line);
        while (std::getline(fields, field, ',')) {
            rows.back().push_back(field);
        }
    }
    return rows;
}

// Where nothing contends inside the network the paper's formulas give the cycles exactly: all of
// tp_ep and sp_ep, tp_sp except unfused on the fat tree, and of pp_ep and sp_pp both fat-tree rows
// and the unfused one of torus_2x2x2.
bool is_uncontended(const std::string& transition, const std::string& variant,
                    const std::string& platform) {
    const bool unfused = variant == "unfused";
    if (transition == "tp_ep" || transition == "sp_ep") {
        return true;
    }
    if (transition == "tp_sp") {
        return !(unfused && platform == "fat_tree_2x8");
    }
    return (transition == "pp_ep" || transition == "sp_pp") &&
           (platform == "fat_tree_2x8" || (unfused && platform == "torus_2x2x2"));
}

std::vector<row> transitions() {
    std::vector<row> rows;
    for (const auto& fields : read_table(folder + "transitions.csv")) {
        if (fields.size() == 6) { // has a graph
            rows.push_back({fields[0] + " " + fields[1], fields[2], fields[5],
                            std::stoull(fields[4]),
                            is_uncontended(fields[0], fields[1], fields[2])});
        }
    }
    return rows;
}

std::vector<row> sets() {
    std::vector<row> rows;
    for (const auto& fields : read_table(folder + "messages.csv")) {
        rows.push_back({fields[0], fields[1], "messages/" + fields[0] + ".csv",
                        std::stoull(fields[4]), false});
    }
    return rows;
}

uint64_t replayed_cycles(const row& item, uint64_t seed) {
    built_topology built = built_topology::shipped(item.platform);
    chm_arena arena;
    chm_diagnostics diagnostics;
    chm_arena_init(&arena);
    chm_diagnostics_init(&diagnostics);
    chm_graph graph = {};
    uint64_t cycles = 0;
    if (chm_graph_read((folder + item.graph).c_str(), built->dies, &arena, &graph, nullptr,
                       &diagnostics) == chm_ok) {
        fabric_params params;
        params.seed = seed;
        replay_result result = run_replay(*built, params, graph);
        EXPECT_EQ(result.status, chm_ok) << item.graph << ": " << result.text;
        cycles = result.cycles;
    } else {
        ADD_FAILURE() << chm_diagnostics_text(&diagnostics);
    }
    chm_diagnostics_free(&diagnostics);
    chm_arena_free(&arena);
    return cycles;
}

double error_percent(const row& item, uint64_t cycles) {
    return 100 * (static_cast<double>(cycles) - static_cast<double>(item.cycles)) /
           static_cast<double>(item.cycles);
}

// Prints a line per row and returns the largest error.
double report(const std::vector<row>& rows) {
    double worst = 0;
    std::printf("%-26s %-14s %9s %9s %8s\n", "graph", "platform", "reference", "replayed", "error");
    for (const row& item : rows) {
        const uint64_t cycles = replayed_cycles(item, 0);
        const double error = error_percent(item, cycles);
        worst = std::max(worst, std::fabs(error));
        std::printf("%-26s %-14s %9llu %9llu %+7.2f%%\n", item.label.c_str(), item.platform.c_str(),
                    static_cast<unsigned long long>(item.cycles),
                    static_cast<unsigned long long>(cycles), error);
    }
    std::printf("largest error %.2f%%\n", worst);
    return worst;
}

} // namespace

TEST(fabric_reference, uncontended_transitions_are_exact_whatever_the_seed) {
    size_t count = 0;
    for (const row& item : transitions()) {
        if (item.uncontended) {
            EXPECT_EQ(replayed_cycles(item, 0), item.cycles) << item.graph;
            EXPECT_EQ(replayed_cycles(item, 7), item.cycles) << item.graph;
            ++count;
        }
    }
    EXPECT_EQ(count, 29u);
}

// The limits here are those of packet-atomic switching, a guard against getting worse.
TEST(fabric_reference, errors_of_all_transitions) {
    std::vector<row> rows = transitions();
    ASSERT_EQ(rows.size(), 48u);
    EXPECT_LT(report(rows), 2.0);
}

TEST(fabric_reference, errors_of_all_message_sets) {
    std::vector<row> rows = sets();
    ASSERT_EQ(rows.size(), 13u);
    EXPECT_LT(report(rows), 6.0);
}
