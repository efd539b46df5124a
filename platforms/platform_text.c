// SPDX-License-Identifier: Apache-2.0
#include "hw/base/yaml_text.h"
#include "platforms/platform_kinds.h"

static void table_text(const chm_key_table* table, const void* values, chm_text* text) {
    char value[64];
    for (size_t k = 0; k < table->count; ++k) {
        const chm_key* key = &table->keys[k];
        chm_key_format(key, values, value, sizeof value);
        chm_text_format(text, "%s: %s%s%s\n", key->name, value, key->unit[0] != '\0' ? " # " : "",
                        key->unit);
    }
}

// Zero stands for a key that is not there (platform_kinds.c).
static void shape_text(const chm_platform_description* platform, chm_text* text) {
    const chm_key_table* table = platform->kind->keys;
    for (size_t k = 0; k < table->count; ++k) {
        const chm_key* key = &table->keys[k];
        uint64_t value = *(const uint64_t*)((const char*)&platform->shape + key->offset);
        if (value != 0) {
            table_text(&(chm_key_table){table->block, key, 1}, &platform->shape, text);
        }
    }
}

void chm_platform_text(const chm_platform_description* platform, chm_text* text) {
    chm_text_format(text, "platform: %s\n", platform->kind->name);
    if (platform->name != NULL) {
        chm_text_format(text, "name: %s\n", platform->name);
    }
    shape_text(platform, text);
    const char* const* lists = platform->kind->lists;
    for (size_t i = 0; lists != NULL && lists[i] != NULL; ++i) {
        const chm_yaml_node* list = chm_yaml_get(platform->lists, lists[i]);
        if (list != NULL) {
            chm_text_format(text, "%s: ", lists[i]);
            chm_yaml_text(list, text);
            chm_text_string(text, "\n");
        }
    }
    for (uint32_t t = 0; t < chm_parameter_table_count; ++t) {
        chm_text_format(text, "# %s\n", chm_parameter_tables[t].block);
        table_text(&chm_parameter_tables[t], &platform->parameters, text);
    }
}
