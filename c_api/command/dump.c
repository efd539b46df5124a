// SPDX-License-Identifier: Apache-2.0
#include "commands.h"

int chm_command_dump(const command_line* line) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_run_options options;
    int result = chm_load_run(line, &platform, &program, &options);
    if (result != 0) {
        return result;
    }
    chm_report* report = NULL;
    chm_status status = chm_configuration_report(&report, platform, program, &options);
    result = status == chm_ok ? chm_print(report) : chm_fail("chimera dump", status);
    chm_program_free(program);
    chm_platform_free(platform);
    return result;
}
