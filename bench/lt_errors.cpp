// SPDX-License-Identifier: Apache-2.0
#include "bench/lt_errors.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>

#include "hw/fabric/load.h"
#include "hw/fabric/replay.h"

namespace chimera::bench {

namespace {

constexpr double rates[] = {0.1, 0.4, 0.7, 1}; // flits per die per cycle
constexpr uint64_t idle_bytes[] = {0, 256, 5000, 1000000};

double percent(double lt, double at) {
    return 100 * (lt - at) / at;
}

double larger(double a, double b) {
    return std::fabs(a) > std::fabs(b) ? a : b;
}

// Each platform of the transitions once, with some graph of it.
std::vector<reference_row> platforms(const std::string& folder) {
    std::vector<reference_row> rows = reference_transitions(folder);
    std::set<std::string> seen;
    rows.erase(std::remove_if(
                   rows.begin(), rows.end(),
                   [&seen](const reference_row& row) { return !seen.insert(row.platform).second; }),
               rows.end());
    return rows;
}

uint64_t alone(const chm_topology& topology, const chm_graph_node& message,
               const fabric::fabric_params& params) {
    const uint64_t first_after[] = {0, 0};
    const chm_graph graph = {&message, 1, first_after, nullptr};
    const fabric::replay_result run = fabric::run_replay(topology, params, graph);
    if (run.status != chm_ok) {
        throw std::runtime_error(run.text);
    }
    return run.cycles;
}

fabric::load_result offer(const chm_topology& topology, const fabric::fabric_params& params,
                          fabric::load_pattern pattern, double rate) {
    fabric::load_params load;
    load.pattern = pattern;
    load.rate = rate;
    load.warm_up_cycles = 2000;
    const fabric::load_result run = fabric::run_load(topology, params, load);
    if (run.status != chm_ok) {
        throw std::runtime_error(run.text);
    }
    return run;
}

} // namespace

fabric::fabric_params loosely_timed() {
    fabric::fabric_params params;
    params.fidelity = chm_fidelity_lt;
    return params;
}

std::vector<difference> differences(const std::vector<accuracy>& at,
                                    const std::vector<accuracy>& lt) {
    std::vector<difference> result;
    for (size_t i = 0; i < at.size(); ++i) {
        difference one = {at[i].row.name + " " + at[i].row.platform + " " +
                              std::to_string(at[i].row.message_bytes),
                          percent(lt[i].mean_cycles(), at[i].mean_cycles()), 0};
        for (size_t s = 0; s < at[i].cycles.size(); ++s) {
            one.one_seed_percent =
                larger(one.one_seed_percent, percent(static_cast<double>(lt[i].cycles[s]),
                                                     static_cast<double>(at[i].cycles[s])));
        }
        result.push_back(one);
    }
    return result;
}

spread spread_of(const std::vector<difference>& rows) {
    spread all;
    std::vector<double> errors;
    for (const difference& row : rows) {
        errors.push_back(std::fabs(row.mean_percent));
        all.one_seed_percent = std::max(all.one_seed_percent, std::fabs(row.one_seed_percent));
    }
    if (errors.empty()) {
        return all;
    }
    std::sort(errors.begin(), errors.end());
    all.median_percent = (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
    all.worst_percent = errors.back();
    return all;
}

bool is_blocked(const reference_row& row) {
    return row.name.rfind("tornado", 0) == 0;
}

std::vector<difference> idle_differences(const std::string& folder) {
    std::vector<difference> result;
    for (const reference_row& row : platforms(folder)) {
        const reference_case input(row);
        const chm_topology& topology = input.topology();
        for (uint32_t to = 0; to < topology.dies; ++to) {
            for (uint64_t bytes : idle_bytes) {
                const chm_graph_node message = {chm_graph_send, topology.dies / 2, to, bytes, 0};
                const double error =
                    percent(static_cast<double>(alone(topology, message, loosely_timed())),
                            static_cast<double>(alone(topology, message, fabric::fabric_params())));
                result.push_back({row.platform + " to " + std::to_string(to) + ", " +
                                      std::to_string(bytes) + " bytes",
                                  error, error});
            }
        }
    }
    return result;
}

load_differences measure_loads(const std::string& folder) {
    load_differences result;
    for (const reference_row& row : platforms(folder)) {
        const reference_case input(row);
        for (int pattern = 0; pattern <= static_cast<int>(fabric::load_pattern::neighbour);
             ++pattern) {
            for (double rate : rates) {
                const auto kind = static_cast<fabric::load_pattern>(pattern);
                const auto at = offer(input.topology(), fabric::fabric_params(), kind, rate);
                const auto lt = offer(input.topology(), loosely_timed(), kind, rate);
                const double error = larger(percent(lt.accepted, at.accepted),
                                            percent(lt.latency_mean, at.latency_mean));
                const bool below = chm_lt_load_traffic(lt.offered, lt.accepted) == chm_lt_load;
                (below ? result.below : result.beyond)
                    .push_back({row.platform + " pattern " + std::to_string(pattern) + " rate " +
                                    std::to_string(rate),
                                error, error});
            }
        }
    }
    return result;
}

} // namespace chimera::bench
