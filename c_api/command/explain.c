// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "commands.h"

int chm_command_explain(const command_line* line) {
    const char* name = line->platform != NULL ? line->platform : "mesh_5x5";
    chm_format format = line->json ? chm_format_json : chm_format_text;
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    const char* program_name = line->pairs ? NULL : line->positional[0];
    int result = chm_load(line, name, program_name, &platform, &program);
    if (result != 0) {
        return result;
    }
    chm_report* report = NULL;
    chm_status status = line->pairs ? chm_pairs_report(&report, format, platform, line->settings)
                                    : chm_explain_report(&report, format, platform, program);
    result = status == chm_ok ? chm_print(report) : chm_fail("chimera explain", status);
    chm_program_free(program);
    chm_platform_free(platform);
    return result;
}
