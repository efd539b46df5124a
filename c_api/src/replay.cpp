// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>

#include "c_api/include/chimera.h"
#include "c_api/src/error.h"
#include "c_api/src/failures.h"
#include "c_api/src/fidelity_report.h"
#include "c_api/src/guard.h"
#include "c_api/src/report.h"
#include "c_api/src/trace.h"
#include "hw/base/clock.h"
#include "hw/base/json.h"
#include "hw/fabric/replay.h"
#include "platforms/platform.h"
#include "traces/graph.h"

namespace {

void as_json(chm_text* text, const chm_platform* platform, const char* graph, uint64_t seed,
             const chm_fidelity_note& fidelity, const chm_replay_result& result,
             chm_status* status) {
    chm_json json;
    chm_json_begin(&json, text);
    chm_json_object_begin(&json);
    chm_json_put_string(&json, "platform", chm_platform_name(platform));
    chm_json_put_string(&json, "graph", graph);
    chm_json_put_u64(&json, "seed", seed);
    chm_fidelity_keys(&json, &fidelity);
    chm_json_put_u64(&json, "cycles", result.cycles);
    chm_json_put_u64(&json, "time_ps", result.time_ps);
    chm_json_put_u64(&json, "messages", result.messages);
    chm_json_put_u64(&json, "packets", result.packets);
    chm_json_put_u64(&json, "packet_hops", result.packet_hops);
    chm_json_put_u64(&json, "dropped_packets", result.dropped_packets);
    chm_json_put_u64(&json, "corrupted_packets", result.corrupted_packets);
    chm_json_put_u64(&json, "replayed_packets", result.replayed_packets);
    chm_json_put_u64(&json, "returned_packets", result.returned_packets);
    chm_json_key(&json, "message_latency_cycles");
    chm_json_object_begin(&json);
    chm_json_put_u64(&json, "min", result.latency_min);
    chm_json_put_double(&json, "mean", result.latency_mean);
    chm_json_put_u64(&json, "max", result.latency_max);
    chm_json_object_end(&json);
    chm_json_object_end(&json);
    *status = chm_json_finish(&json);
}

void as_text(chm_text* text, const chm_platform* platform, const char* graph, uint64_t seed,
             const chm_fidelity_note& fidelity, const chm_replay_result& result) {
    chm_text_format(text, "platform %s, graph %s, seed %" PRIu64 "\n", chm_platform_name(platform),
                    graph, seed);
    chm_fidelity_as_text(text, &fidelity);
    chm_text_format(text, "%-16s %14" PRIu64 " cycles\n", "cycles", result.cycles);
    chm_text_format(text, "%-16s %14" PRIu64 " ps\n", "time_ps", result.time_ps);
    chm_text_format(text, "%-16s %14" PRIu64 "\n", "messages", result.messages);
    chm_text_format(text, "%-16s %14" PRIu64 "\n", "packets", result.packets);
    chm_text_format(text, "%-16s %14" PRIu64 "\n", "packet_hops", result.packet_hops);
    if (result.replayed_packets > 0) {
        chm_text_format(text, "%-16s %14" PRIu64 "\n", "dropped_packets", result.dropped_packets);
        chm_text_format(text, "%-16s %13" PRIu64 "\n", "corrupted_packets",
                        result.corrupted_packets);
        chm_text_format(text, "%-16s %14" PRIu64 "\n", "replayed_packets", result.replayed_packets);
    }
    if (result.returned_packets > 0) {
        chm_text_format(text, "%-16s %14" PRIu64 "\n", "returned_packets", result.returned_packets);
    }
    chm_text_format(text, "message latency  min %" PRIu64 ", mean ", result.latency_min);
    chm_text_double(text, result.latency_mean, 1);
    chm_text_format(text, ", max %" PRIu64 " cycles\n", result.latency_max);
}

chm_status replay(chm_replay_result* result, chm_fidelity_note* fidelity,
                  const chm_platform* platform, const char* path, const chm_replay_options& options,
                  chm_arena* arena, chm_diagnostics* diagnostics) {
    chm_graph graph{};
    const chm_topology& topology = platform->topology;
    chm_status status = chm_graph_read(path, topology.dies, arena, &graph, nullptr, diagnostics);
    if (status != chm_ok) {
        return status;
    }
    chimera::fabric::fabric_params params;
    params.seed = options.seed;
    params.stall_probability = options.stall_probability;
    params.take(platform->parameters.fabric);
    params.failures.resize(options.failure_count);
    status = chm_failures_read(params.failures.data(), platform, options.failures,
                               options.failure_count, diagnostics);
    if (status != chm_ok) {
        return status;
    }
    *fidelity =
        chm_fidelity_of_graph(&platform->parameters.fabric,
                              graph.node_count > 0 && graph.first_after[graph.node_count] > 0);
    chimera::trace::trace_request request;
    if (options.trace != nullptr) {
        status = chimera::c_api::read_trace_options(*options.trace, request, diagnostics);
        if (status != chm_ok) {
            return status;
        }
    }
    const auto run = chimera::fabric::run_replay(topology, params, graph,
                                                 options.trace != nullptr ? &request : nullptr);
    if (run.status != chm_ok) {
        chm_diagnose(diagnostics, nullptr, "%s", run.text.c_str());
        return run.status;
    }
    result->cycles = run.cycles;
    result->time_ps = chm_clock_cycles_to_ps(run.cycles, chm_platform_clock_khz(platform));
    result->messages = run.messages;
    result->packets = run.packets;
    result->packet_hops = run.packet_hops;
    result->dropped_packets = run.links.dropped;
    result->corrupted_packets = run.links.corrupted;
    result->replayed_packets = run.links.replayed;
    result->returned_packets = run.returned;
    result->latency_min = run.latency_min;
    result->latency_max = run.latency_max;
    result->latency_mean = run.latency_mean;
    return chm_ok;
}

} // namespace

chm_status chm_api_replay(chm_replay_result* result, chm_report** report, bool json,
                          const chm_platform* platform, const char* path,
                          const chm_replay_options* options) {
    chm_arena arena;
    chm_arena_init(&arena);
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_replay_result measured = CHM_REPLAY_RESULT_INIT;
    chm_fidelity_note fidelity{};
    chm_status status = chimera::c_api::guarded(&diagnostics, [&] {
        return replay(&measured, &fidelity, platform, path, *options, &arena, &diagnostics);
    });
    chm_arena_free(&arena);
    status = chm_error_take(status, &diagnostics);
    if (status == chm_ok && report != nullptr) {
        chm_text text;
        chm_text_init(&text);
        if (json) {
            as_json(&text, platform, path, options->seed, fidelity, measured, &status);
        } else {
            as_text(&text, platform, path, options->seed, fidelity, measured);
        }
        status = chm_report_take(report, &text, status);
    }
    if (status == chm_ok && result != nullptr) {
        *result = measured;
    }
    return status;
}
