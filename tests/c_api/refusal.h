/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bad input to the command: exit status 2, a message, and no file written. */
#include <unistd.h>

#include "command.h"

typedef struct bad_case {
    const char* text;    /* of a file, or options */
    const char* message; /* part of what must be said */
} bad_case;

static char folder[64];

static void path_of(char* path, size_t size, const char* name) {
    snprintf(path, size, "%s/%s", folder, name);
}

static void write_file(const char* path, const char* text, size_t length) {
    FILE* file = fopen(path, "wb");
    CHECK(file != NULL);
    if (file != NULL) {
        CHECK(fwrite(text, 1, length, file) == length);
        fclose(file);
    }
}

/* Runs with --stats, which must not appear. */
static void expect_refused(const char* arguments, const bad_case* c) {
    char stats[96];
    char line[2048];
    path_of(stats, sizeof stats, "stats.json");
    snprintf(line, sizeof line, "%s --stats %s", arguments, stats);
    if (run(line) != 2) {
        fprintf(stderr, "not refused with 2: %s\n%s\n", c->text, output);
        chm_failures++;
    }
    CHECK_CONTAINS(output, c->message);
    CHECK(!exists(stats));
}

static void expect_files_refused(const char* format, const char* name, const bad_case* cases,
                                 size_t count) {
    char path[96];
    char arguments[256];
    path_of(path, sizeof path, name);
    snprintf(arguments, sizeof arguments, format, path);
    for (size_t i = 0; i < count; ++i) {
        write_file(path, cases[i].text, strlen(cases[i].text));
        expect_refused(arguments, &cases[i]);
    }
    unlink(path);
}

#define COUNT(cases) (sizeof(cases) / sizeof(cases)[0])
#define MESH "platform: mesh\ncolumns: 5\nrows: 5\n"
#define HEADER "id,kind,die,destination,bytes,cycles,after\n"

static void make_folder(void) {
    strcpy(folder, "/tmp/chimera_faults_XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
}
