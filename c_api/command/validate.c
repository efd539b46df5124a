// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "commands.h"

static void warn_of(const char* path, const char* kind) {
    chm_platform* platform = NULL;
    if (strcmp(kind, "platform") == 0 && chm_platform_load(&platform, path, NULL) == chm_ok) {
        chm_warn(path, platform);
    }
    chm_platform_free(platform);
}

// Checks every file, also after a bad one.
int chm_command_validate(const command_line* line) {
    int result = 0;
    for (int i = 0; i < line->count; ++i) {
        const char* kind = "";
        chm_status status = chm_validate(line->positional[i], &kind);
        if (status == chm_ok) {
            printf("%s: valid %s\n", line->positional[i], kind);
            warn_of(line->positional[i], kind);
        } else {
            int failed = chm_fail("chimera validate", status);
            result = failed > result ? failed : result;
        }
    }
    int printed = chm_printed();
    return result != 0 ? result : printed;
}
