// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/reference.h"
#include "hw/fabric/fabric_params.h"

namespace chimera::bench {

// A row of the reference beside replays of its graph.
struct accuracy {
    reference_row row;
    std::vector<uint64_t> cycles; // a seed each; one where nothing is random

    double mean_cycles() const;
    double error_percent() const; // of the mean: 100 * (mean - reference) / reference
    double lowest_percent() const, highest_percent() const; // of one seed
};

// Replays each row: with seeds 0 .. seeds-1 on platforms with random ties, else once. Throws
// std::runtime_error if a replay fails.
std::vector<accuracy> measure(const std::vector<reference_row>& rows, uint64_t seeds,
                              const fabric::fabric_params& params = {});

double median_percent(const std::vector<accuracy>& rows); // of the errors' magnitudes
double worst_percent(const std::vector<accuracy>& rows);
std::string summary(const std::vector<accuracy>& rows); // a line: how many exact, median, worst

} // namespace chimera::bench
