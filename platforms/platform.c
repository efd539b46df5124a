// SPDX-License-Identifier: Apache-2.0
#include "platforms/platform.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hw/base/text.h"
#include "platforms/platform_kinds.h"

enum { most_dies = 65536, longest_name = 64 };

typedef struct reader {
    chm_platform_description* platform;
    chm_diagnostics* diagnostics;
    chm_origin file;               // for faults of the whole
    const chm_yaml_node* root;     // of the file; lives in the platform's arena
    const chm_platform_kind* kind; // null: unknown
    chm_platform_shape shape;
    uint32_t refused; // bit per field of shape: given, but not a value, so it is not missing too
} reader;

// With an unknown kind, the shape keys of all kinds are let pass: one fault, one message.
static const chm_key* find_shape_key(const reader* in, const char* key) {
    if (in->kind != NULL) {
        return chm_keys_find(in->kind->keys, key);
    }
    const chm_key* found = NULL;
    for (size_t t = 0; found == NULL && t < chm_platform_shape_table_count; ++t) {
        found = chm_keys_find(chm_platform_shape_tables[t], key);
    }
    return found;
}

static uint32_t shape_bit(const chm_key* key) {
    return 1u << key->offset / sizeof(uint64_t);
}

static void refuse_key(reader* in, const char* key, const char* value, const chm_origin* origin) {
    chm_text names;
    chm_text_init(&names);
    chm_text_string(&names, origin->line != 0 ? "platform, name, costs" : "costs");
    if (in->kind != NULL) {
        chm_keys_names(in->kind->keys, &names);
    } else {
        chm_platform_shape_names(&names);
    }
    for (uint32_t i = 0; i < chm_parameter_table_count; ++i) {
        chm_keys_names(&chm_parameter_tables[i], &names);
    }
    chm_diagnose(in->diagnostics, origin, "unknown key '%s' (value '%s'); allowed: %s", key, value,
                 chm_text_get(&names));
    chm_text_free(&names);
}

static bool is_parameter(const char* key) {
    bool found = strcmp(key, "costs") == 0;
    for (uint32_t i = 0; i < chm_parameter_table_count; ++i) {
        found = found || chm_keys_find(&chm_parameter_tables[i], key) != NULL;
    }
    return found;
}

bool chm_platform_has_key(const char* key) {
    bool found = is_parameter(key);
    for (size_t t = 0; t < chm_platform_shape_table_count; ++t) {
        found = found || chm_keys_find(chm_platform_shape_tables[t], key) != NULL;
    }
    return found;
}

static void set_key(reader* in, const char* key, const char* value, const chm_origin* origin) {
    const chm_key* shape = find_shape_key(in, key);
    if (shape != NULL) {
        if (chm_key_set(shape, &in->shape, value, origin, in->diagnostics) != chm_ok) {
            in->refused |= shape_bit(shape);
        }
    } else if (is_parameter(key)) {
        chm_parameters_set(&in->platform->parameters, key, value, origin, in->diagnostics);
    } else {
        refuse_key(in, key, value, origin);
    }
}

static void set_kind(reader* in, const chm_yaml_node* node) {
    bool scalar = node != NULL && node->kind == chm_yaml_scalar;
    in->kind = scalar ? chm_platform_kind_find(node->text) : NULL;
    if (in->kind != NULL) {
        chm_keys_default(in->kind->keys, &in->shape);
        return;
    }
    chm_text names;
    chm_text_init(&names);
    for (size_t k = 0; k < chm_platform_kind_count; ++k) {
        chm_text_format(&names, "%s%s", k > 0 ? ", " : "", chm_platform_kinds[k].name);
    }
    if (node == NULL) {
        chm_diagnose(in->diagnostics, &in->file, "key 'platform' is missing; allowed: %s",
                     chm_text_get(&names));
    } else {
        chm_diagnose(in->diagnostics, &node->origin, "key 'platform': got '%s'; allowed: %s",
                     scalar ? node->text : "a list or mapping", chm_text_get(&names));
    }
    chm_text_free(&names);
}

// A name stands in file names, reports and scopes.
static void set_name(reader* in, const chm_yaml_node* node) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    if (node == NULL) {
        return;
    }
    bool scalar = node->kind == chm_yaml_scalar;
    size_t length = scalar ? strlen(node->text) : 0;
    if (length < 1 || length > longest_name || strspn(node->text, allowed) != length) {
        chm_diagnose(in->diagnostics, &node->origin,
                     "key 'name': got '%s'; allowed: 1 .. 64 letters, digits and _ - .",
                     scalar ? node->text : "a list or mapping");
        return;
    }
    in->platform->name = node->text;
}

static void read_root(reader* in, const chm_yaml_node* root) {
    if (root->kind != chm_yaml_mapping) {
        chm_diagnose(in->diagnostics, &root->origin,
                     "a platform is a mapping of keys to values, such as 'platform: mesh'");
        return;
    }
    set_kind(in, chm_yaml_get(root, "platform"));
    set_name(in, chm_yaml_get(root, "name"));
    chm_yaml_get(root, "run"); // what a configuration runs on the platform is not the platform's
    // Lists are read where the wiring is built, when settings are known.
    for (size_t i = 0; in->kind != NULL && in->kind->lists != NULL && in->kind->lists[i]; ++i) {
        chm_yaml_get(root, in->kind->lists[i]);
    }
    for (size_t i = 0; i < root->count; ++i) {
        const chm_yaml_node* item = &root->items[i];
        if (item->used) {
            continue; // platform, name, run, lists
        }
        const chm_key* shape = find_shape_key(in, item->key);
        bool known = shape != NULL || is_parameter(item->key);
        if (item->kind != chm_yaml_scalar && known) {
            chm_diagnose(in->diagnostics, &item->origin,
                         "key '%s': got a list or mapping; allowed: a single value", item->key);
            in->refused |= shape != NULL ? shape_bit(shape) : 0;
        } else {
            set_key(in, item->key, item->kind == chm_yaml_scalar ? item->text : "...",
                    known ? &item->origin : &item->key_origin);
        }
    }
}

static void require(reader* in, const chm_key* key) {
    uint64_t value;
    memcpy(&value, (const char*)&in->shape + key->offset, sizeof value);
    if (value == 0 && chm_platform_kind_needs(in->kind, key) &&
        (in->refused & shape_bit(key)) == 0) {
        chm_diagnose(in->diagnostics, &in->file, "key '%s' is missing; a %s needs it", key->name,
                     in->kind->name);
    }
}

// Faults of the whole: what is missing, what does not go together.
static void check(reader* in) {
    const chm_platform_kind* kind = in->kind;
    const chm_fabric_params* fabric = &in->platform->parameters.fabric;
    for (size_t k = 0; kind != NULL && k < kind->keys->count; ++k) {
        require(in, &kind->keys->keys[k]);
    }
    if (kind != NULL && kind->dies != NULL && kind->dies(&in->shape) > most_dies) {
        chm_diagnose(in->diagnostics, &in->file, "%s = %" PRIu64 " dies; allowed: at most %d",
                     kind->product, kind->dies(&in->shape), most_dies);
    }
    if (kind != NULL && kind->two_classes && fabric->vcs % 2 != 0) {
        chm_diagnose(in->diagnostics, &in->file,
                     "key 'vcs': got '%" PRIu64
                     "'; allowed on a %s: a multiple of its 2 virtual channel classes",
                     fabric->vcs, kind->name);
    }
    chm_parameters_check(&in->platform->parameters, &in->file, in->diagnostics);
}

static chm_status build(reader* in) {
    chm_platform_description* platform = in->platform;
    const chm_build_request request = {.shape = &in->shape,
                                       .fabric = &platform->parameters.fabric,
                                       .root = in->root,
                                       .file = &in->file,
                                       .arena = &platform->arena,
                                       .diagnostics = in->diagnostics};
    chm_status status = in->kind->build(&platform->topology, &request);
    if (status == chm_ok && platform->name != NULL) {
        platform->topology.name = platform->name;
    }
    platform->kind = in->kind;
    platform->shape = in->shape;
    platform->lists = in->root;
    return status == chm_ok ? chm_topology_check(&platform->topology, &in->file, in->diagnostics)
                            : status;
}

static chm_status apply_settings(reader* in, const chm_setting* settings, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const char* name = chm_arena_format(&in->platform->arena, "--set %s", settings[i].key);
        if (name == NULL) {
            return chm_no_memory;
        }
        chm_origin origin = {name, 0, 0};
        set_key(in, settings[i].key, settings[i].value, &origin);
    }
    // What is wrong with several keys together may be wrong only because of a setting.
    const char* file =
        chm_arena_format(&in->platform->arena, count > 0 ? "%s with --set" : "%s", in->file.name);
    if (file == NULL) {
        return chm_no_memory;
    }
    in->file.name = file;
    return chm_ok;
}

static chm_status read(reader* in, const char* path, const chm_setting* settings,
                       uint32_t setting_count) {
    uint32_t errors_before = in->diagnostics->errors;
    chm_status status = chm_yaml_read_file(path, &in->platform->arena, &in->root, in->diagnostics);
    if (status != chm_ok) {
        return status;
    }
    read_root(in, in->root);
    status = apply_settings(in, settings, setting_count);
    if (status != chm_ok) {
        return status;
    }
    check(in);
    return in->diagnostics->errors == errors_before ? build(in) : chm_bad_input;
}

chm_status chm_platform_read(const char* path, const chm_setting* settings, uint32_t setting_count,
                             chm_platform_description** platform, chm_diagnostics* diagnostics) {
    if (path == NULL || platform == NULL || diagnostics == NULL) {
        return chm_bad_argument;
    }
    chm_platform_description* description = calloc(1, sizeof *description);
    if (description == NULL) {
        return chm_no_memory;
    }
    chm_arena_init(&description->arena);
    chm_parameters_default(&description->parameters);
    reader in = {.platform = description, .diagnostics = diagnostics, .file = {path, 0, 0}};
    chm_status status = read(&in, path, settings, setting_count);
    if (status != chm_ok) {
        chm_platform_free(description);
        return status;
    }
    *platform = description;
    return chm_ok;
}

void chm_platform_free(chm_platform_description* platform) {
    if (platform != NULL) {
        chm_arena_free(&platform->arena);
        free(platform);
    }
}
