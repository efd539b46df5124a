// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // fileno, fstat

#include "hw/base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { max_file_bytes = 1 << 30 };

static chm_status fail(const chm_origin* origin, chm_diagnostics* diagnostics, const char* what) {
    chm_diagnose(diagnostics, origin, "cannot read: %s", what);
    return chm_io;
}

static chm_status read_stream(FILE* file, chm_text* text, const chm_origin* origin,
                              chm_diagnostics* diagnostics) {
    struct stat info;
    if (fstat(fileno(file), &info) != 0) {
        return fail(origin, diagnostics, strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return fail(origin, diagnostics, "it is a directory");
    }
    char buffer[16384];
    for (size_t count; (count = fread(buffer, 1, sizeof buffer, file)) != 0;) {
        if (text->length + count > max_file_bytes) {
            return fail(origin, diagnostics, "it is larger than 1 GiB");
        }
        chm_text_append(text, buffer, count);
    }
    return ferror(file) ? fail(origin, diagnostics, strerror(errno)) : chm_text_status(text);
}

chm_status chm_file_read(const char* path, chm_text* text, chm_diagnostics* diagnostics) {
    chm_origin origin = {path, 0, 0};
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return fail(&origin, diagnostics, strerror(errno));
    }
    chm_status status = read_stream(file, text, &origin, diagnostics);
    fclose(file);
    return status;
}
