// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "hw/base/text.h"

// Writes one JSON value into a text buffer, indented by two spaces. In an object every value is
// preceded by chm_json_key. Misuse (a value without a key, unbalanced ends) and exhausted memory
// are sticky and come out of chm_json_finish.

#ifdef __cplusplus
extern "C" {
#endif

enum { chm_json_max_depth = 64 };

typedef struct chm_json {
    chm_text* text;
    chm_status status;
    uint32_t depth;
    bool key_pending; // a key was written, its value was not
    bool is_object[chm_json_max_depth];
    bool has_items[chm_json_max_depth];
    bool inline_items[chm_json_max_depth]; // written on one line
} chm_json;

// `text` must outlive the writer.
void chm_json_begin(chm_json* json, chm_text* text);

void chm_json_object_begin(chm_json* json);
void chm_json_object_end(chm_json* json);
void chm_json_array_begin(chm_json* json);
void chm_json_array_end(chm_json* json);
void chm_json_row_begin(chm_json* json); // an array on one line; ends with chm_json_array_end

void chm_json_key(chm_json* json, const char* key);

// Strings are UTF-8; quotes, backslashes and control characters are escaped. Null gives null.
void chm_json_string(chm_json* json, const char* value);
void chm_json_u64(chm_json* json, uint64_t value);
void chm_json_double(chm_json* json, double value); // shortest round trip; not finite: null
void chm_json_bool(chm_json* json, bool value);
void chm_json_null(chm_json* json);

// key and value in one
void chm_json_put_string(chm_json* json, const char* key, const char* value);
void chm_json_put_u64(chm_json* json, const char* key, uint64_t value);
void chm_json_put_double(chm_json* json, const char* key, double value);
void chm_json_put_bool(chm_json* json, const char* key, bool value);

// Ends with a newline. chm_ok, chm_no_memory, or chm_internal after misuse.
chm_status chm_json_finish(chm_json* json);

#ifdef __cplusplus
}
#endif
