// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "commands.h"

int chm_fail(const char* what, chm_status status) {
    const char* text = chm_last_error();
    size_t length = strlen(text);
    if (status == chm_mismatch || status == chm_deadlock || status == chm_unreachable) {
        fprintf(stderr, "%s: %s\n", what, chm_status_string(status));
    }
    fprintf(stderr, "%s%s", text, length != 0 && text[length - 1] == '\n' ? "" : "\n");
    switch (status) {
    case chm_ok: return 0;
    case chm_mismatch:
    case chm_unreachable:
    case chm_deadlock: return chm_exit_failed;
    case chm_no_memory:
    case chm_internal: return chm_exit_internal;
    default: return chm_exit_usage;
    }
}

int chm_printed(void) {
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("stdout");
        return chm_exit_usage;
    }
    return 0;
}

void chm_warn(const char* what, const chm_platform* platform) {
    chm_report* report = NULL;
    if (chm_platform_warnings(&report, platform) == chm_ok && *chm_report_text(report) != '\0') {
        fprintf(stderr, "%s: warning: %s", what, chm_report_text(report));
    }
    chm_report_free(report);
}

int chm_print(chm_report* report) {
    fputs(chm_report_text(report), stdout);
    chm_report_free(report);
    return chm_printed();
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
    chm_warn(platform_name, *platform);
    return 0;
}

// The seed decides how a program's tokens are routed when it is loaded.
int chm_check_seed(const command_line* line, uint64_t seed) {
    if (line->count == 1 && line->seed_given && seed != line->options.seed) {
        fprintf(stderr, "--seed: the configuration says %llu; allowed: change it there\n",
                (unsigned long long)seed);
        return chm_exit_usage;
    }
    return 0;
}

static int load_configuration(const command_line* line, chm_platform** platform,
                              chm_program** program, chm_run_options* options) {
    chm_status status =
        chm_configuration_load(platform, program, options, line->positional[0], line->settings);
    if (status != chm_ok) {
        return chm_fail("chimera", status);
    }
    if (line->engine_given) {
        options->engine = line->options.engine;
    }
    if (line->data_given) {
        options->data = line->options.data;
    }
    if (line->stall_given) {
        options->stall_probability = line->options.stall_probability;
    }
    if (line->options.failure_count > 0) {
        options->failures = line->options.failures;
        options->failure_count = line->options.failure_count;
    }
    chm_warn(line->positional[0], *platform);
    int result = chm_check_seed(line, options->seed);
    if (result != 0) {
        chm_program_free(*program);
        chm_platform_free(*platform);
    }
    return result;
}

int chm_load_run(const command_line* line, chm_platform** platform, chm_program** program,
                 chm_run_options* options) {
    *options = line->options;
    return line->count == 1
               ? load_configuration(line, platform, program, options)
               : chm_load(line, line->positional[0], line->positional[1], platform, program);
}
