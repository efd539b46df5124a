// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "commands.h"

int chm_command_list(const command_line* line) {
    static const char* const names[] = {"platforms", "programs", "parameters", "schema",
                                        "reference"};
    const char* what = line->positional[0];
    for (int i = 0; i < 5; ++i) {
        if (strcmp(what, names[i]) == 0) {
            chm_report* report = NULL;
            chm_status status = chm_list_report(&report, (chm_list)i,
                                                line->json ? chm_format_json : chm_format_text);
            return status == chm_ok ? chm_print(report) : chm_fail("chimera list", status);
        }
    }
    fprintf(stderr,
            "argument: got '%s'; allowed: platforms, programs, parameters, schema, reference\n",
            what);
    return chm_exit_usage;
}
