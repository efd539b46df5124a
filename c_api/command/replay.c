// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "commands.h"
#include "outputs.h"

int chm_command_replay(const command_line* line) {
    chm_platform* platform = NULL;
    int result = chm_check_outputs(line, &line->trace, NULL);
    if (result != 0) {
        return result;
    }
    result = chm_load(line, line->positional[0], NULL, &platform, NULL);
    if (result != 0) {
        return result;
    }
    chm_report* report = NULL;
    chm_replay_options options = CHM_REPLAY_OPTIONS_INIT;
    options.seed = line->options.seed;
    options.stall_probability = line->options.stall_probability;
    options.failures = line->options.failures;
    options.failure_count = line->options.failure_count;
    options.trace = chm_traces(&line->trace) ? &line->trace : NULL;
    chm_status status = chm_replay(NULL, &report, line->json ? chm_format_json : chm_format_text,
                                   platform, line->positional[1], &options);
    result = status == chm_ok ? chm_print(report) : chm_fail("chimera replay", status);
    chm_platform_free(platform);
    return result;
}
