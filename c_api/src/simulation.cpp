// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/simulation.h"

#include <algorithm>

#include "c_api/src/error.h"
#include "c_api/src/failures.h"
#include "c_api/src/guard.h"
#include "c_api/src/trace.h"
#include "c_api/src/workload.h"
#include "c_api/src/workload_bound.h"
#include "hw/base/clock.h"
#include "platforms/platform.h"

namespace {

using chimera::c_api::guarded;
using chimera::c_api::start_trace;
using chimera::c_api::stop_trace;

chm_status check_options(const chm_run_options* options) {
    if (options == nullptr || options->struct_size != sizeof *options) {
        return chm_error_set(chm_bad_argument,
                             "argument options: got struct_size %zu; allowed: %zu "
                             "(CHM_RUN_OPTIONS_INIT)",
                             options != nullptr ? options->struct_size : 0, sizeof *options);
    }
    if (options->failure_count > 0 && options->failures == nullptr) {
        return chm_error_set(chm_bad_argument, "argument failures: null, with a failure_count");
    }
    if (!(options->stall_probability >= 0 && options->stall_probability < 1)) {
        return chm_error_set(chm_bad_argument,
                             "argument stall_probability: got %g; allowed: 0 .. 1, 1 excluded",
                             options->stall_probability);
    }
    return chm_ok;
}

void log(const chm_simulation& simulation, const char* text) {
    if (simulation.options.log != nullptr) {
        simulation.options.log(simulation.options.log_user, text);
    }
}

chm_status open_record(chm_simulation& made, chm_diagnostics* diagnostics) {
    if (made.platform->parameters.fabric.fidelity != chm_fidelity_at) {
        chm_diagnose(diagnostics, nullptr,
                     "record '%s': a run with fidelity lt has no packets of "
                     "its own; allowed: fidelity at",
                     made.options.record);
        return chm_unsupported;
    }
    return chm_graph_file_create(&made.record, made.options.record, diagnostics);
}

chm_status build(chm_simulation& made, chm_diagnostics* diagnostics) {
    chm_status status = chm_api_drive(made.platform, made.program, made.options.engine != 0,
                                      &made.arena, &made.workload, diagnostics);
    if (status == chm_ok) {
        status = chm_api_bound(made.platform, made.program, &made.bound, diagnostics);
    }
    if (status != chm_ok) {
        return status;
    }
    chimera::die::machine_options options;
    options.data = made.options.data != 0;
    options.stall_probability = made.options.stall_probability;
    options.seed = made.options.seed;
    options.record = made.options.record != nullptr;
    options.failures.resize(made.options.failure_count);
    status = chm_failures_read(options.failures.data(), made.platform, made.options.failures,
                               options.failures.size(), diagnostics);
    if (status != chm_ok) {
        return status;
    }
    made.machine = std::make_unique<chimera::die::machine>(
        made.platform->topology, made.platform->parameters, made.workload, options);
    const auto& failure = made.machine->failure();
    if (failure.status != chm_ok) {
        chm_diagnose(diagnostics, nullptr, "%s", failure.text.c_str());
        return failure.status;
    }
    status = made.options.trace != nullptr
                 ? start_trace(*made.machine, *made.options.trace, diagnostics)
                 : chm_ok;
    return status == chm_ok && options.record ? open_record(made, diagnostics) : status;
}

// The graph goes to its file once the program has ended well.
chm_status write_record(chm_simulation& simulation, chm_diagnostics* diagnostics) {
    chm_graph_file* file = simulation.record;
    simulation.record = nullptr;
    const chm_graph* graph = simulation.machine->recorded();
    if (graph == nullptr) {
        chm_graph_file_discard(file);
        chm_diagnose(diagnostics, nullptr, "the recorded messages do not hold together");
        return chm_internal;
    }
    return chm_graph_file_commit(file, graph, diagnostics);
}

chm_status run(chm_simulation& simulation, uint64_t until_ps, chm_diagnostics* diagnostics) {
    chimera::die::machine& machine = *simulation.machine;
    const bool finished_before = machine.finished();
    const auto result = machine.run(until_ps);
    const chm_status traced =
        machine.finished() || result.status != chm_ok ? stop_trace(machine, diagnostics) : chm_ok;
    if (result.status != chm_ok) {
        chm_diagnose(diagnostics, nullptr, "%s", result.text.c_str());
        log(simulation, result.text.c_str());
        return result.status;
    }
    if (!machine.finished()) {
        simulation.reached_ps = std::max(simulation.reached_ps, until_ps);
    } else if (!finished_before) {
        simulation.reached_ps = 0; // time stands at the last event
        log(simulation, "the program has ended");
    }
    if (machine.data() == chimera::die::data_result::different) {
        chm_diagnose(diagnostics, nullptr, "data differ: %s", machine.first_difference().c_str());
        return chm_mismatch;
    }
    return machine.finished() && simulation.record != nullptr
               ? write_record(simulation, diagnostics)
               : traced;
}

chm_status run_guarded(chm_simulation* simulation, uint64_t until_ps) {
    if (simulation == nullptr) {
        return chm_error_set(chm_bad_argument, "argument simulation: null");
    }
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    const chm_status status =
        guarded(&diagnostics, [&] { return run(*simulation, until_ps, &diagnostics); });
    return chm_error_take(status, &diagnostics);
}

} // namespace

chm_status chm_simulation_create(chm_simulation** simulation, const chm_platform* platform,
                                 const chm_program* program, const chm_run_options* options) {
    if (simulation == nullptr || platform == nullptr || program == nullptr) {
        return chm_error_set(chm_bad_argument, "argument simulation, platform or program: null");
    }
    const chm_status checked = check_options(options);
    if (checked != chm_ok) {
        return checked;
    }
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    const chm_status status = guarded(&diagnostics, [&] {
        auto made = std::make_unique<chm_simulation>();
        made->platform = platform;
        made->program = program;
        made->options = *options;
        const chm_status built = build(*made, &diagnostics);
        made->options.record = nullptr; // the caller's
        made->options.failures = nullptr;
        made->options.trace = made->options.trace_unfused = nullptr;
        if (built == chm_ok) {
            *simulation = made.release();
        }
        return built;
    });
    return chm_error_take(status, &diagnostics);
}

void chm_simulation_free(chm_simulation* simulation) {
    delete simulation;
}

chm_status chm_simulation_run(chm_simulation* simulation) {
    return run_guarded(simulation, UINT64_MAX);
}

chm_status chm_simulation_run_until(chm_simulation* simulation, uint64_t time_ps) {
    return run_guarded(simulation, time_ps);
}

chm_status chm_simulation_time(const chm_simulation* simulation, uint64_t* time_ps,
                               uint64_t* cycles, uint32_t* finished) {
    if (simulation == nullptr) {
        return chm_error_set(chm_bad_argument, "argument simulation: null");
    }
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    const chm_status status = guarded(&diagnostics, [&] {
        const uint64_t now = std::max(simulation->machine->now_ps(), simulation->reached_ps);
        if (time_ps != nullptr) {
            *time_ps = now;
        }
        if (cycles != nullptr) {
            *cycles = chm_clock_ps_to_cycles(now, chm_platform_clock_khz(simulation->platform));
        }
        if (finished != nullptr) {
            *finished = chimera::c_api::has_ended(*simulation) ? 1 : 0;
        }
        return chm_ok;
    });
    return chm_error_take(status, &diagnostics);
}
