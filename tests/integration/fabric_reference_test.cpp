// SPDX-License-Identifier: Apache-2.0
// Replays of the reference graphs (tests/reference/README.md) beside the cycle counts of the flit
// level simulator. `make accuracy` prints every row.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "bench/accuracy_table.h"

using namespace chimera::bench;

namespace {

const std::string folder = CHM_SOURCE_DIR "/tests/reference/";

std::string label(const accuracy& item) {
    return item.row.name + " " + item.row.platform + " " + std::to_string(item.row.message_bytes) +
           ": " + std::to_string(item.mean_cycles()) + " for " + std::to_string(item.row.cycles);
}

// Where nothing contends inside the network the paper's formulas give the cycles exactly: all of
// tp_ep and sp_ep, tp_sp except unfused on the fat tree, and of pp_ep and sp_pp both fat-tree rows
// and the unfused one of torus_2x2x2.
bool is_uncontended(const reference_row& row) {
    const std::string transition = row.name.substr(0, 5);
    const bool unfused = row.name.substr(6) == "unfused";
    if (transition == "tp_ep" || transition == "sp_ep") {
        return true;
    }
    if (transition == "tp_sp") {
        return !(unfused && row.platform == "fat_tree_2x8");
    }
    return (transition == "pp_ep" || transition == "sp_pp") &&
           (row.platform == "fat_tree_2x8" || (unfused && row.platform == "torus_2x2x2"));
}

} // namespace

TEST(fabric_reference, uncontended_transitions_are_exact_at_every_size) {
    std::vector<reference_row> rows;
    for (const reference_row& row : reference_transitions(folder)) {
        if (is_uncontended(row)) {
            rows.push_back(row);
        }
    }
    ASSERT_EQ(rows.size(), 4 * 29u);
    for (const accuracy& item : measure(rows, 2)) {
        for (uint64_t cycles : item.cycles) {
            EXPECT_EQ(cycles, item.row.cycles) << label(item);
        }
    }
}

// The reference is one draw of the random ties of torus_4x4; draws differ by 1 to 2 %.
TEST(fabric_reference, every_transition_is_within_two_percent) {
    const auto rows = measure(reference_transitions(folder), 4);
    ASSERT_EQ(rows.size(), 192u);
    for (const accuracy& item : rows) {
        const double limit = item.row.platform == "torus_4x4" ? 3.5 : 2.0;
        EXPECT_LE(std::fabs(item.error_percent()), limit) << label(item);
    }
}

TEST(fabric_reference, message_sets_are_within_five_percent_whatever_the_seed) {
    const auto rows = measure(reference_sets(folder), 5);
    ASSERT_EQ(rows.size(), 13u);
    EXPECT_LE(median_percent(rows), 1.0);
    for (const accuracy& item : rows) {
        EXPECT_LE(std::fabs(item.lowest_percent()), 5.0) << label(item);
        EXPECT_LE(std::fabs(item.highest_percent()), 5.0) << label(item);
    }
}
