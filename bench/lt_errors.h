// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/accuracy_table.h"
#include "hw/golden/network/lt_error.h"

// The loosely timed fabric beside the approximately timed one.

namespace chimera::bench {

fabric::fabric_params loosely_timed(); // default parameters

// Of one thing measured in both: 100 * (LT - AT) / AT.
struct difference {
    std::string label;
    double mean_percent = 0;     // of the means over seeds
    double one_seed_percent = 0; // of the seed where it is largest in magnitude
};

// Rows measured by both, in the same order.
std::vector<difference> differences(const std::vector<accuracy>& at,
                                    const std::vector<accuracy>& lt);

// Of the magnitudes; all 0 if there are none.
struct spread {
    double median_percent = 0, worst_percent = 0; // of mean_percent
    double one_seed_percent = 0;                  // worst
};

spread spread_of(const std::vector<difference>& rows);

// Whether what a message set takes is decided by head-of-line blocking.
bool is_blocked(const reference_row& row);

// `folder` is that of the reference.

// Messages of different sizes over the platforms of the reference, each alone.
std::vector<difference> idle_differences(const std::string& folder);

// Open-loop traffic of every pattern at several rates over those platforms, with the larger one of
// the differences in accepted rate and in mean latency, by whether loosely timed it is saturated.
struct load_differences {
    std::vector<difference> below, beyond;
};
load_differences measure_loads(const std::string& folder);

} // namespace chimera::bench
