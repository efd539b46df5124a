// SPDX-License-Identifier: Apache-2.0
#include "hw/base/yaml_text.h"

#include <string.h>

// Texts of these characters only mean themselves wherever they stand in flow style.
static bool is_plain(const char* scalar) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+";
    size_t length = strlen(scalar);
    return length > 0 && strspn(scalar, plain) == length;
}

void chm_yaml_scalar_text(const char* scalar, bool quoted, chm_text* text) {
    if (!quoted && is_plain(scalar)) {
        chm_text_string(text, scalar);
        return;
    }
    chm_text_string(text, "\"");
    for (const char* at = scalar; *at != '\0'; ++at) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '"' || byte == '\\') {
            chm_text_format(text, "\\%c", byte);
        } else if (byte < 0x20 || byte == 0x7f) {
            chm_text_format(text, "\\x%02x", byte);
        } else {
            chm_text_append(text, at, 1);
        }
    }
    chm_text_string(text, "\"");
}

void chm_yaml_text(const chm_yaml_node* node, chm_text* text) {
    if (node->kind == chm_yaml_scalar) {
        chm_yaml_scalar_text(node->text, node->quoted, text);
        return;
    }
    bool mapping = node->kind == chm_yaml_mapping;
    chm_text_string(text, mapping ? "{" : "[");
    for (size_t i = 0; i < node->count; ++i) {
        chm_text_string(text, i > 0 ? ", " : "");
        if (mapping) {
            chm_yaml_scalar_text(node->items[i].key, false, text);
            chm_text_string(text, ": ");
        }
        chm_yaml_text(&node->items[i], text);
    }
    chm_text_string(text, mapping ? "}" : "]");
}
