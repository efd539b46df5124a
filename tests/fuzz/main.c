// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over files, and over each of them cut short and with bytes flipped, without a
// fuzzer: TARGET FOLDER...
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

enum { most_bytes = 1 << 16, variants = 24 };

static size_t read_file(const char* path, uint8_t* data) {
    FILE* file = fopen(path, "rb");
    size_t size = file != NULL ? fread(data, 1, most_bytes, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    return size;
}

static void run(uint8_t* data, size_t size) {
    static uint8_t changed[most_bytes];
    LLVMFuzzerTestOneInput(data, size);
    for (uint32_t v = 1; v <= variants && size > 0; ++v) {
        memcpy(changed, data, size);
        LLVMFuzzerTestOneInput(changed, size * v / (variants + 1));
        uint32_t hash = v * 2654435761u;
        for (int flips = 0; flips < 4; ++flips) {
            hash = hash * 1664525u + 1013904223u;
            changed[hash % size] ^= (uint8_t)(1u << (hash >> 29));
        }
        LLVMFuzzerTestOneInput(changed, size);
    }
}

int main(int argc, char** argv) {
    static uint8_t data[most_bytes];
    int files = 0;
    for (int a = 1; a < argc; ++a) {
        DIR* folder = opendir(argv[a]);
        for (struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[a], entry->d_name);
            if (entry->d_name[0] != '.' && read_file(path, data) > 0) {
                run(data, read_file(path, data));
                files++;
            }
        }
        if (folder != NULL) {
            closedir(folder);
        }
    }
    printf("%d files, %d inputs each\n", files, 1 + 2 * variants);
    return files > 0 ? 0 : 3;
}
