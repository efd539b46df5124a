// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "c_api/src/error.h"
#include "c_api/src/key_pages.h"
#include "c_api/src/report.h"
#include "c_api/src/settings.h"
#include "c_api/src/shipped.h"
#include "hw/base/file.h"
#include "hw/base/json.h"
#include "hw/golden/parameters.h"

static const char* type_name(chm_key_type type) {
    static const char* const names[] = {"integer", "number", "switch", "choice"};
    return names[type];
}

static void key_as_text(const char* block, const chm_key* key, chm_text* text) {
    char value[64];
    char allowed[256];
    chm_key_default_text(key, value, sizeof value);
    chm_text_format(text, "%-15s %-32s %-8s %s\n%49s%s\n", block, key->name, value,
                    chm_key_allowed(key, allowed, sizeof allowed), "", key->meaning);
}

static void key_as_json(const char* block, const chm_key* key, chm_json* json) {
    char value[64];
    char allowed[256];
    chm_key_default_text(key, value, sizeof value);
    chm_json_object_begin(json);
    chm_json_put_string(json, "block", block);
    chm_json_put_string(json, "name", key->name);
    chm_json_put_string(json, "type", type_name(key->type));
    chm_json_put_string(json, "unit", key->unit);
    chm_json_put_string(json, "default", value);
    chm_json_put_string(json, "allowed", chm_key_allowed(key, allowed, sizeof allowed));
    chm_json_put_string(json, "meaning", key->meaning);
    chm_json_object_end(json);
}

static void list_table(const chm_key_table* table, chm_text* text, chm_json* json) {
    for (size_t k = 0; k < table->count; ++k) {
        if (json != NULL) {
            key_as_json(table->block, &table->keys[k], json);
        } else {
            key_as_text(table->block, &table->keys[k], text);
        }
    }
}

static void list_parameters(chm_text* text, chm_json* json) {
    if (json == NULL) {
        chm_text_format(text, "%-15s %-32s %-8s %s\n", "block", "key", "default", "allowed");
    }
    for (size_t t = 0; t < chm_platform_shape_table_count; ++t) {
        list_table(chm_platform_shape_tables[t], text, json);
    }
    for (uint32_t i = 0; i < chm_parameter_table_count; ++i) {
        list_table(&chm_parameter_tables[i], text, json);
    }
    list_table(&chm_program_keys, text, json);
    if (json == NULL) {
        chm_text_string(text, "preset          costs                            default  default, "
                              "reference (engine, DMA, gating, host and metadata free)\n");
    }
}

// The first sentence of the comment that a shipped file begins with (behind the licence line); ""
// if it has none or cannot be read.
static chm_status first_sentence(const char* path, chm_text* sentence) {
    chm_diagnostics ignored;
    chm_diagnostics_init(&ignored);
    chm_text file;
    chm_text_init(&file);
    chm_status status = chm_file_read(path, &file, &ignored);
    const char* line = chm_text_get(&file);
    while (status == chm_ok && line[0] == '#') {
        size_t length = strcspn(line, "\n");
        size_t blanks = 1 + strspn(line + 1, " ");
        if (strncmp(line, "# SPDX", 6) != 0 && blanks < length) {
            const char* end = strstr(line, ". ");
            bool last = (end != NULL && end < line + length) || line[length - 1] == '.';
            size_t stop = end != NULL && end < line + length ? (size_t)(end - line) + 1 : length;
            chm_text_string(sentence, sentence->length == 0 ? "" : " ");
            chm_text_append(sentence, line + blanks, stop - blanks);
            if (last) {
                break;
            }
        }
        line += length + (line[length] == '\n');
    }
    chm_text_free(&file);
    chm_diagnostics_free(&ignored);
    return chm_text_status(sentence);
}

static chm_status list_file(const char* folder, const char* name, chm_text* text, chm_json* json,
                            chm_arena* arena, chm_diagnostics* diagnostics) {
    const char* path = NULL;
    chm_text about;
    chm_text_init(&about);
    chm_status status = chm_shipped_resolve(folder, "", name, arena, &path, diagnostics);
    if (status == chm_ok) {
        status = first_sentence(path, &about);
    }
    if (status == chm_ok && json == NULL) {
        chm_text_format(text, "%-18s %s\n", name, chm_text_get(&about));
    } else if (status == chm_ok) {
        chm_json_object_begin(json);
        chm_json_put_string(json, "name", name);
        chm_json_put_string(json, "description", chm_text_get(&about));
        chm_json_object_end(json);
    }
    chm_text_free(&about);
    return status;
}

static chm_status list_files(chm_list what, chm_text* text, chm_json* json, chm_arena* arena,
                             chm_diagnostics* diagnostics) {
    const char* folder = what == chm_list_platforms ? "platforms" : "traces";
    const char* const* names = NULL;
    size_t count = 0;
    chm_status status = chm_shipped_names(folder, arena, &names, &count, diagnostics);
    for (size_t i = 0; status == chm_ok && i < count; ++i) {
        status = list_file(folder, names[i], text, json, arena, diagnostics);
    }
    return status;
}

static chm_status list(chm_list what, chm_text* text, chm_json* json, chm_arena* arena,
                       chm_diagnostics* diagnostics) {
    static const char* const keys[] = {"platforms", "programs", "parameters"};
    chm_status status = chm_ok;
    if (json != NULL) {
        chm_json_object_begin(json);
        chm_json_key(json, keys[what]);
        chm_json_array_begin(json);
    }
    if (what != chm_list_parameters) {
        status = list_files(what, text, json, arena, diagnostics);
    } else {
        list_parameters(text, json);
    }
    if (json != NULL) {
        chm_json_array_end(json);
        chm_json_object_end(json);
        chm_status finished = chm_json_finish(json);
        status = status == chm_ok ? finished : status;
    }
    return status;
}

static chm_status write_pages(chm_report** report, chm_list what) {
    chm_text text;
    chm_text_init(&text);
    chm_json json;
    chm_json_begin(&json, &text);
    if (what == chm_list_reference) {
        chm_key_reference(&text);
        return chm_report_take(report, &text, chm_ok);
    }
    chm_key_schema(&json);
    return chm_report_take(report, &text, chm_json_finish(&json));
}

chm_status chm_list_report(chm_report** report, chm_list what, chm_format format) {
    if (report == NULL || what > chm_list_reference || format > chm_format_json) {
        return chm_error_set(chm_bad_argument, "argument report, what or format: out of range");
    }
    if (what > chm_list_parameters) {
        return write_pages(report, what);
    }
    chm_text text;
    chm_text_init(&text);
    chm_json json;
    chm_json_begin(&json, &text);
    chm_arena arena;
    chm_arena_init(&arena);
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_status status =
        list(what, &text, format == chm_format_json ? &json : NULL, &arena, &diagnostics);
    chm_arena_free(&arena);
    if (status != chm_ok) {
        chm_text_free(&text);
        return chm_error_take(status, &diagnostics);
    }
    chm_diagnostics_free(&diagnostics);
    return chm_report_take(report, &text, status);
}
