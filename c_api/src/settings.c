// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_api/src/error.h"

static const chm_key program_keys[] = {
    {"message_bytes", chm_key_u64, "bytes", offsetof(chm_program_params, message_bytes), 0, 0,
     0x1.0p40, NULL, "One group's full tensor; 0: the program's own, else 1 MiB."},
    {"skew", chm_key_f64, "", offsetof(chm_program_params, skew), 0, 0, 1, NULL,
     "Routing of tokens to experts: 0 balanced, 1 every token's first choice is the first die."},
};

const chm_key_table chm_program_keys = {"program", program_keys,
                                        sizeof program_keys / sizeof program_keys[0]};

chm_status chm_settings_create(chm_settings** settings) {
    if (settings == NULL) {
        return chm_error_set(chm_bad_argument, "argument settings: null");
    }
    chm_settings* made = calloc(1, sizeof *made);
    if (made == NULL) {
        return chm_error_set(chm_no_memory, "out of memory");
    }
    chm_arena_init(&made->arena);
    *settings = made;
    return chm_ok;
}

void chm_settings_free(chm_settings* settings) {
    if (settings != NULL) {
        chm_arena_free(&settings->arena);
        free(settings);
    }
}

static chm_status add(chm_settings* settings, char* key, char* value) {
    void* items = settings->items;
    if (key == NULL || value == NULL ||
        chm_arena_grow(&settings->arena, &items, &settings->capacity, settings->count + 1,
                       sizeof(chm_setting)) != chm_ok) {
        return chm_error_set(chm_no_memory, "out of memory");
    }
    settings->items = items;
    settings->items[settings->count++] = (chm_setting){key, value};
    return chm_ok;
}

chm_status chm_settings_set(chm_settings* settings, const char* key, const char* value) {
    if (settings == NULL || key == NULL || value == NULL) {
        return chm_error_set(chm_bad_argument, "argument settings, key or value: null");
    }
    return add(settings, chm_arena_string(&settings->arena, key),
               chm_arena_string(&settings->arena, value));
}

chm_status chm_settings_parse(chm_settings* settings, const char* pair) {
    if (settings == NULL || pair == NULL) {
        return chm_error_set(chm_bad_argument, "argument settings or pair: null");
    }
    const char* equals = strchr(pair, '=');
    if (equals == NULL || equals == pair) {
        return chm_error_set(chm_bad_input, "--set: got '%s'; allowed: KEY=VALUE", pair);
    }
    char* key = chm_arena_string(&settings->arena, pair);
    if (key != NULL) {
        key[equals - pair] = '\0';
    }
    return add(settings, key, chm_arena_string(&settings->arena, equals + 1));
}

chm_status chm_settings_copy(chm_settings** copy, const chm_settings* settings) {
    if (copy == NULL || settings == NULL) {
        return chm_error_set(chm_bad_argument, "argument copy or settings: null");
    }
    chm_settings* made = NULL;
    chm_status status = chm_settings_create(&made);
    for (size_t i = 0; status == chm_ok && i < settings->count; ++i) {
        status = chm_settings_set(made, settings->items[i].key, settings->items[i].value);
    }
    if (status != chm_ok) {
        chm_settings_free(made);
        return status;
    }
    *copy = made;
    return chm_ok;
}

static void refuse_unknown(const chm_setting* setting, chm_diagnostics* diagnostics) {
    chm_text names;
    chm_text_init(&names);
    chm_text_string(&names, "costs");
    chm_keys_names(&chm_program_keys, &names);
    chm_platform_shape_names(&names);
    for (uint32_t i = 0; i < chm_parameter_table_count; ++i) {
        chm_keys_names(&chm_parameter_tables[i], &names);
    }
    chm_origin named_here = {NULL, 0, 0};
    chm_diagnose(diagnostics, &named_here, "--set %s: unknown key '%s' (value '%s'); allowed: %s",
                 setting->key, setting->key, setting->value, chm_text_get(&names));
    chm_text_free(&names);
}

chm_status chm_settings_for_platform(const chm_settings* settings, chm_arena* arena,
                                     const chm_setting** platform, uint32_t* count,
                                     chm_diagnostics* diagnostics) {
    *platform = NULL;
    *count = 0;
    if (settings == NULL || settings->count == 0) {
        return chm_ok;
    }
    chm_setting* kept = chm_arena_alloc(arena, settings->count, sizeof *kept);
    if (kept == NULL) {
        return chm_no_memory;
    }
    for (size_t i = 0; i < settings->count; ++i) {
        const chm_setting* setting = &settings->items[i];
        if (chm_platform_has_key(setting->key)) {
            kept[(*count)++] = *setting;
        } else if (chm_keys_find(&chm_program_keys, setting->key) == NULL) {
            refuse_unknown(setting, diagnostics);
        }
    }
    *platform = kept;
    // Not of the platform, but wrong for whoever uses them, and perhaps nobody else looks.
    chm_program_params unused;
    chm_settings_for_program(settings, &unused, diagnostics);
    return chm_ok;
}

chm_status chm_settings_for_program(const chm_settings* settings, chm_program_params* parameters,
                                    chm_diagnostics* diagnostics) {
    chm_keys_default(&chm_program_keys, parameters);
    chm_status status = chm_ok;
    for (size_t i = 0; settings != NULL && i < settings->count; ++i) {
        const chm_setting* setting = &settings->items[i];
        const chm_key* key = chm_keys_find(&chm_program_keys, setting->key);
        if (key != NULL) {
            char name[64];
            snprintf(name, sizeof name, "--set %s", key->name);
            chm_origin origin = {name, 0, 0};
            chm_status result = chm_key_set(key, parameters, setting->value, &origin, diagnostics);
            status = status == chm_ok ? result : status;
        }
    }
    return status;
}
