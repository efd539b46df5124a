// SPDX-License-Identifier: Apache-2.0
#include "hw/base/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    longest_message = 8192, // bytes; the list of all keys is shorter
    kept_end = 2048,
    most_messages = 200
};

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

// Values come from files and command lines: what would move a terminal's cursor or end the line is
// shown as '?', so that a message cannot be mistaken for two. Texts without an origin are reports
// of our own and may have several lines.
static void show_controls(char* text, size_t length, bool keep_lines) {
    for (size_t i = 0; i < length; ++i) {
        unsigned char c = (unsigned char)text[i];
        if ((c < ' ' || c == 0x7f) && !(keep_lines && c == '\n')) {
            text[i] = '?';
        }
    }
}

// Keeps both ends of a message, where origin and key, and what is allowed stand.
static void shorten(chm_diagnostics* diagnostics, size_t begin) {
    static const char gap[] = " ... ";
    char* text = diagnostics->text + begin;
    size_t length = diagnostics->length - begin;
    if (length <= longest_message) {
        return;
    }
    size_t head = kept_end;
    size_t tail = length - kept_end;
    while ((text[head] & 0xc0) == 0x80) { // not inside a UTF-8 character
        head--;
    }
    while (tail < length && (text[tail] & 0xc0) == 0x80) {
        tail++;
    }
    memcpy(text + head, gap, sizeof gap - 1);
    memmove(text + head + sizeof gap - 1, text + tail, length - tail + 1);
    diagnostics->length = begin + head + sizeof gap - 1 + length - tail;
}

void chm_diagnose_v(chm_diagnostics* diagnostics, const chm_origin* origin, const char* format,
                    va_list arguments) {
    if (diagnostics == NULL) {
        return;
    }
    diagnostics->errors++;
    if (diagnostics->errors > most_messages) {
        if (diagnostics->errors == most_messages + 1) {
            append(diagnostics, "and more; the first %d are shown\n", most_messages);
        }
        return;
    }
    size_t begin = diagnostics->length;
    if (origin != NULL && origin->name != NULL) {
        if (origin->line != 0) {
            append(diagnostics, "%s:%u:%u: ", origin->name, origin->line, origin->column);
        } else {
            append(diagnostics, "%s: ", origin->name);
        }
    }
    append_v(diagnostics, format, arguments);
    if (diagnostics->length > begin) {
        show_controls(diagnostics->text + begin, diagnostics->length - begin, origin == NULL);
    }
    if (origin != NULL) {
        shorten(diagnostics, begin);
    }
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
