/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdio.h>
#include <string.h>

/* A test program in C: a table of test functions, run by chm_run_tests. */

static int chm_failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                \
            chm_failures++;                                                                        \
        }                                                                                          \
    } while (0)

#define CHECK_CONTAINS(text, part)                                                                 \
    do {                                                                                           \
        if (strstr(text, part) == NULL) {                                                          \
            fprintf(stderr, "%s:%d: '%s' does not contain '%s'\n", __FILE__, __LINE__, text,       \
                    part);                                                                         \
            chm_failures++;                                                                        \
        }                                                                                          \
    } while (0)

typedef struct chm_test {
    const char* name;
    void (*run)(void);
} chm_test;

/* Runs every test, or those named in argv. 1 if any failed, 3 if none was executed. */
static int chm_run_tests(const chm_test* tests, int count, int argc, char** argv) {
    int executed = 0;
    for (int i = 0; i < count; ++i) {
        int wanted = argc < 2;
        for (int a = 1; a < argc; ++a) {
            wanted |= strcmp(argv[a], tests[i].name) == 0;
        }
        if (wanted) {
            printf("%s\n", tests[i].name);
            tests[i].run();
            executed++;
        }
    }
    printf("executed %d tests, %d checks failed\n", executed, chm_failures);
    if (executed == 0) {
        return 3;
    }
    return chm_failures != 0;
}
