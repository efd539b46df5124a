// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/load.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "c_api/include/chimera.h"
#include "c_api/src/error.h"
#include "c_api/src/failures.h"
#include "c_api/src/guard.h"
#include "c_api/src/load_report.h"
#include "c_api/src/report.h"
#include "platforms/platform.h"

namespace {

// In the order of load_pattern.
const char* const patterns[] = {"uniform", "transpose", "bitcomplement", "tornado",
                                "shuffle", "hotspot",   "neighbour"};

bool find_pattern(const char* name, chimera::fabric::load_pattern* pattern) {
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i) {
        if (name != nullptr && std::strcmp(name, patterns[i]) == 0) {
            *pattern = static_cast<chimera::fabric::load_pattern>(i);
            return true;
        }
    }
    return false;
}

chm_status measure(chm_load_result* result, const chm_platform* platform,
                   const chm_load_options& options, chm_diagnostics* diagnostics) {
    chimera::fabric::load_params load;
    if (!find_pattern(options.pattern, &load.pattern)) {
        chm_diagnose(diagnostics, nullptr,
                     "pattern: got '%s'; allowed: uniform, transpose, bitcomplement, tornado, "
                     "shuffle, hotspot, neighbour",
                     options.pattern == nullptr ? "" : options.pattern);
        return chm_bad_input;
    }
    load.rate = options.rate;
    load.packet_bytes = options.packet_bytes;
    load.warm_up_cycles = options.warm_up_cycles;
    load.measure_cycles = options.measure_cycles;
    load.drain_cycles = options.drain_cycles;
    if (options.packets_per_die > 0 && options.rate > 0) {
        const double flits =
            chimera::fabric::packet_flits(platform->topology, options.packet_bytes);
        load.measure_cycles = static_cast<uint64_t>(
            std::min(1e12, static_cast<double>(options.packets_per_die) * flits / options.rate) +
            1);
    }
    chimera::fabric::fabric_params params;
    params.seed = options.seed;
    params.take(platform->parameters.fabric);
    params.failures.resize(options.failure_count);
    const chm_status read = chm_failures_read(params.failures.data(), platform, options.failures,
                                              options.failure_count, diagnostics);
    if (read != chm_ok) {
        return read;
    }
    const auto run = chimera::fabric::run_load(platform->topology, params, load);
    if (run.status != chm_ok) {
        chm_diagnose(diagnostics, nullptr, "%s", run.text.c_str());
        return run.status == chm_bad_argument ? chm_bad_input : run.status;
    }
    result->offered = run.offered;
    result->accepted = run.accepted;
    result->packets = run.packets;
    result->unfinished = run.unfinished;
    result->latency_mean = run.latency_mean;
    result->latency_p50 = run.latency_p50;
    result->latency_p99 = run.latency_p99;
    result->latency_max = run.latency_max;
    result->drift = run.drift;
    result->least_source = run.least_source;
    result->busiest_port = run.busiest_port;
    return chm_ok;
}

bool sizes_fit(const chm_load_result* results, uint32_t count) {
    return results == nullptr || std::all_of(results, results + count, [](const auto& result) {
               return result.struct_size == sizeof result;
           });
}

chm_status sweep(chm_load_result* results, chm_report** report, chm_format format,
                 const chm_platform* platform, const std::vector<chm_load_options>& points,
                 bool one) {
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    std::vector<chm_load_result> measured;
    chm_status status = chimera::c_api::guarded(&diagnostics, [&] {
        measured.resize(points.size(), chm_load_result CHM_LOAD_RESULT_INIT);
        chm_status outcome = chm_ok;
        for (size_t i = 0; i < points.size() && outcome == chm_ok; ++i) {
            outcome = measure(&measured[i], platform, points[i], &diagnostics);
        }
        return outcome;
    });
    status = chm_error_take(status, &diagnostics);
    if (status == chm_ok && report != nullptr) {
        chm_text text;
        chm_text_init(&text);
        const chm_load_report content = {platform, points.data(), measured.data(),
                                         static_cast<uint32_t>(points.size()), one};
        status = format == chm_format_json ? chm_load_report_json(&text, &content)
                                           : chm_load_report_text(&text, &content);
        status = chm_report_take(report, &text, status);
    }
    if (status == chm_ok && results != nullptr) {
        std::copy(measured.begin(), measured.end(), results);
    }
    return status;
}

bool valid(const chm_platform* platform, const chm_load_options* options, chm_format format) {
    return platform != nullptr && options != nullptr && options->struct_size == sizeof *options &&
           (options->failure_count == 0 || options->failures != nullptr) &&
           format <= chm_format_json;
}

} // namespace

chm_status chm_measure_load(chm_load_result* result, chm_report** report, chm_format format,
                            const chm_platform* platform, const chm_load_options* options) {
    if (!valid(platform, options, format) || !sizes_fit(result, 1)) {
        return chm_error_set(chm_bad_argument,
                             "argument result, format, platform or options: null or out of range");
    }
    return sweep(result, report, format, platform, {*options}, true);
}

chm_status chm_sweep_load(chm_load_result* results, uint32_t count, double last_rate,
                          chm_report** report, chm_format format, const chm_platform* platform,
                          const chm_load_options* options) {
    if (!valid(platform, options, format) || !sizes_fit(results, count) || count < 1 ||
        count > 1000000) {
        return chm_error_set(
            chm_bad_argument,
            "argument results, count, format, platform or options: null or out of range");
    }
    std::vector<chm_load_options> points(count, *options);
    for (uint32_t i = 1; i < count; ++i) {
        points[i].rate = options->rate + (last_rate - options->rate) * i / (count - 1);
    }
    return sweep(results, report, format, platform, points, false);
}
