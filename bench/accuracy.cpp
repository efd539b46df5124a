// SPDX-License-Identifier: Apache-2.0
// Every figure of tests/reference beside what the AT fabric says. `make accuracy` runs it.
//
//     accuracy [FOLDER]
//
// prints a table in Markdown and writes FOLDER/accuracy.dat for the plot, if a folder is given.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench/accuracy_table.h"

using namespace chimera::bench;

namespace {

constexpr uint64_t seeds = 4;

void print(const char* title, const std::vector<accuracy>& rows) {
    std::printf("### %s\n\n| | platform | bytes | reference | AT, mean of seeds | error %% | "
                "range of seeds %% |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
                title);
    for (const accuracy& item : rows) {
        const std::string bytes =
            item.row.message_bytes == 0 ? "" : std::to_string(item.row.message_bytes);
        std::printf("| %s | %s | %s | %llu | %.0f | %+.2f | ", item.row.name.c_str(),
                    item.row.platform.c_str(), bytes.c_str(),
                    static_cast<unsigned long long>(item.row.cycles), item.mean_cycles(),
                    item.error_percent());
        if (item.cycles.size() > 1) {
            std::printf("%+.2f .. %+.2f", item.lowest_percent(), item.highest_percent());
        }
        std::printf(" |\n");
    }
    std::printf("\n%s\n\n", summary(rows).c_str());
}

bool write(const std::string& path, const std::vector<accuracy>& rows) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) {
        return false;
    }
    for (const accuracy& item : rows) {
        std::fprintf(file, "%llu %.4f %.4f %.4f\n",
                     static_cast<unsigned long long>(item.row.cycles), item.error_percent(),
                     item.lowest_percent(), item.highest_percent());
    }
    return std::fclose(file) == 0;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const std::string folder = CHM_SOURCE_DIR "/tests/reference/";
        const auto transitions = measure(reference_transitions(folder), seeds);
        const auto sets = measure(reference_sets(folder), seeds);
        print("Transitions", transitions);
        print("Message sets", sets);
        if (argc > 1 && (!write(std::string(argv[1]) + "/transitions.dat", transitions) ||
                         !write(std::string(argv[1]) + "/sets.dat", sets))) {
            std::fprintf(stderr, "accuracy: cannot write below %s\n", argv[1]);
            return 1;
        }
        return 0;
    } catch (const std::exception& fault) {
        std::fprintf(stderr, "accuracy: %s\n", fault.what());
        return 1;
    }
}
