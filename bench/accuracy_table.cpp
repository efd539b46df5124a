// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <stdexcept>

#include "hw/fabric/replay.h"

namespace chimera::bench {

namespace {

double percent(double cycles, const reference_row& row) {
    const auto reference = static_cast<double>(row.cycles);
    return 100 * (cycles - reference) / reference;
}

std::vector<double> magnitudes(const std::vector<accuracy>& rows) {
    std::vector<double> errors;
    for (const accuracy& item : rows) {
        errors.push_back(std::fabs(item.error_percent()));
    }
    std::sort(errors.begin(), errors.end());
    return errors;
}

} // namespace

double accuracy::mean_cycles() const {
    return std::accumulate(cycles.begin(), cycles.end(), 0.0) / static_cast<double>(cycles.size());
}

double accuracy::error_percent() const {
    return percent(mean_cycles(), row);
}

double accuracy::lowest_percent() const {
    return percent(static_cast<double>(*std::min_element(cycles.begin(), cycles.end())), row);
}

double accuracy::highest_percent() const {
    return percent(static_cast<double>(*std::max_element(cycles.begin(), cycles.end())), row);
}

std::vector<accuracy> measure(const std::vector<reference_row>& rows, uint64_t seeds,
                              const fabric::fabric_params& params) {
    std::vector<accuracy> result;
    for (const reference_row& row : rows) {
        const reference_case input(row);
        result.push_back({row, {}});
        for (uint64_t seed = 0; seed < (has_random_ties(row) ? seeds : 1); ++seed) {
            fabric::fabric_params seeded = params;
            seeded.seed = seed;
            const auto run = fabric::run_replay(input.topology(), seeded, input.graph());
            if (run.status != chm_ok) {
                throw std::runtime_error(row.name + " on " + row.platform + ": " + run.text);
            }
            result.back().cycles.push_back(run.cycles);
        }
    }
    return result;
}

double median_percent(const std::vector<accuracy>& rows) {
    const std::vector<double> errors = magnitudes(rows);
    return (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
}

double worst_percent(const std::vector<accuracy>& rows) {
    return magnitudes(rows).back();
}

std::string summary(const std::vector<accuracy>& rows) {
    const std::vector<double> errors = magnitudes(rows);
    const auto exact = std::upper_bound(errors.begin(), errors.end(), 0.0) - errors.begin();
    char text[160];
    std::snprintf(text, sizeof text,
                  "%zu rows: %td exact, median of errors %.2f %%, worst %.2f %%.", rows.size(),
                  exact, median_percent(rows), worst_percent(rows));
    return text;
}

} // namespace chimera::bench
