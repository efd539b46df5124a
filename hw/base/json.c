// SPDX-License-Identifier: Apache-2.0
#include "hw/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void chm_json_begin(chm_json* json, chm_text* text) {
    memset(json, 0, sizeof *json);
    json->text = text;
}

static void new_line(chm_json* json) {
    chm_text_string(json->text, "\n");
    for (uint32_t i = 0; i < json->depth; ++i) {
        chm_text_string(json->text, "  ");
    }
}

// The separator before an item of the enclosing container.
static void separate(chm_json* json) {
    if (json->depth == 0) {
        return;
    }
    uint32_t level = json->depth - 1;
    bool on_one_line = json->inline_items[level];
    if (json->has_items[level]) {
        chm_text_string(json->text, on_one_line ? ", " : ",");
    }
    if (!on_one_line) {
        new_line(json);
    }
    json->has_items[level] = true;
}

// To be called before every value. False: nothing may be written.
static bool begin_value(chm_json* json) {
    bool in_object = json->depth != 0 && json->is_object[json->depth - 1];
    if (json->status != chm_ok || in_object != json->key_pending) {
        json->status = json->status == chm_ok ? chm_internal : json->status;
        return false;
    }
    if (!in_object) {
        separate(json);
    }
    json->key_pending = false;
    return true;
}

static void open_container(chm_json* json, bool object, bool on_one_line) {
    if (!begin_value(json)) {
        return;
    }
    if (json->depth == chm_json_max_depth) {
        json->status = chm_internal;
        return;
    }
    chm_text_string(json->text, object ? "{" : "[");
    bool nested_inline = json->depth != 0 && json->inline_items[json->depth - 1];
    json->is_object[json->depth] = object;
    json->has_items[json->depth] = false;
    json->inline_items[json->depth] = on_one_line || nested_inline;
    json->depth++;
}

static void close_container(chm_json* json, bool object) {
    if (json->status != chm_ok) {
        return;
    }
    if (json->depth == 0 || json->is_object[json->depth - 1] != object || json->key_pending) {
        json->status = chm_internal;
        return;
    }
    json->depth--;
    if (json->has_items[json->depth] && !json->inline_items[json->depth]) {
        new_line(json);
    }
    chm_text_string(json->text, object ? "}" : "]");
}

void chm_json_object_begin(chm_json* json) {
    open_container(json, true, false);
}

void chm_json_object_end(chm_json* json) {
    close_container(json, true);
}

void chm_json_array_begin(chm_json* json) {
    open_container(json, false, false);
}

void chm_json_row_begin(chm_json* json) {
    open_container(json, false, true);
}

void chm_json_array_end(chm_json* json) {
    close_container(json, false);
}

static void write_string(chm_text* text, const char* value) {
    chm_text_string(text, "\"");
    const char* plain = value; // start of what needs no escape
    for (const char* at = value;; ++at) {
        unsigned char byte = (unsigned char)*at;
        if (byte >= 0x20 && byte != '"' && byte != '\\') {
            continue;
        }
        chm_text_append(text, plain, (size_t)(at - plain));
        plain = at + 1;
        switch (byte) {
        case '\0': chm_text_string(text, "\""); return;
        case '"': chm_text_string(text, "\\\""); break;
        case '\\': chm_text_string(text, "\\\\"); break;
        case '\n': chm_text_string(text, "\\n"); break;
        case '\t': chm_text_string(text, "\\t"); break;
        default: chm_text_format(text, "\\u%04x", byte); break;
        }
    }
}

void chm_json_key(chm_json* json, const char* key) {
    if (json->status != chm_ok) {
        return;
    }
    if (json->depth == 0 || !json->is_object[json->depth - 1] || json->key_pending) {
        json->status = chm_internal;
        return;
    }
    separate(json);
    write_string(json->text, key);
    chm_text_string(json->text, ": ");
    json->key_pending = true;
}

void chm_json_string(chm_json* json, const char* value) {
    if (value == NULL) {
        chm_json_null(json);
    } else if (begin_value(json)) {
        write_string(json->text, value);
    }
}

void chm_json_u64(chm_json* json, uint64_t value) {
    if (begin_value(json)) {
        chm_text_format(json->text, "%" PRIu64, value);
    }
}

void chm_json_double(chm_json* json, double value) {
    char number[chm_double_chars];
    if (!isfinite(value)) {
        chm_json_null(json);
    } else if (begin_value(json)) {
        chm_text_string(json->text, chm_format_double(value, number));
    }
}

void chm_json_bool(chm_json* json, bool value) {
    if (begin_value(json)) {
        chm_text_string(json->text, value ? "true" : "false");
    }
}

void chm_json_null(chm_json* json) {
    if (begin_value(json)) {
        chm_text_string(json->text, "null");
    }
}

void chm_json_put_string(chm_json* json, const char* key, const char* value) {
    chm_json_key(json, key);
    chm_json_string(json, value);
}

void chm_json_put_u64(chm_json* json, const char* key, uint64_t value) {
    chm_json_key(json, key);
    chm_json_u64(json, value);
}

void chm_json_put_double(chm_json* json, const char* key, double value) {
    chm_json_key(json, key);
    chm_json_double(json, value);
}

void chm_json_put_bool(chm_json* json, const char* key, bool value) {
    chm_json_key(json, key);
    chm_json_bool(json, value);
}

chm_status chm_json_finish(chm_json* json) {
    chm_text_string(json->text, "\n");
    if (json->status == chm_ok && (json->depth != 0 || json->key_pending)) {
        json->status = chm_internal;
    }
    return json->status != chm_ok ? json->status : chm_text_status(json->text);
}
