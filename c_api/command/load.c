// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "commands.h"

int chm_command_load(const command_line* line) {
    chm_platform* platform = NULL;
    int result = chm_load(line, line->positional[0], NULL, &platform, NULL);
    if (result != 0) {
        return result;
    }
    chm_load_options options = line->load;
    options.seed = line->options.seed;
    options.failures = line->options.failures;
    options.failure_count = line->options.failure_count;
    options.packets_per_die = line->load_packets;
    chm_report* report = NULL;
    const chm_format format = line->json ? chm_format_json : chm_format_text;
    chm_status status = line->load_rates == 0
                            ? chm_measure_load(NULL, &report, format, platform, &options)
                            : chm_sweep_load(NULL, line->load_rates, line->load_last_rate, &report,
                                             format, platform, &options);
    result = status == chm_ok ? chm_print(report) : chm_fail("chimera load", status);
    chm_platform_free(platform);
    return result;
}
