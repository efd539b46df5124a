// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/base/status.h"

// A growing text buffer, and numbers as text. Neither depends on the process's locale: a program
// that embeds the library may have set any.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_text {
    char* data; // owned, terminated; null while empty
    size_t length;
    size_t capacity;
    bool failed; // memory ran out; what follows is dropped
} chm_text;

void chm_text_init(chm_text* text);
void chm_text_free(chm_text* text);

void chm_text_append(chm_text* text, const char* bytes, size_t length);
void chm_text_string(chm_text* text, const char* string);

// printf into the buffer. For floating-point numbers use chm_text_double.
void chm_text_format(chm_text* text, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

// value with `decimals` digits after the point ("%.*f").
void chm_text_double(chm_text* text, double value, int decimals);

// The collected text, "" if none. Valid until the next append or free.
const char* chm_text_get(const chm_text* text);

// chm_ok, or chm_no_memory if an append failed.
chm_status chm_text_status(const chm_text* text);

enum { chm_double_chars = 32 };

// The shortest decimal text that reads back as the same double ("0.1", "1e+30"). NaN and
// infinities give "nan", "inf", "-inf". Returns buffer.
char* chm_format_double(double value, char buffer[chm_double_chars]);

// Parses a whole text as a finite decimal number; false if it is none.
bool chm_parse_double(const char* text, double* value);

// Parses an unsigned integer: digits with optional _ between them, an optional suffix KiB, MiB or
// GiB; false if it is none or does not fit 64 bits.
bool chm_parse_u64(const char* text, uint64_t* value);

#ifdef __cplusplus
}
#endif
