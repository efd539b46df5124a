// SPDX-License-Identifier: Apache-2.0
// What is read and written again reads as the same tree.
#include <string.h>

#include "hw/base/yaml_text.h"
#include "tests/fuzz/fuzz.h"

static int same(const chm_yaml_node* a, const chm_yaml_node* b) {
    if (a->kind != b->kind || a->count != b->count ||
        (a->kind == chm_yaml_scalar && strcmp(a->text, b->text) != 0)) {
        return 0;
    }
    for (size_t i = 0; i < a->count; ++i) {
        const char* key = a->items[i].key;
        if ((key == NULL) != (b->items[i].key == NULL) ||
            (key != NULL && strcmp(key, b->items[i].key) != 0) ||
            !same(&a->items[i], &b->items[i])) {
            return 0;
        }
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    chm_arena arena;
    chm_diagnostics diagnostics;
    const chm_yaml_node* root = NULL;
    chm_arena_init(&arena);
    chm_diagnostics_init(&diagnostics);
    chm_status status =
        chm_yaml_read_text("input", (const char*)data, size, &arena, &root, &diagnostics);
    FUZZ_HOLDS((status == chm_ok) == (diagnostics.errors == 0));
    if (status == chm_ok) {
        chm_text text;
        const chm_yaml_node* again = NULL;
        chm_text_init(&text);
        chm_yaml_text(root, &text);
        status = chm_yaml_read_text("again", chm_text_get(&text), text.length, &arena, &again,
                                    &diagnostics);
        FUZZ_HOLDS(status == chm_ok);
        FUZZ_HOLDS(same(root, again));
        chm_text_free(&text);
    }
    chm_diagnostics_free(&diagnostics);
    chm_arena_free(&arena);
    return 0;
}
