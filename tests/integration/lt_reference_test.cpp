// SPDX-License-Identifier: Apache-2.0
// The loosely timed fabric beside the approximately timed one: the limits that are promised, and
// the table that reports quote (hw/golden/network/lt_error.h), which must not promise less than is
// measured. `make lt-accuracy` prints the rows.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/lt_errors.h"

using namespace chimera::bench;

namespace {

const std::string folder = CHM_SOURCE_DIR "/tests/reference/";
constexpr uint64_t seeds = 4;

std::vector<difference> measured(const std::vector<reference_row>& rows) {
    return differences(measure(rows, seeds), measure(rows, seeds, loosely_timed()));
}

void expect_as_reported(chm_lt_traffic traffic, const std::vector<difference>& rows) {
    const chm_lt_error& reported = *chm_lt_error_of(traffic);
    const spread all = spread_of(rows);
    ASSERT_FALSE(rows.empty());
    EXPECT_LE(all.median_percent, reported.median_percent) << reported.name;
    EXPECT_LE(all.worst_percent, reported.worst_percent) << reported.name;
    EXPECT_LE(all.one_seed_percent, reported.one_seed_percent) << reported.name;
    for (const difference& row : rows) {
        EXPECT_LE(std::fabs(row.mean_percent), reported.worst_percent) << row.label;
    }
}

} // namespace

TEST(lt_reference, one_message_at_a_time_is_exact) {
    const auto rows = idle_differences(folder);
    expect_as_reported(chm_lt_idle, rows);
    EXPECT_EQ(spread_of(rows).worst_percent, 0.0);
}

// Of random routes the mean over seeds.
TEST(lt_reference, every_transition_is_within_five_percent) {
    const auto rows = measured(reference_transitions(folder));
    ASSERT_EQ(rows.size(), 192u);
    expect_as_reported(chm_lt_transitions, rows);
    for (const difference& row : rows) {
        EXPECT_LE(std::fabs(row.mean_percent), 5.0) << row.label;
    }
}

TEST(lt_reference, message_sets_are_within_ten_percent_at_the_median_and_35_at_worst) {
    const std::vector<reference_row> sets = reference_sets(folder);
    const auto rows = measured(sets);
    ASSERT_EQ(rows.size(), 13u);
    EXPECT_LE(spread_of(rows).median_percent, 10.0);
    EXPECT_LE(spread_of(rows).worst_percent, 35.0);
    std::vector<difference> free, blocked;
    for (size_t i = 0; i < rows.size(); ++i) {
        (is_blocked(sets[i]) ? blocked : free).push_back(rows[i]);
    }
    expect_as_reported(chm_lt_messages, free);
    expect_as_reported(chm_lt_blocked, blocked);
}

TEST(lt_reference, loads_are_as_reported) {
    const load_differences loads = measure_loads(folder);
    expect_as_reported(chm_lt_load, loads.below);
    expect_as_reported(chm_lt_saturated, loads.beyond);
}
