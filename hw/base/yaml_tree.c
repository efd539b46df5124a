// SPDX-License-Identifier: Apache-2.0
// What needs no libfyaml: files and access to the tree.
#include "hw/base/yaml.h"

#include <string.h>

#include "hw/base/file.h"

chm_status chm_yaml_read_file(const char* path, chm_arena* arena, const chm_yaml_node** root,
                              chm_diagnostics* diagnostics) {
    chm_text text;
    chm_text_init(&text);
    chm_status status = chm_file_read(path, &text, diagnostics);
    if (status == chm_ok) {
        status =
            chm_yaml_read_text(path, chm_text_get(&text), text.length, arena, root, diagnostics);
    }
    chm_text_free(&text);
    return status;
}

const chm_yaml_node* chm_yaml_get(const chm_yaml_node* mapping, const char* key) {
    if (mapping == NULL || mapping->kind != chm_yaml_mapping) {
        return NULL;
    }
    for (size_t i = 0; i < mapping->count; ++i) {
        if (strcmp(mapping->items[i].key, key) == 0) {
            // The tree lives in writable memory of the arena; `used` is the reader's own mark.
            ((chm_yaml_node*)&mapping->items[i])->used = true;
            return &mapping->items[i];
        }
    }
    return NULL;
}

void chm_yaml_refuse_unknown(const chm_yaml_node* mapping, const char* allowed,
                             chm_diagnostics* diagnostics) {
    for (size_t i = 0; i < mapping->count; ++i) {
        const chm_yaml_node* entry = &mapping->items[i];
        if (entry->key != NULL && !entry->used) {
            chm_diagnose(diagnostics, &entry->key_origin, "unknown key '%s'; allowed: %s",
                         entry->key, allowed);
        }
    }
}
