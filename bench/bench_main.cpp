// SPDX-License-Identifier: Apache-2.0
// Runs the benchmarks, then puts the rates of this run in relation to each other. `make bench`.
#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

#include <sys/resource.h>

#include "bench/bench.h"

namespace chimera::bench {

namespace {

using key = std::tuple<std::string, int64_t, int64_t>;

std::map<key, double>& rates() {
    static std::map<key, double> all;
    return all;
}

void ratio(const char* what, const subject& ours, const subject& measure, const char* target) {
    if (noted_rate(ours) > 0 && noted_rate(measure) > 0) {
        std::printf("| %s | %.3g M/s | %.3g M/s | %.3g | %s |\n", what, noted_rate(ours) / 1e6,
                    noted_rate(measure) / 1e6, noted_rate(ours) / noted_rate(measure), target);
    }
}

// Cost per packet-hop in wake-ups of a kernel with as many modules and 4 KiB of state: how it
// grows.
void growth(const char* name) {
    const double small = noted_rate({name, 64, 0}) / noted_rate({"kernel", 64, 4096});
    const double large = noted_rate({name, 4096, 0}) / noted_rate({"kernel", 4096, 4096});
    if (small > 0 && large > 0) {
        std::printf("| %s, 64 to 4,096 dies: cost per hop grows | | | %.2f | at most 1.5 |\n", name,
                    small / large);
    }
}

void print_ratios() {
    std::printf("\n| | rate | measure | ratio | target |\n| --- | ---: | ---: | ---: | --- |\n");
    ratio("all-to-all, 64 dies, 1 KiB: packet-hops per wake-up, 1,024 pending",
          {"all-to-all", 64, 0}, {"kernel", 1024, 0}, "at least 0.5");
    for (const char* name : {"nearest neighbour", "uniform", "all-to-all, 8 peers"}) {
        ratio((std::string(name) + ", 64 dies").c_str(), {name, 64, 0}, {"kernel", 64, 0}, "");
        ratio((std::string(name) + ", 4,096 dies").c_str(), {name, 4096, 0}, {"kernel", 4096, 0},
              "");
        growth(name);
    }
    for (const char* name :
         {"all-to-all", "nearest neighbour, 1 KiB", "uniform", "all-to-all, 8 peers"}) {
        for (int64_t dies : {64, 1024, 4096}) {
            ratio((std::string(name) + ", lt, " + std::to_string(dies) +
                   " dies: message-hops per b_transport call")
                      .c_str(),
                  {std::string(name) + ", lt", dies, 0}, {"b_transport", 16, 0}, "at least 0.08");
        }
    }
    ratio("one message: 4,096 dies against 64", {"one message", 4096, 0}, {"one message", 64, 0},
          "at least 0.67");
    ratio("the same, caches emptied before both", {"one message, cold", 4096, 0},
          {"one message, cold", 64, 0}, "at least 0.67");
    ratio("1 GiB against 1 MiB over 8 links, hops per second", {"long message", 1024, 0},
          {"long message", 1, 0}, "at least 341");
}

} // namespace

void note_rate(const subject& what, double rate) {
    double& noted = rates()[{what.name, what.size, what.state_bytes}];
    noted = std::max(noted, rate);
}

double noted_rate(const subject& what) {
    const auto found = rates().find({what.name, what.size, what.state_bytes});
    return found == rates().end() ? 0 : found->second;
}

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
