// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/trace.h"

#include "c_api/src/error.h"
#include "c_api/src/guard.h"
#include "c_api/src/simulation.h"

namespace chimera::c_api {

namespace {

std::string text_of(const char* text) {
    return text != nullptr ? text : "";
}

} // namespace

chm_status read_trace_options(const chm_trace_options& options, trace::trace_request& request,
                              chm_diagnostics* diagnostics) {
    if (options.struct_size != sizeof options) {
        chm_diagnose(diagnostics, nullptr,
                     "argument trace: got struct_size %zu; allowed: %zu (CHM_TRACE_OPTIONS_INIT)",
                     options.struct_size, sizeof options);
        return chm_bad_argument;
    }
    for (size_t i = 0; i < options.scope_count; ++i) {
        if (options.scopes == nullptr || options.scopes[i] == nullptr) {
            chm_diagnose(diagnostics, nullptr, "argument trace: scope %zu is null", i);
            return chm_bad_argument;
        }
        request.scopes.emplace_back(options.scopes[i]);
    }
    request.vcd = text_of(options.vcd);
    request.timeline = text_of(options.timeline);
    request.packet_log = text_of(options.packet_log);
    request.window = text_of(options.window);
    if (request.empty()) {
        chm_diagnose(diagnostics, nullptr,
                     "argument trace: it names no file; needed: at least one");
        return chm_bad_argument;
    }
    return chm_ok;
}

chm_status start_trace(die::machine& machine, const chm_trace_options& options,
                       chm_diagnostics* diagnostics) {
    trace::trace_request request;
    const chm_status status = read_trace_options(options, request, diagnostics);
    return status == chm_ok ? machine.start_trace(request, diagnostics) : status;
}

chm_status stop_trace(die::machine& machine, chm_diagnostics* diagnostics) {
    std::string unwritten;
    if (!machine.stop_trace(&unwritten)) {
        chm_diagnose(diagnostics, nullptr, "%s: could not be written whole", unwritten.c_str());
        return chm_io;
    }
    return chm_ok;
}

} // namespace chimera::c_api

chm_status chm_simulation_trace_start(chm_simulation* simulation,
                                      const chm_trace_options* options) {
    if (simulation == nullptr || options == nullptr) {
        return chm_error_set(chm_bad_argument, "argument simulation or options: null");
    }
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    const chm_status status = chimera::c_api::guarded(&diagnostics, [&] {
        return chimera::c_api::start_trace(*simulation->machine, *options, &diagnostics);
    });
    return chm_error_take(status, &diagnostics);
}

chm_status chm_simulation_trace_stop(chm_simulation* simulation) {
    if (simulation == nullptr) {
        return chm_error_set(chm_bad_argument, "argument simulation: null");
    }
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    const chm_status status = chimera::c_api::guarded(&diagnostics, [&] {
        return chimera::c_api::stop_trace(*simulation->machine, &diagnostics);
    });
    return chm_error_take(status, &diagnostics);
}
