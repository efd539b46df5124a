// SPDX-License-Identifier: Apache-2.0
// JSON Schema of platform files and configurations.
#include <string.h>

#include "c_api/src/configuration.h"
#include "c_api/src/key_pages.h"
#include "c_api/src/settings.h"
#include "hw/golden/parameters.h"
#include "platforms/platform_kinds.h"
#include "platforms/user_graph.h"

static void schema_limits(const chm_key* key, chm_json* json) {
    // Numbers may carry a suffix or be written with underscores: then they are strings.
    chm_json_key(json, "anyOf");
    chm_json_array_begin(json);
    chm_json_object_begin(json);
    chm_json_put_string(json, "type", key->type == chm_key_u64 ? "integer" : "number");
    chm_json_put_double(json, "minimum", key->minimum);
    chm_json_put_double(json, "maximum", key->maximum);
    chm_json_object_end(json);
    if (key->type == chm_key_u64) {
        chm_json_object_begin(json);
        chm_json_put_string(json, "type", "string");
        chm_json_put_string(json, "pattern", "^[0-9][0-9_]*(KiB|MiB|GiB)?$");
        chm_json_object_end(json);
    }
    chm_json_array_end(json);
}

static void schema_choices(const char* choices, chm_json* json) {
    chm_json_key(json, "enum");
    chm_json_row_begin(json);
    for (const char* at = choices; *at != '\0';) {
        size_t length = strcspn(at, "|");
        char word[64] = "";
        memcpy(word, at, length < sizeof word ? length : sizeof word - 1);
        chm_json_string(json, word);
        at += length + (at[length] == '|');
    }
    chm_json_array_end(json);
}

static void schema_key(const chm_key* key, chm_json* json) {
    chm_json_key(json, key->name);
    chm_json_object_begin(json);
    chm_json_put_string(json, "description", key->meaning);
    if (key->type == chm_key_choice) {
        schema_choices(key->choices, json);
    } else if (key->type == chm_key_bool) {
        chm_json_key(json, "enum"); // YAML 1.2 leaves on, off, yes and no texts
        chm_json_row_begin(json);
        chm_json_bool(json, true);
        chm_json_bool(json, false);
        for (size_t i = 0; i < 4; ++i) {
            static const char* const words[] = {"on", "off", "yes", "no"};
            chm_json_string(json, words[i]);
        }
        chm_json_array_end(json);
    } else {
        schema_limits(key, json);
    }
    chm_json_object_end(json);
}

static void schema_table(const chm_key_table* table, chm_json* json) {
    for (size_t k = 0; k < table->count; ++k) {
        schema_key(&table->keys[k], json);
    }
}

static void schema_run(chm_json* json) {
    chm_json_key(json, "run");
    chm_json_object_begin(json);
    chm_json_put_string(json, "description", "What a configuration runs on the platform.");
    chm_json_put_string(json, "type", "object");
    chm_json_put_bool(json, "additionalProperties", false);
    chm_json_key(json, "required");
    chm_json_row_begin(json);
    chm_json_string(json, "program");
    chm_json_array_end(json);
    chm_json_key(json, "properties");
    chm_json_object_begin(json);
    chm_json_key(json, "program");
    chm_json_object_begin(json);
    chm_json_put_string(json, "type", "string");
    chm_json_object_end(json);
    schema_table(&chm_program_keys, json);
    schema_table(&chm_run_keys, json);
    chm_json_key(json, "fail");
    chm_json_object_begin(json);
    chm_json_put_string(json, "description",
                        "What fails for good, and from which cycle on: link:NODE-NODE@CYCLE or "
                        "die:DIE@CYCLE.");
    chm_json_put_string(json, "type", "array");
    chm_json_key(json, "items");
    chm_json_object_begin(json);
    chm_json_put_string(json, "type", "string");
    chm_json_object_end(json);
    chm_json_object_end(json);
    chm_json_object_end(json);
    chm_json_object_end(json);
}

static bool has_list(const chm_platform_kind* kind, const char* name) {
    bool found = false;
    for (size_t i = 0; kind->lists != NULL && kind->lists[i] != NULL; ++i) {
        found = found || strcmp(kind->lists[i], name) == 0;
    }
    return found;
}

// What a name that belongs to kinds of platforms, a key of a shape or a list, is to one of them, or
// to all (kind null).
typedef struct foreign_names {
    const chm_platform_kind* kind;
    chm_json* json;
} foreign_names;

// Of the lists, the entries of links are said; the others go by examples (platforms/README.md).
static void schema_links(chm_json* json) {
    chm_json_key(json, "links");
    chm_json_object_begin(json);
    chm_json_put_string(json, "type", "array");
    chm_json_key(json, "items");
    chm_json_object_begin(json);
    chm_json_put_string(json, "type", "object");
    chm_json_put_bool(json, "additionalProperties", false);
    chm_json_key(json, "properties");
    chm_json_object_begin(json);
    chm_json_put_bool(json, "between", true);
    chm_json_put_bool(json, "from", true);
    chm_json_put_bool(json, "to", true);
    schema_table(&chm_graph_link_keys, json);
    chm_json_object_end(json);
    chm_json_object_end(json);
    chm_json_object_end(json);
}

static void put_name(const char* name, void* context) {
    const foreign_names* in = context;
    if (in->kind == NULL && strcmp(name, "links") == 0) {
        schema_links(in->json);
    } else if (in->kind == NULL) {
        chm_json_put_bool(in->json, name, true);
    } else if (chm_keys_find(in->kind->keys, name) == NULL && !has_list(in->kind, name)) {
        chm_json_put_bool(in->json, name, false);
    }
}

static void put_names(const chm_platform_kind* kind, chm_json* json) {
    foreign_names names = {kind, json};
    chm_platform_each_shape_name(put_name, &names);
    for (size_t k = 0; k < chm_platform_kind_count; ++k) {
        const char* const* lists = chm_platform_kinds[k].lists;
        for (size_t i = 0; lists != NULL && lists[i] != NULL; ++i) {
            put_name(lists[i], &names);
        }
    }
}

// If the file says this kind: what it needs, what it takes, and what it does not.
static void schema_kind(const chm_platform_kind* kind, chm_json* json) {
    chm_json_object_begin(json);
    chm_json_key(json, "if");
    chm_json_object_begin(json);
    chm_json_key(json, "properties");
    chm_json_object_begin(json);
    chm_json_key(json, "platform");
    chm_json_object_begin(json);
    chm_json_put_string(json, "const", kind->name);
    chm_json_object_end(json);
    chm_json_object_end(json);
    chm_json_object_end(json);
    chm_json_key(json, "then");
    chm_json_object_begin(json);
    chm_json_key(json, "required");
    chm_json_row_begin(json);
    for (size_t k = 0; k < kind->keys->count; ++k) {
        if (chm_platform_kind_needs(kind, &kind->keys->keys[k])) {
            chm_json_string(json, kind->keys->keys[k].name);
        }
    }
    chm_json_array_end(json);
    chm_json_key(json, "properties");
    chm_json_object_begin(json);
    schema_table(kind->keys, json);
    put_names(kind, json);
    chm_json_object_end(json);
    chm_json_object_end(json);
    chm_json_object_end(json);
}

static void schema_head(chm_json* json) {
    chm_json_key(json, "platform");
    chm_json_object_begin(json);
    chm_json_put_string(json, "description", "The kind of platform.");
    chm_json_key(json, "enum");
    chm_json_row_begin(json);
    for (size_t k = 0; k < chm_platform_kind_count; ++k) {
        chm_json_string(json, chm_platform_kinds[k].name);
    }
    chm_json_array_end(json);
    chm_json_object_end(json);
    chm_json_key(json, "name");
    chm_json_object_begin(json);
    chm_json_put_string(json, "type", "string");
    chm_json_put_string(json, "pattern", "^[A-Za-z0-9_.-]{1,64}$");
    chm_json_object_end(json);
    chm_json_key(json, "costs");
    chm_json_object_begin(json);
    schema_choices("default|reference", json);
    chm_json_object_end(json);
}

void chm_key_schema(chm_json* json) {
    chm_json_object_begin(json);
    // Draft 7 is what editors know.
    chm_json_put_string(json, "$schema", "http://json-schema.org/draft-07/schema#");
    chm_json_put_string(json, "title", "Chimera platform or configuration");
    chm_json_put_string(json, "type", "object");
    chm_json_key(json, "required");
    chm_json_row_begin(json);
    chm_json_string(json, "platform");
    chm_json_array_end(json);
    chm_json_put_bool(json, "additionalProperties", false);
    chm_json_key(json, "properties");
    chm_json_object_begin(json);
    schema_head(json);
    for (uint32_t t = 0; t < chm_parameter_table_count; ++t) {
        schema_table(&chm_parameter_tables[t], json);
    }
    put_names(NULL, json);
    schema_run(json);
    chm_json_object_end(json);
    chm_json_key(json, "allOf");
    chm_json_array_begin(json);
    for (size_t k = 0; k < chm_platform_kind_count; ++k) {
        schema_kind(&chm_platform_kinds[k], json);
    }
    chm_json_array_end(json);
    chm_json_object_end(json);
}
