// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "commands.h"

int chm_fail(const char* what, chm_status status) {
    const char* text = chm_last_error();
    size_t length = strlen(text);
    if (status == chm_mismatch || status == chm_deadlock) {
        fprintf(stderr, "%s: %s\n", what, chm_status_string(status));
    }
    fprintf(stderr, "%s%s", text, length != 0 && text[length - 1] == '\n' ? "" : "\n");
    switch (status) {
    case chm_ok: return 0;
    case chm_mismatch:
    case chm_deadlock: return chm_exit_failed;
    case chm_no_memory:
    case chm_internal: return chm_exit_internal;
    default: return chm_exit_usage;
    }
}

int chm_print(chm_report* report) {
    fputs(chm_report_text(report), stdout);
    chm_report_free(report);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("stdout");
        return chm_exit_usage;
    }
    return 0;
}

int chm_load(const command_line* line, const char* platform_name, const char* program_name,
             chm_platform** platform, chm_program** program) {
    chm_status status = chm_platform_load(platform, platform_name, line->settings);
    if (status != chm_ok) {
        return chm_fail("chimera", status);
    }
    if (program_name != NULL) {
        status =
            chm_program_load(program, *platform, program_name, line->settings, line->options.seed);
    }
    if (status != chm_ok) {
        chm_platform_free(*platform);
        return chm_fail("chimera", status);
    }
    return 0;
}
