// SPDX-License-Identifier: Apache-2.0
// The loosely timed fabric beside the approximately timed one, on every graph of tests/reference.
//
//     lt_accuracy kinds     errors by kind of traffic, default parameters
//     lt_accuracy curve     errors and CPU time for chunk sizes, horizons and both orders
//
// Prints tables in Markdown. `make lt-accuracy` puts both into docs/fidelity.md.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "bench/lt_errors.h"
#include "bench/placed_program.h"

using namespace chimera::bench;
using chimera::fabric::fabric_params;

namespace {

constexpr uint64_t seeds = 4;
constexpr uint64_t curve_bytes = 524288; // larger transitions only repeat what these show

double cpu_seconds() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string family(const std::string& platform) {
    return platform.substr(0, platform.rfind("fat_tree", 0) == 0 ? 8 : platform.find('_'));
}

void print_transitions(const std::vector<reference_row>& rows,
                       const std::vector<difference>& errors) {
    std::map<std::pair<std::string, uint64_t>, std::vector<difference>> groups;
    for (size_t i = 0; i < rows.size(); ++i) {
        groups[{family(rows[i].platform), rows[i].message_bytes}].push_back(errors[i]);
    }
    std::printf("\n| transitions | message bytes | rows | median %% | worst %% | worst of one seed "
                "%% |\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (const auto& [key, group] : groups) {
        const spread all = spread_of(group);
        std::printf("| %s | %llu | %zu | %.2f | %.2f | %.2f |\n", key.first.c_str(),
                    static_cast<unsigned long long>(key.second), group.size(), all.median_percent,
                    all.worst_percent, all.one_seed_percent);
    }
}

void print_sets(const std::vector<accuracy>& at, const std::vector<accuracy>& lt,
                const std::vector<difference>& errors) {
    std::printf("\n| message set | AT cycles | LT cycles | LT against AT %% | LT against the "
                "reference %% |\n| --- | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < at.size(); ++i) {
        std::printf("| %s | %.0f | %.0f | %+.2f | %+.2f |\n", at[i].row.name.c_str(),
                    at[i].mean_cycles(), lt[i].mean_cycles(), errors[i].mean_percent,
                    lt[i].error_percent());
    }
}

void print_kind(chm_lt_traffic traffic, const std::vector<difference>& rows) {
    const chm_lt_error& reported = *chm_lt_error_of(traffic);
    const spread all = spread_of(rows);
    std::printf("| `%s` | %s | %s | %zu | %.2f | %.2f | %.2f | %g, %g, %g |\n", reported.name,
                reported.meaning, reported.figure, rows.size(), all.median_percent,
                all.worst_percent, all.one_seed_percent, reported.median_percent,
                reported.worst_percent, reported.one_seed_percent);
}

// Whole runs of the machine, engine on, whose plans may stream in chunks; one seed.
std::vector<difference> program_differences() {
    std::vector<difference> rows;
    for (const char* size : {"64KiB", "256KiB", "1MiB"}) {
        for (const std::string& platform : transition_platforms()) {
            for (const std::string& program : transition_programs()) {
                const auto cycles = [&](const char* fidelity) {
                    const key_values keys = {{"message_bytes", size}, {"fidelity", fidelity}};
                    return static_cast<double>(
                        placed_program(platform, program, keys).measure(true).cycles);
                };
                const double at = cycles("at"), percent = 100 * (cycles("lt") - at) / at;
                rows.push_back({platform + ' ' + program + ' ' + size, percent, percent});
            }
        }
    }
    return rows;
}

void print_kinds(const std::string& folder) {
    const auto rows = reference_transitions(folder);
    const auto transitions =
        differences(measure(rows, seeds), measure(rows, seeds, loosely_timed()));
    const auto sets = reference_sets(folder);
    const auto set_at = measure(sets, seeds), set_lt = measure(sets, seeds, loosely_timed());
    const auto set_errors = differences(set_at, set_lt);
    std::vector<difference> free, blocked;
    for (size_t i = 0; i < sets.size(); ++i) {
        (is_blocked(sets[i]) ? blocked : free).push_back(set_errors[i]);
    }
    const load_differences loads = measure_loads(folder);
    std::printf("| traffic | | error of | measured | median %% | worst %% | worst of one seed %% | "
                "reported: at most |\n| --- | --- | --- | ---: | ---: | ---: | ---: | --- |\n");
    print_kind(chm_lt_idle, idle_differences(folder));
    print_kind(chm_lt_transitions, transitions);
    print_kind(chm_lt_streamed, program_differences());
    print_kind(chm_lt_messages, free);
    print_kind(chm_lt_blocked, blocked);
    print_kind(chm_lt_load, loads.below);
    print_kind(chm_lt_saturated, loads.beyond);
    print_transitions(rows, transitions);
    print_sets(set_at, set_lt, set_errors);
}

struct setting {
    bool in_order;
    uint64_t chunk_bytes, share, horizon;
};

constexpr setting settings[] = {
    {true, 256, 1024, 200},    {true, 512, 1024, 200},     {true, 1024, 1024, 200},
    {true, 2048, 1024, 200},   {true, 4096, 1024, 200},    {true, 16384, 1024, 200},
    {true, 1024, 16, 200},     {true, 1024, 64, 200},      {true, 1024, 1000000, 200},
    {true, 1024, 1024, 0},     {true, 1024, 1024, 1000},   {false, 256, 1024, 0},
    {false, 1024, 1024, 0},    {false, 4096, 1024, 0},     {false, 1024, 1024, 200},
    {false, 1024, 1024, 1000}, {false, 1024, 1024, 10000},
};

void print_curve(const std::string& folder) {
    auto rows = reference_transitions(folder);
    rows.erase(
        std::remove_if(rows.begin(), rows.end(),
                       [](const reference_row& row) { return row.message_bytes > curve_bytes; }),
        rows.end());
    const auto sets = reference_sets(folder);
    double start = cpu_seconds();
    const auto at = measure(rows, 1), set_at = measure(sets, 1);
    const double at_seconds = cpu_seconds() - start;
    std::printf("| `lt_in_order` | `lt_chunk_bytes` | `lt_chunk_share` | `lt_horizon_cycles` | "
                "transitions: median %% | worst %% | sets: median %% | worst %% | CPU time, "
                "AT = 100 |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (const setting& each : settings) {
        fabric_params params = loosely_timed();
        params.lt_in_order = each.in_order;
        params.lt_chunk_bytes = each.chunk_bytes;
        params.lt_chunk_share = each.share;
        params.lt_horizon_cycles = each.horizon;
        start = cpu_seconds();
        const auto lt = measure(rows, 1, params), set_lt = measure(sets, 1, params);
        const double seconds = cpu_seconds() - start;
        const spread transitions = spread_of(differences(at, lt));
        const spread messages = spread_of(differences(set_at, set_lt));
        std::printf("| %s | %llu | %llu | %llu | %.2f | %.1f | %.2f | %.1f | %.0f |\n",
                    each.in_order ? "on" : "off", static_cast<unsigned long long>(each.chunk_bytes),
                    static_cast<unsigned long long>(each.share),
                    static_cast<unsigned long long>(each.horizon), transitions.median_percent,
                    transitions.worst_percent, messages.median_percent, messages.worst_percent,
                    100 * seconds / at_seconds);
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        const std::string folder = CHM_SOURCE_DIR "/tests/reference/";
        if (argc == 2 && std::strcmp(argv[1], "kinds") == 0) {
            print_kinds(folder);
        } else if (argc == 2 && std::strcmp(argv[1], "curve") == 0) {
            print_curve(folder);
        } else {
            std::fprintf(stderr, "usage: lt_accuracy kinds|curve\n");
            return 2;
        }
        return 0;
    } catch (const std::exception& fault) {
        std::fprintf(stderr, "lt_accuracy: %s\n", fault.what());
        return 1;
    }
}
