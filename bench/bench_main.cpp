// SPDX-License-Identifier: Apache-2.0
// Runs the benchmarks, then puts the rates of this run in relation to each other. `make bench`.
#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include <sys/resource.h>

#include "bench/bench.h"

namespace chimera::bench {

double pairs::median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

pairs& noted(const std::string& workload, int64_t dies) {
    static std::map<std::pair<std::string, int64_t>, pairs> all;
    return all[{workload, dies}];
}

namespace {

void ratio(const std::string& what, const pairs& item, const char* target) {
    if (!item.empty()) {
        std::printf("| %s | %.3g M/s | %.3g M/s | %.3g | %s |\n", what.c_str(), item.ours() / 1e6,
                    item.measure() / 1e6, item.ratio(), target);
    }
}

// Cost per packet-hop in wake-ups of a kernel with as many modules and 4 KiB of state: how it
// grows.
void growth(const char* name, int64_t dies, const char* target) {
    const pairs& small = noted(name, 64);
    const pairs& large = noted(name, dies);
    if (!small.empty() && !large.empty()) {
        std::printf("| %s, 64 to %d dies: cost per hop grows | | | %.2f | %s |\n", name,
                    static_cast<int>(dies), small.ratio() / large.ratio(), target);
    }
}

// CPU time of one run against that of its measure.
void times(const char* what, const pairs& item, const char* target) {
    if (!item.empty()) {
        std::printf("| %s | %.3g us | %.3g us | %.2f | %s |\n", what, 1e6 / item.ours(),
                    1e6 / item.measure(), 1 / item.ratio(), target);
    }
}

void print_ratios() {
    std::printf("\nMedians of pairs taken side by side.\n\n"
                "| | rate | measure | ratio | target |\n| --- | ---: | ---: | ---: | --- |\n");
    ratio("all-to-all, 64 dies, 1 KiB: packet-hops per wake-up, 1,024 pending",
          noted("all-to-all", 64), "at least 0.5");
    for (const char* name : {"nearest neighbour", "uniform", "all-to-all, 8 peers"}) {
        for (int64_t dies : {64, 1024, 4096}) {
            ratio(std::string(name) + ", " + std::to_string(dies) +
                      " dies: packet-hops per wake-up with 4 KiB",
                  noted(name, dies), "");
        }
        growth(name, 1024, "");
        growth(name, 4096, "at most 1.5");
    }
    for (const char* name :
         {"all-to-all", "nearest neighbour, 1 KiB", "uniform", "all-to-all, 8 peers"}) {
        for (int64_t dies : {64, 1024, 4096}) {
            ratio(std::string(name) + ", lt, " + std::to_string(dies) +
                      " dies: message-hops per b_transport call",
                  noted(std::string(name) + ", lt", dies), "at least 0.08");
        }
    }
    times("one message: 4,096 dies against 64", noted("one message", 4096), "at most 1.5");
    times("the same, caches emptied before both", noted("one message, cold", 4096), "at most 1.5");
    times("1 GiB against 1 MiB over 8 links", noted("long message", 1024), "at most 3");
}

} // namespace

double peak_megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

} // namespace chimera::bench

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    benchmark::RunSpecifiedBenchmarks();
    chimera::bench::print_ratios();
    return 0;
}
