/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "check.h"

static char output[1 << 20];

/* Runs "chimera ARGUMENTS"; stdout and stderr go to `output`. Returns the exit status. */
static int run(const char* arguments) {
    char command[4096];
    snprintf(command, sizeof command, "%s %s 2>&1", CHM_COMMAND, arguments);
    FILE* pipe = popen(command, "r");
    if (pipe == NULL) {
        return -1;
    }
    size_t length = fread(output, 1, sizeof output - 1, pipe);
    output[length] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline int exists(const char* path) {
    struct stat info;
    return stat(path, &info) == 0;
}
