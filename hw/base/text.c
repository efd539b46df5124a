// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // newlocale, uselocale

#include "hw/base/text.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/base/checked.h"

// Numbers are formatted and parsed in the C locale of this thread alone.
typedef struct c_locale {
    locale_t own;
    locale_t before;
} c_locale;

static c_locale enter_c_locale(void) {
    c_locale guard = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (guard.own != (locale_t)0) {
        guard.before = uselocale(guard.own);
    }
    return guard;
}

static void leave_c_locale(c_locale guard) {
    if (guard.own != (locale_t)0) {
        uselocale(guard.before);
        freelocale(guard.own);
    }
}

void chm_text_init(chm_text* text) {
    memset(text, 0, sizeof *text);
}

void chm_text_free(chm_text* text) {
    free(text->data);
    memset(text, 0, sizeof *text);
}

static bool reserve(chm_text* text, size_t extra) {
    if (text->failed || extra > SIZE_MAX / 4 - text->length) {
        text->failed = true;
        return false;
    }
    size_t needed = text->length + extra + 1;
    if (needed <= text->capacity) {
        return true;
    }
    size_t capacity = needed * 2;
    char* data = realloc(text->data, capacity);
    if (data == NULL) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void chm_text_append(chm_text* text, const char* bytes, size_t length) {
    if (!reserve(text, length)) {
        return;
    }
    if (length != 0) {
        memcpy(text->data + text->length, bytes, length);
    }
    text->length += length;
    text->data[text->length] = '\0';
}

void chm_text_string(chm_text* text, const char* string) {
    chm_text_append(text, string, strlen(string));
}

void chm_text_format(chm_text* text, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list measured;
    va_copy(measured, arguments);
    int length = vsnprintf(NULL, 0, format, measured);
    va_end(measured);
    if (length < 0) {
        text->failed = true;
    } else if (reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
        text->length += (size_t)length;
    }
    va_end(arguments);
}

void chm_text_double(chm_text* text, double value, int decimals) {
    c_locale guard = enter_c_locale();
    chm_text_format(text, "%.*f", decimals, value);
    leave_c_locale(guard);
}

const char* chm_text_get(const chm_text* text) {
    return text->data != NULL ? text->data : "";
}

chm_status chm_text_status(const chm_text* text) {
    return text->failed ? chm_no_memory : chm_ok;
}

char* chm_format_double(double value, char buffer[chm_double_chars]) {
    if (isnan(value)) {
        return strcpy(buffer, "nan");
    }
    if (fabs(value) < 1e15 && value == floor(value)) {
        snprintf(buffer, chm_double_chars, "%.0f", value); // not "1e+01"
        return buffer;
    }
    c_locale guard = enter_c_locale();
    for (int digits = 1; digits <= 17; ++digits) {
        snprintf(buffer, chm_double_chars, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) {
            break;
        }
    }
    leave_c_locale(guard);
    return buffer;
}

bool chm_parse_double(const char* text, double* value) {
    // strtod would also take leading space, hexadecimal, "inf" and "nan".
    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0') {
        return false;
    }
    c_locale guard = enter_c_locale();
    char* end = NULL;
    double parsed = strtod(text, &end);
    leave_c_locale(guard);
    if (end == text || *end != '\0' || !isfinite(parsed)) {
        return false;
    }
    *value = parsed;
    return true;
}

static bool parse_suffix(const char* suffix, unsigned* shift) {
    static const struct {
        const char* name;
        unsigned shift;
    } suffixes[] = {{"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; ++i) {
        if (strcmp(suffix, suffixes[i].name) == 0) {
            *shift = suffixes[i].shift;
            return true;
        }
    }
    return false;
}

bool chm_parse_u64(const char* text, uint64_t* value) {
    uint64_t parsed = 0;
    bool digit_before = false;
    const char* at = text;
    for (; (*at >= '0' && *at <= '9') || *at == '_'; ++at) {
        if (*at == '_') {
            if (!digit_before) {
                return false;
            }
            digit_before = false;
            continue;
        }
        if (!chm_mul_u64(parsed, 10, &parsed) ||
            !chm_add_u64(parsed, (uint64_t)(*at - '0'), &parsed)) {
            return false;
        }
        digit_before = true;
    }
    unsigned shift = 0;
    if (!digit_before || !parse_suffix(at, &shift) ||
        !chm_mul_u64(parsed, (uint64_t)1 << shift, &parsed)) {
        return false;
    }
    *value = parsed;
    return true;
}
