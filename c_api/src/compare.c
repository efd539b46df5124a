// SPDX-License-Identifier: Apache-2.0
#include "c_api/include/chimera.h"
#include "c_api/src/error.h"
#include "c_api/src/report.h"
#include "c_api/src/result_report.h"
#include "platforms/platform.h"

// A member "unfused" or "fused" of the statistics object.
static chm_status add_statistics(chm_text* text, const chm_simulation* simulation,
                                 uint32_t engine) {
    chm_report* report = NULL;
    chm_status status = chm_simulation_statistics(&report, simulation);
    if (status == chm_ok) {
        chm_text_string(text, engine != 0 ? ",\n\"fused\": " : "{\n\"unfused\": ");
        chm_text_append(text, chm_report_text(report), chm_report_length(report) - 1);
        chm_text_string(text, engine != 0 ? "\n}\n" : "");
        chm_report_free(report);
    }
    return status;
}

// One side. chm_mismatch leaves a result, and statistics unless null, as chm_ok does.
static chm_status run_side(chm_result* result, chm_text* statistics, const chm_platform* platform,
                           const chm_program* program, const chm_run_options* options,
                           uint32_t engine) {
    chm_run_options side = *options;
    side.record = NULL;
    side.engine = engine;
    side.trace = engine != 0 ? options->trace : options->trace_unfused;
    chm_simulation* simulation = NULL;
    chm_status status = chm_simulation_create(&simulation, platform, program, &side);
    if (status != chm_ok) {
        return status;
    }
    status = chm_simulation_run(simulation);
    if (status == chm_ok || status == chm_mismatch) {
        chm_status measured = chm_simulation_result(simulation, result);
        if (measured == chm_ok && statistics != NULL) {
            measured = add_statistics(statistics, simulation, engine);
        }
        status = measured != chm_ok ? measured : status;
    }
    chm_simulation_free(simulation);
    return status;
}

static chm_data_state joint_state(chm_data_state a, chm_data_state b) {
    return a == chm_data_different || b == chm_data_different ? chm_data_different
           : a == chm_data_equal && b == chm_data_equal       ? chm_data_equal
                                                              : chm_data_off;
}

static chm_status make_report(chm_report** report, chm_format format, const chm_platform* platform,
                              const chm_program* program, uint64_t seed,
                              const chm_comparison* comparison) {
    chm_run_header header = {chm_platform_name(platform), chm_program_name(program),
                             chm_program_message_bytes(program), seed,
                             chm_fidelity_of_program(&platform->parameters.fabric)};
    chm_text text;
    chm_text_init(&text);
    chm_status status = chm_ok;
    if (format == chm_format_json) {
        status = chm_comparison_as_json(&text, &header, comparison);
    } else {
        chm_comparison_as_text(&text, &header, comparison);
    }
    return chm_report_take(report, &text, status);
}

static chm_status run_both(chm_comparison* both, chm_text* statistics, const chm_platform* platform,
                           const chm_program* program, const chm_run_options* options) {
    both->unfused = (chm_result)CHM_RESULT_INIT;
    both->fused = (chm_result)CHM_RESULT_INIT;
    chm_status unfused = run_side(&both->unfused, statistics, platform, program, options, 0);
    if (unfused != chm_ok && unfused != chm_mismatch) {
        return unfused;
    }
    chm_status fused = run_side(&both->fused, statistics, platform, program, options, 1);
    if (fused != chm_ok && fused != chm_mismatch) {
        return fused;
    }
    both->speedup =
        both->fused.cycles != 0 ? (double)both->unfused.cycles / (double)both->fused.cycles : 1;
    both->data = joint_state(both->unfused.data, both->fused.data);
    return both->data == chm_data_different ? chm_mismatch : chm_ok;
}

chm_status chm_compare(chm_comparison* comparison, chm_report** report, chm_format format,
                       chm_report** statistics, const chm_platform* platform,
                       const chm_program* program, const chm_run_options* options) {
    if (options == NULL || options->struct_size != sizeof *options || format > chm_format_json ||
        (comparison != NULL && comparison->struct_size != sizeof *comparison)) {
        return chm_error_set(chm_bad_argument,
                             "argument comparison, format or options: null or out of range");
    }
    chm_comparison both = CHM_COMPARISON_INIT;
    chm_text text;
    chm_text_init(&text);
    chm_status ran = run_both(&both, statistics != NULL ? &text : NULL, platform, program, options);
    chm_status made = ran == chm_mismatch ? chm_ok : ran;
    if (made == chm_ok && report != NULL) {
        made = make_report(report, format, platform, program, options->seed, &both);
    }
    if (made == chm_ok && statistics != NULL) {
        made = chm_report_take(statistics, &text, chm_ok);
    }
    chm_text_free(&text);
    if (made != chm_ok) {
        return made;
    }
    if (comparison != NULL) {
        *comparison = both;
    }
    return ran;
}
