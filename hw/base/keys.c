// SPDX-License-Identifier: Apache-2.0
#include "hw/base/keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void* field(const chm_key* key, void* parameters) {
    return (unsigned char*)parameters + key->offset;
}

static const void* const_field(const chm_key* key, const void* parameters) {
    return (const unsigned char*)parameters + key->offset;
}

// A limit of the table as an integer; limits beyond 64 bits saturate.
static uint64_t limit_u64(double limit) {
    return limit >= 0x1.0p64 ? UINT64_MAX : (uint64_t)limit;
}

void chm_keys_default(const chm_key_table* table, void* parameters) {
    for (size_t i = 0; i < table->count; ++i) {
        const chm_key* key = &table->keys[i];
        void* at = field(key, parameters);
        switch (key->type) {
        case chm_key_u64:
        case chm_key_choice: *(uint64_t*)at = (uint64_t)key->default_value; break;
        case chm_key_f64: *(double*)at = key->default_value; break;
        case chm_key_bool: *(bool*)at = key->default_value != 0; break;
        }
    }
}

const chm_key* chm_keys_find(const chm_key_table* table, const char* name) {
    for (size_t i = 0; i < table->count; ++i) {
        if (strcmp(table->keys[i].name, name) == 0) {
            return &table->keys[i];
        }
    }
    return NULL;
}

// The index of value among "a|b|c".
static bool parse_choice(const char* choices, const char* value, uint64_t* index) {
    size_t length = strlen(value);
    uint64_t i = 0;
    for (const char* at = choices;; ++i) {
        size_t span = strcspn(at, "|");
        if (span == length && memcmp(at, value, length) == 0) {
            *index = i;
            return true;
        }
        if (at[span] == '\0') {
            return false;
        }
        at += span + 1;
    }
}

static bool parse_bool(const char* value, bool* result) {
    static const char* const words[] = {"on", "off", "true", "false", "yes", "no"};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strcmp(value, words[i]) == 0) {
            *result = i % 2 == 0;
            return true;
        }
    }
    return false;
}

static bool parse_into(const chm_key* key, void* at, const char* value) {
    uint64_t integer = 0;
    double real = 0;
    switch (key->type) {
    case chm_key_u64:
        if (!chm_parse_u64(value, &integer) || integer < limit_u64(key->minimum) ||
            integer > limit_u64(key->maximum)) {
            return false;
        }
        *(uint64_t*)at = integer;
        return true;
    case chm_key_f64:
        if (!chm_parse_double(value, &real) || real < key->minimum || real > key->maximum) {
            return false;
        }
        *(double*)at = real;
        return true;
    case chm_key_bool: return parse_bool(value, at);
    case chm_key_choice: return parse_choice(key->choices, value, at);
    }
    return false;
}

chm_status chm_key_set(const chm_key* key, void* parameters, const char* value,
                       const chm_origin* origin, chm_diagnostics* diagnostics) {
    if (parse_into(key, field(key, parameters), value)) {
        return chm_ok;
    }
    char allowed[256];
    chm_diagnose(diagnostics, origin, "key '%s': got '%s'; allowed: %s", key->name, value,
                 chm_key_allowed(key, allowed, sizeof allowed));
    return chm_bad_input;
}

static const char* choice_name(const char* choices, uint64_t index, size_t* length) {
    const char* at = choices;
    for (uint64_t i = 0; i < index; ++i) {
        at += strcspn(at, "|");
        at += *at == '|';
    }
    *length = strcspn(at, "|");
    return at;
}

char* chm_key_format(const chm_key* key, const void* parameters, char* buffer, size_t size) {
    const void* at = const_field(key, parameters);
    char number[chm_double_chars];
    size_t length = 0;
    switch (key->type) {
    case chm_key_u64: snprintf(buffer, size, "%" PRIu64, *(const uint64_t*)at); break;
    case chm_key_f64:
        snprintf(buffer, size, "%s", chm_format_double(*(const double*)at, number));
        break;
    case chm_key_bool: snprintf(buffer, size, "%s", *(const bool*)at ? "true" : "false"); break;
    case chm_key_choice: {
        const char* name = choice_name(key->choices, *(const uint64_t*)at, &length);
        snprintf(buffer, size, "%.*s", (int)length, name);
        break;
    }
    }
    return buffer;
}

char* chm_key_allowed(const chm_key* key, char* buffer, size_t size) {
    char low[chm_double_chars];
    char high[chm_double_chars];
    const char* unit = key->unit != NULL ? key->unit : "";
    const char* space = unit[0] != '\0' ? " " : "";
    switch (key->type) {
    case chm_key_u64:
        snprintf(buffer, size, "integer %" PRIu64 " .. %" PRIu64 "%s%s", limit_u64(key->minimum),
                 limit_u64(key->maximum), space, unit);
        break;
    case chm_key_f64:
        snprintf(buffer, size, "number %s .. %s%s%s", chm_format_double(key->minimum, low),
                 chm_format_double(key->maximum, high), space, unit);
        break;
    case chm_key_bool: snprintf(buffer, size, "on, off, true, false, yes, no"); break;
    case chm_key_choice: {
        size_t used = 0;
        for (const char* at = key->choices; *at != '\0' && used + 3 < size; ++at) {
            buffer[used++] = *at == '|' ? ',' : *at;
            if (*at == '|') {
                buffer[used++] = ' ';
            }
        }
        buffer[used] = '\0';
        break;
    }
    }
    return buffer;
}

void chm_keys_names(const chm_key_table* table, chm_text* names) {
    for (size_t i = 0; i < table->count; ++i) {
        chm_text_format(names, "%s%s", names->length == 0 ? "" : ", ", table->keys[i].name);
    }
}
