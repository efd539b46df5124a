// SPDX-License-Identifier: Apache-2.0
#include "c_api/include/chimera.h"
#include "c_api/src/error.h"
#include "c_api/src/report.h"
#include "c_api/src/result_report.h"

// One side. chm_mismatch leaves a result as chm_ok does.
static chm_status run_side(chm_result* result, const chm_platform* platform,
                           const chm_program* program, const chm_run_options* options,
                           uint32_t engine) {
    chm_run_options side = *options;
    side.engine = engine;
    chm_simulation* simulation = NULL;
    chm_status status = chm_simulation_create(&simulation, platform, program, &side);
    if (status != chm_ok) {
        return status;
    }
    status = chm_simulation_run(simulation);
    if (status == chm_ok || status == chm_mismatch) {
        chm_status measured = chm_simulation_result(simulation, result);
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
                             chm_program_message_bytes(program), seed};
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

chm_status chm_compare(chm_comparison* comparison, chm_report** report, chm_format format,
                       const chm_platform* platform, const chm_program* program,
                       const chm_run_options* options) {
    if (options == NULL || options->struct_size != sizeof *options || format > chm_format_json ||
        (comparison != NULL && comparison->struct_size != sizeof *comparison)) {
        return chm_error_set(chm_bad_argument,
                             "argument comparison, format or options: null or out of range");
    }
    chm_comparison both = CHM_COMPARISON_INIT;
    both.unfused = (chm_result)CHM_RESULT_INIT;
    both.fused = (chm_result)CHM_RESULT_INIT;
    chm_status unfused = run_side(&both.unfused, platform, program, options, 0);
    if (unfused != chm_ok && unfused != chm_mismatch) {
        return unfused;
    }
    chm_status fused = run_side(&both.fused, platform, program, options, 1);
    if (fused != chm_ok && fused != chm_mismatch) {
        return fused;
    }
    both.speedup =
        both.fused.cycles != 0 ? (double)both.unfused.cycles / (double)both.fused.cycles : 1;
    both.data = joint_state(both.unfused.data, both.fused.data);
    if (report != NULL) {
        chm_status status = make_report(report, format, platform, program, options->seed, &both);
        if (status != chm_ok) {
            return status;
        }
    }
    if (comparison != NULL) {
        *comparison = both;
    }
    return unfused != chm_ok ? unfused : fused;
}
