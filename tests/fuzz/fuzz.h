// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

// What every target offers: libFuzzer calls it with inputs it makes up, main.c with the files of
// the corpus. A property that does not hold stops the process, which is how a fuzzer learns of it.

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#define FUZZ_HOLDS(property)                                                                       \
    do {                                                                                           \
        if (!(property)) {                                                                         \
            fuzz_failed(__FILE__, __LINE__, #property);                                            \
        }                                                                                          \
    } while (0)

void fuzz_failed(const char* file, int line, const char* property);

// A path that reads as the given bytes, for readers of files; one at a time.
const char* fuzz_file(const uint8_t* data, size_t size);
