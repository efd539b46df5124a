// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/base/diagnostics.h"
#include "hw/base/text.h"

// Key tables: one statement of a configuration block's keys that drives reading, errors, listings
// and documentation.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum chm_key_type {
    chm_key_u64,   // field is uint64_t; written as chm_parse_u64 (text.h) reads it
    chm_key_f64,   // field is double, finite
    chm_key_bool,  // field is bool; on|off, true|false, yes|no
    chm_key_choice // field is uint64_t: the index in choices
} chm_key_type;

typedef struct chm_key {
    const char* name;
    chm_key_type type;
    const char* unit; // "cycles", "bytes", "GHz", "" if none
    size_t offset;    // of the field in the parameter struct
    double default_value;
    double minimum, maximum; // inclusive
    const char* choices;     // chm_key_choice: "a|b|c", else null
    const char* meaning;     // one sentence
} chm_key;

typedef struct chm_key_table {
    const char* block; // "fabric"
    const chm_key* keys;
    size_t count;
} chm_key_table;

void chm_keys_default(const chm_key_table* table, void* parameters);

const chm_key* chm_keys_find(const chm_key_table* table, const char* name);

// Parses value into the key's field. A wrong type or a value out of range adds
// "key 'mtu_bytes': got '-1'; allowed: integer 1 .. 65536 bytes" at origin.
chm_status chm_key_set(const chm_key* key, void* parameters, const char* value,
                       const chm_origin* origin, chm_diagnostics* diagnostics);

// The value of a field as text that chm_key_set reads back to the same value.
char* chm_key_format(const chm_key* key, const void* parameters, char* buffer, size_t size);

// "integer 1 .. 65536 bytes": what a key allows.
char* chm_key_allowed(const chm_key* key, char* buffer, size_t size);

// Appends "a, b, c": the names of a table's keys.
void chm_keys_names(const chm_key_table* table, chm_text* names);

#ifdef __cplusplus
}
#endif
