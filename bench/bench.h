// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

#include <benchmark/benchmark.h>

namespace chimera::bench {

// What a rate was measured of: "kernel" with so many modules and bytes of state of each, or a
// workload of the fabric on so many dies.
struct subject {
    std::string name;
    int64_t size = 0, state_bytes = 0;
};

// CPU seconds of this process since it was made.
class cpu_timer {
public:
    cpu_timer() : m_start(now()) {}
    double seconds() const { return now() - m_start; }

private:
    static double now() {
        timespec time;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    }
    double m_start;
};

// Keeps a rate (per CPU second) for the table of ratios; the best of several counts, since others
// may use the machine as well.
void note_rate(const subject& what, double rate);
double noted_rate(const subject& what); // 0 if there is none

double peak_megabytes(); // of this process so far

} // namespace chimera::bench
