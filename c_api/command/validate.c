// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "commands.h"

// Checks every file, also after a bad one.
int chm_command_validate(const command_line* line) {
    int result = 0;
    for (int i = 0; i < line->count; ++i) {
        const char* kind = "";
        chm_status status = chm_validate(line->positional[i], &kind);
        if (status == chm_ok) {
            printf("%s: valid %s\n", line->positional[i], kind);
        } else {
            int failed = chm_fail("chimera validate", status);
            result = failed > result ? failed : result;
        }
    }
    return result;
}
