// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/load.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "c_api/include/chimera.h"
#include "c_api/src/error.h"
#include "c_api/src/fidelity_report.h"
#include "c_api/src/guard.h"
#include "c_api/src/report.h"
#include "hw/base/json.h"
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
    return chm_ok;
}

chm_fidelity_note fidelity_of(const chm_platform* platform, const chm_load_result& result) {
    return chm_fidelity_of_load(&platform->parameters.fabric, result.offered, result.accepted);
}

void as_json(chm_text* text, const chm_platform* platform, const chm_load_options& options,
             const chm_load_result& result, chm_status* status) {
    chm_json json;
    chm_json_begin(&json, text);
    chm_json_object_begin(&json);
    chm_json_put_string(&json, "platform", chm_platform_name(platform));
    chm_json_put_string(&json, "pattern", options.pattern);
    chm_json_put_u64(&json, "seed", options.seed);
    const chm_fidelity_note fidelity = fidelity_of(platform, result);
    chm_fidelity_keys(&json, &fidelity);
    chm_json_put_double(&json, "offered_flits_per_die_per_cycle", result.offered);
    chm_json_put_double(&json, "accepted_flits_per_die_per_cycle", result.accepted);
    chm_json_put_u64(&json, "packets", result.packets);
    chm_json_put_u64(&json, "unfinished", result.unfinished);
    chm_json_key(&json, "packet_latency_cycles");
    chm_json_object_begin(&json);
    chm_json_put_double(&json, "mean", result.latency_mean);
    chm_json_put_u64(&json, "p50", result.latency_p50);
    chm_json_put_u64(&json, "p99", result.latency_p99);
    chm_json_put_u64(&json, "max", result.latency_max);
    chm_json_object_end(&json);
    chm_json_object_end(&json);
    *status = chm_json_finish(&json);
}

void as_text(chm_text* text, const chm_platform* platform, const chm_load_options& options,
             const chm_load_result& result) {
    chm_text_format(text, "platform %s, pattern %s, seed %" PRIu64 "\n",
                    chm_platform_name(platform), options.pattern, options.seed);
    const chm_fidelity_note fidelity = fidelity_of(platform, result);
    chm_fidelity_as_text(text, &fidelity);
    chm_text_format(text, "offered   ");
    chm_text_double(text, result.offered, 4);
    chm_text_format(text, " flits per die per cycle\naccepted  ");
    chm_text_double(text, result.accepted, 4);
    chm_text_format(text,
                    " flits per die per cycle\npackets   %" PRIu64 ", of which %" PRIu64
                    " did not arrive\n",
                    result.packets, result.unfinished);
    chm_text_format(text, "packet latency  mean ");
    chm_text_double(text, result.latency_mean, 1);
    chm_text_format(text, ", p50 %" PRIu64 ", p99 %" PRIu64 ", max %" PRIu64 " cycles\n",
                    result.latency_p50, result.latency_p99, result.latency_max);
}

} // namespace

chm_status chm_measure_load(chm_load_result* result, chm_report** report, chm_format format,
                            const chm_platform* platform, const chm_load_options* options) {
    if (platform == nullptr || options == nullptr || options->struct_size != sizeof *options ||
        format > chm_format_json || (result != nullptr && result->struct_size != sizeof *result)) {
        return chm_error_set(chm_bad_argument,
                             "argument result, format, platform or options: null or out of range");
    }
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_load_result measured = CHM_LOAD_RESULT_INIT;
    chm_status status = chimera::c_api::guarded(
        &diagnostics, [&] { return measure(&measured, platform, *options, &diagnostics); });
    status = chm_error_take(status, &diagnostics);
    if (status == chm_ok && report != nullptr) {
        chm_text text;
        chm_text_init(&text);
        if (format == chm_format_json) {
            as_json(&text, platform, *options, measured, &status);
        } else {
            as_text(&text, platform, *options, measured);
        }
        status = chm_report_take(report, &text, status);
    }
    if (status == chm_ok && result != nullptr) {
        *result = measured;
    }
    return status;
}
