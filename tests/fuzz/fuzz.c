// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // memfd_create

#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_failed(const char* file, int line, const char* property) {
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, property);
    abort();
}

const char* fuzz_file(const uint8_t* data, size_t size) {
    static int descriptor = -1;
    static char path[64];
    if (descriptor < 0) {
        descriptor = memfd_create("input", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    FUZZ_HOLDS(descriptor >= 0 && ftruncate(descriptor, 0) == 0);
    FUZZ_HOLDS(pwrite(descriptor, data, size, 0) == (ssize_t)size);
    return path;
}
