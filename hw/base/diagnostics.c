// SPDX-License-Identifier: Apache-2.0
#include "hw/base/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void chm_diagnostics_init(chm_diagnostics* diagnostics) {
    memset(diagnostics, 0, sizeof *diagnostics);
}

void chm_diagnostics_free(chm_diagnostics* diagnostics) {
    free(diagnostics->text);
    memset(diagnostics, 0, sizeof *diagnostics);
}

static bool reserve(chm_diagnostics* diagnostics, size_t extra) {
    size_t needed = diagnostics->length + extra + 1;
    if (needed <= diagnostics->capacity) {
        return true;
    }
    size_t capacity = needed * 2;
    char* text = realloc(diagnostics->text, capacity);
    if (text == NULL) {
        diagnostics->truncated = true;
        return false;
    }
    diagnostics->text = text;
    diagnostics->capacity = capacity;
    return true;
}

static void append_v(chm_diagnostics* diagnostics, const char* format, va_list arguments) {
    va_list measured;
    va_copy(measured, arguments);
    int length = vsnprintf(NULL, 0, format, measured);
    va_end(measured);
    if (length < 0 || !reserve(diagnostics, (size_t)length)) {
        return;
    }
    vsnprintf(diagnostics->text + diagnostics->length, (size_t)length + 1, format, arguments);
    diagnostics->length += (size_t)length;
}

static void append(chm_diagnostics* diagnostics, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append_v(diagnostics, format, arguments);
    va_end(arguments);
}

void chm_diagnose_v(chm_diagnostics* diagnostics, const chm_origin* origin, const char* format,
                    va_list arguments) {
    if (diagnostics == NULL) {
        return;
    }
    diagnostics->errors++;
    if (origin != NULL && origin->name != NULL) {
        if (origin->line != 0) {
            append(diagnostics, "%s:%u:%u: ", origin->name, origin->line, origin->column);
        } else {
            append(diagnostics, "%s: ", origin->name);
        }
    }
    append_v(diagnostics, format, arguments);
    append(diagnostics, "\n");
}

void chm_diagnose(chm_diagnostics* diagnostics, const chm_origin* origin, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    chm_diagnose_v(diagnostics, origin, format, arguments);
    va_end(arguments);
}

const char* chm_diagnostics_text(const chm_diagnostics* diagnostics) {
    return diagnostics->text != NULL ? diagnostics->text : "";
}
