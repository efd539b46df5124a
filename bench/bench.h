// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace chimera::bench {

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

// Work done and the CPU time it took; both add up over slices.
struct progress {
    double work = 0, seconds = 0;

    double rate() const { return seconds > 0 ? work / seconds : 0; }
    progress& operator+=(const progress& other) {
        work += other.work;
        seconds += other.seconds;
        return *this;
    }
};

// What a ratio is measured by: something that does a few milliseconds of its work when asked.
class yardstick {
public:
    virtual ~yardstick() = default;
    virtual progress slice() = 0;
};

// Rates of a workload and of its measure, taken alternately, since the speed of the machine swings
// from second to second: what is compared is always side by side.
class pairs {
public:
    void add(const progress& ours, const progress& measure) {
        m_ours.push_back(ours.rate());
        m_measures.push_back(measure.rate());
        m_ratios.push_back(ours.rate() / measure.rate());
    }
    bool empty() const { return m_ratios.empty(); }
    // Medians, each of its own; 0 if there are none.
    double ours() const { return median(m_ours); }
    double measure() const { return median(m_measures); }
    double ratio() const { return median(m_ratios); }

private:
    static double median(std::vector<double> values);

    std::vector<double> m_ours, m_measures, m_ratios;
};

// The pairs of a workload on so many dies, for the table of ratios at the end.
pairs& noted(const std::string& workload, int64_t dies);

double peak_megabytes(); // of this process so far

} // namespace chimera::bench
