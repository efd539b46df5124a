// SPDX-License-Identifier: Apache-2.0
#include "commands.h"

int chm_command_topology(const command_line* line) {
    chm_platform* platform = NULL;
    int result = chm_load(line, line->positional[0], NULL, &platform, NULL);
    if (result != 0) {
        return result;
    }
    chm_report* report = NULL;
    const char* statistics = line->count > 1 ? line->positional[1] : NULL;
    chm_status status = chm_topology_report(&report, platform, statistics);
    result = status == chm_ok ? chm_print(report) : chm_fail("chimera topology", status);
    chm_platform_free(platform);
    return result;
}
