// SPDX-License-Identifier: Apache-2.0
// How far every transition is from what no plan can beat.
//
//     limits [--platforms A,B] [--programs A,B] [--sizes 64KiB,1MiB]
//
// Prints a table in Markdown for each size; without arguments all rows. `make limits` puts them
// into docs/limits.md. The exit status is 1 if a run was faster than its bound.
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bench/placed_program.h"
#include "bench/reference.h"

using chimera::bench::key_values;
using chimera::bench::placed_program;
using chimera::bench::reference_row;
using chimera::bench::reference_transitions;

namespace {

struct selection {
    std::vector<std::string> platforms = chimera::bench::transition_platforms();
    std::vector<std::string> programs = chimera::bench::transition_programs();
    std::vector<std::string> sizes = {"64KiB", "1MiB", "16MiB"};
};

// Settings that make fetching, fusing, planning and issuing free, for host and engine alike.
const key_values free_engine = {
    {"enqueue_cycles_per_descriptor", "0"}, {"fetch_latency_cycles", "0"},
    {"fetch_bytes_per_cycle", "0"},         {"fuse_cycles_per_pair", "0"},
    {"plan_transfers_per_cycle", "0"},      {"issue_per_cycle", "0"}};

// The sum of the numbers behind `key`, which a report has once per run. Runs of a program here are
// one after the other, so that their sum is the program's.
uint64_t sum_behind(const std::string& report, const std::string& key) {
    uint64_t sum = 0;
    for (size_t at = report.find(key); at != std::string::npos; at = report.find(key, at + 1)) {
        sum += std::strtoull(report.c_str() + at + key.size(), nullptr, 10);
    }
    return sum;
}

using published_times = std::map<std::string, uint64_t>; // "tp_pp fused mesh_5x5 65536"

std::string published_key(const std::string& name, const std::string& platform, uint64_t bytes) {
    return name + ' ' + platform + ' ' + std::to_string(bytes);
}

// Prints a row; false if something was faster than the bound.
bool print_row(const std::string& platform, const std::string& program, const std::string& size,
               const published_times& published) {
    const placed_program measured(platform, program, {{"message_bytes", size}});
    const std::string report = measured.explanation();
    const chm_result off = measured.measure(false);
    const chm_result on = measured.measure(true);
    key_values keys = free_engine;
    keys.emplace_back("message_bytes", size);
    const uint64_t free = placed_program(platform, program, keys).measure(true).cycles;
    const uint64_t computes = on.compute_busy_cycles;
    const uint64_t bound = sum_behind(report, "\"lower_bound_cycles\": ") + computes;
    const uint64_t estimate =
        sum_behind(report, "\"plan\": {\n          \"estimated_cycles\": ") + computes;
    std::printf("| %s | %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %.2f | %.3f | %+.1f | %+.2f "
                "(%" PRId64 ") | ",
                platform.c_str(), program.c_str(), bound, off.cycles, on.cycles,
                static_cast<double>(off.cycles) / static_cast<double>(on.cycles),
                static_cast<double>(on.cycles) / static_cast<double>(bound),
                100 * (static_cast<double>(estimate) / static_cast<double>(on.cycles) - 1),
                100 * (static_cast<double>(on.cycles) / static_cast<double>(free) - 1),
                static_cast<int64_t>(on.cycles - free));
    const auto found =
        published.find(published_key(program + " fused", platform, measured.message_bytes()));
    if (found != published.end()) {
        std::printf("%.2f", static_cast<double>(found->second) / static_cast<double>(on.cycles));
    }
    std::printf(" |\n");
    std::fflush(stdout);
    return on.cycles >= bound && off.cycles >= bound && free >= bound;
}

std::vector<std::string> split(const char* list) {
    std::vector<std::string> items;
    std::istringstream stream(list);
    for (std::string item; std::getline(stream, item, ',');) {
        items.push_back(item);
    }
    return items;
}

bool read_arguments(int argc, char** argv, selection& wanted) {
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i];
        std::vector<std::string>* list = name == "--platforms"  ? &wanted.platforms
                                         : name == "--programs" ? &wanted.programs
                                         : name == "--sizes"    ? &wanted.sizes
                                                                : nullptr;
        if (list == nullptr) {
            return false;
        }
        *list = split(argv[i + 1]);
    }
    return argc % 2 == 1;
}

} // namespace

int main(int argc, char** argv) {
    selection wanted;
    if (!read_arguments(argc, argv, wanted)) {
        std::fprintf(stderr, "usage: limits [--platforms A,B] [--programs A,B] [--sizes A,B]\n");
        return 2;
    }
    try {
        published_times published;
        for (const reference_row& each :
             reference_transitions(CHM_SOURCE_DIR "/tests/reference/")) {
            // tp_ep is published with a quarter of the rows that the program here dispatches.
            if (each.name.rfind("tp_ep", 0) != 0) {
                published[published_key(each.name, each.platform, each.message_bytes)] =
                    each.cycles;
            }
        }
        bool possible = true;
        for (const std::string& size : wanted.sizes) {
            std::printf(
                "\n%s per group:\n\n| platform | program | bound | off | fused | off / fused "
                "| fused / bound | estimate %% | engine's own time %% (cycles) | published / "
                "fused |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | "
                "---: |\n",
                size.c_str());
            for (const std::string& platform : wanted.platforms) {
                for (const std::string& program : wanted.programs) {
                    possible = print_row(platform, program, size, published) && possible;
                }
            }
        }
        return possible ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
