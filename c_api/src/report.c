// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/report.h"

#include <stdlib.h>

#include "c_api/src/error.h"

const char* chm_report_text(const chm_report* report) {
    return report != NULL ? chm_text_get(&report->text) : "";
}

size_t chm_report_length(const chm_report* report) {
    return report != NULL ? report->text.length : 0;
}

void chm_report_free(chm_report* report) {
    if (report != NULL) {
        chm_text_free(&report->text);
        free(report);
    }
}

chm_status chm_report_take(chm_report** report, chm_text* text, chm_status status) {
    chm_report* made = NULL;
    if (status == chm_ok) {
        status = chm_text_status(text);
    }
    if (status == chm_ok) {
        made = malloc(sizeof *made);
        status = made != NULL ? chm_ok : chm_no_memory;
    }
    if (status != chm_ok) {
        chm_text_free(text);
        return chm_error_set(status, "no report: %s", chm_status_string(status));
    }
    made->text = *text;
    chm_text_init(text);
    *report = made;
    return chm_ok;
}

chm_status chm_simulation_report(chm_report** report, const chm_simulation* simulation,
                                 chm_format format) {
    if (report == NULL || simulation == NULL || (unsigned)format > chm_format_json) {
        return chm_error_set(chm_bad_argument,
                             "argument report, simulation or format: null or out of range");
    }
    return chm_api_simulation_report(report, simulation, format == chm_format_json);
}

chm_status chm_replay(chm_replay_result* result, chm_report** report, chm_format format,
                      const chm_platform* platform, const char* path,
                      const chm_replay_options* options) {
    if (platform == NULL || path == NULL || (unsigned)format > chm_format_json ||
        (result != NULL && result->struct_size != sizeof *result)) {
        return chm_error_set(chm_bad_argument,
                             "argument result, format, platform or path: null or out of range");
    }
    if (options == NULL || options->struct_size != sizeof *options ||
        !(options->stall_probability >= 0 && options->stall_probability < 1)) {
        return chm_error_set(chm_bad_argument,
                             "argument options: null, of another struct_size, or with a "
                             "stall_probability out of range; allowed: 0 .. 1, 1 excluded");
    }
    if (options->failure_count > 0 && options->failures == NULL) {
        return chm_error_set(chm_bad_argument, "argument failures: null, with a failure_count");
    }
    return chm_api_replay(result, report, format == chm_format_json, platform, path, options);
}
