// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/explain/explain.h"

#include "c_api/src/error.h"
#include "c_api/src/report.h"
#include "c_api/src/settings.h"
#include "c_api/src/workload.h"
#include "hw/golden/explain/pairs.h"

static chm_status explain(chm_text* text, chm_format format, const chm_platform* platform,
                          const chm_program* program, chm_arena* arena,
                          chm_diagnostics* diagnostics) {
    chm_workload workload;
    chm_status status = chm_api_drive(platform, program, true, arena, &workload, diagnostics);
    chm_costs costs = chm_costs_from(&platform->parameters);
    chm_plan_options options = chm_plan_options_from(&platform->parameters, &costs);
    chm_explanation explanation;
    if (status == chm_ok) {
        status =
            chm_explain(&workload, &platform->topology, &options, arena, &explanation, diagnostics);
    }
    if (status != chm_ok) {
        return status;
    }
    if (format == chm_format_text) {
        chm_text_format(text, "platform %s, program %s\n\n", chm_platform_name(platform),
                        chm_program_name(program));
        chm_explain_text(&explanation, text);
        return chm_ok;
    }
    chm_json json;
    chm_json_begin(&json, text);
    chm_json_object_begin(&json);
    chm_json_put_string(&json, "platform", chm_platform_name(platform));
    chm_json_put_string(&json, "program", chm_program_name(program));
    chm_json_put_u64(&json, "message_bytes", chm_program_message_bytes(program));
    chm_json_key(&json, "explanation");
    chm_explain_json(&explanation, &json);
    chm_json_object_end(&json);
    return chm_json_finish(&json);
}

static chm_status pairs(chm_text* text, chm_format format, const chm_platform* platform,
                        uint64_t message_bytes, chm_arena* arena, chm_diagnostics* diagnostics) {
    chm_costs costs = chm_costs_from(&platform->parameters);
    chm_plan_options options = chm_plan_options_from(&platform->parameters, &costs);
    chm_pair_table table;
    chm_status status =
        chm_pairs_derive(&platform->topology, &options, message_bytes, arena, &table, diagnostics);
    if (status == chm_ok && format == chm_format_text) {
        chm_pairs_text(&table, text);
    } else if (status == chm_ok) {
        chm_json json;
        chm_json_begin(&json, text);
        chm_pairs_json(&table, &json);
        status = chm_json_finish(&json);
    }
    return status;
}

// Hands the text over as a report, or the diagnostics as the last error.
static chm_status conclude(chm_report** report, chm_text* text, chm_status status,
                           chm_diagnostics* diagnostics) {
    if (status != chm_ok) {
        chm_text_free(text);
        return chm_error_take(status, diagnostics);
    }
    chm_diagnostics_free(diagnostics);
    return chm_report_take(report, text, status);
}

chm_status chm_explain_report(chm_report** report, chm_format format, const chm_platform* platform,
                              const chm_program* program) {
    if (report == NULL || platform == NULL || program == NULL || format > chm_format_json) {
        return chm_error_set(chm_bad_argument,
                             "argument report, format, platform or program: null or out of range");
    }
    chm_arena arena;
    chm_arena_init(&arena);
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_text text;
    chm_text_init(&text);
    chm_status status = explain(&text, format, platform, program, &arena, &diagnostics);
    chm_arena_free(&arena);
    return conclude(report, &text, status, &diagnostics);
}

chm_status chm_pairs_report(chm_report** report, chm_format format, const chm_platform* platform,
                            const chm_settings* settings) {
    if (report == NULL || platform == NULL || format > chm_format_json) {
        return chm_error_set(chm_bad_argument,
                             "argument report, format or platform: null or out of range");
    }
    chm_arena arena;
    chm_arena_init(&arena);
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_text text;
    chm_text_init(&text);
    chm_program_params parameters;
    chm_status status = chm_settings_for_program(settings, &parameters, &diagnostics);
    if (status == chm_ok) {
        uint64_t message_bytes = parameters.message_bytes != 0 ? parameters.message_bytes : 1 << 20;
        status = pairs(&text, format, platform, message_bytes, &arena, &diagnostics);
    }
    chm_arena_free(&arena);
    return conclude(report, &text, status, &diagnostics);
}
