// SPDX-License-Identifier: Apache-2.0
#include "traces/program_reader.h"

#include "hw/base/checked.h"

// Tensors and the inputs of a program.

enum { element_bytes = 4, most_width = 1024, least_tokens = 16 };

typedef struct tensor_keys {
    uint64_t groups;
    uint64_t tokens;
    uint64_t width;
} tensor_keys;

static const chm_key tensor_key_items[] = {
    {"groups", chm_key_u64, "", offsetof(tensor_keys, groups), 1, 1, 65536, NULL,
     "groups (DP) that each have a tensor of message_bytes; the global tensor is all of them"},
    {"tokens", chm_key_u64, "rows", offsetof(tensor_keys, tokens), 0, 0, 1099511627776.0, NULL,
     "rows of the global tensor; 0: from message_bytes"},
    {"width", chm_key_u64, "elements", offsetof(tensor_keys, width), 0, 0, 1048576, NULL,
     "elements of a row; 0: from message_bytes"},
};
static const chm_key_table tensor_table = {"tensor", tensor_key_items, 3};

bool chm_message_shape(uint64_t message_bytes, uint64_t* tokens, uint64_t* width) {
    uint64_t elements = message_bytes / element_bytes;
    if (message_bytes % element_bytes != 0 || elements < least_tokens) {
        return false;
    }
    *width = chm_min_u64(most_width, elements / least_tokens);
    while (elements % *width != 0) {
        *width -= 1;
    }
    *tokens = elements / *width;
    return true;
}

// Both tokens and width, one of them (the other follows from M), or neither.
static bool shape_of(chm_program_reader* reader, const tensor_keys* keys, const char* name,
                     const chm_origin* origin, chm_tensor* tensor) {
    uint64_t message = reader->program->message_bytes;
    uint64_t rows = 0;
    uint64_t bytes = 0;
    if (keys->tokens != 0 && keys->width != 0) {
        tensor->tokens = keys->tokens;
        tensor->width = keys->width;
    } else if (keys->width != 0 && message % (keys->width * element_bytes) == 0) {
        tensor->width = keys->width;
        rows = message / (keys->width * element_bytes);
    } else if (keys->tokens == 0 && keys->width == 0 &&
               chm_message_shape(message, &rows, &tensor->width)) {
        // rows and width are set
    } else if (keys->tokens != 0 && keys->width == 0) {
        chm_diagnose(reader->diagnostics, origin, "tensor '%s': tokens need width beside them",
                     name);
        return false;
    } else {
        chm_diagnose(reader->diagnostics, origin,
                     "tensor '%s': message_bytes %llu; allowed: whole rows of 4-byte elements%s",
                     name, (unsigned long long)message,
                     keys->width == 0 ? ", at least 64 bytes" : " of the given width");
        return false;
    }
    if (rows != 0 && !chm_mul_u64(rows, keys->groups, &tensor->tokens)) {
        tensor->tokens = UINT64_MAX;
    }
    if (!chm_mul_u64(tensor->tokens, tensor->width * element_bytes, &bytes) || bytes > (uint64_t)1
                                                                                           << 62) {
        chm_diagnose(reader->diagnostics, origin,
                     "tensor '%s': %llu tokens x %llu elements; allowed: at most 2^62 bytes", name,
                     (unsigned long long)tensor->tokens, (unsigned long long)tensor->width);
        return false;
    }
    tensor->element_bytes = element_bytes;
    return true;
}

chm_status chm_read_tensors(chm_program_reader* reader, const chm_yaml_node* node) {
    if (!chm_reader_is_mapping(reader, node)) {
        return chm_ok;
    }
    for (size_t i = 0; i < node->count; ++i) {
        const chm_yaml_node* item = &node->items[i];
        const char** name =
            chm_reader_append(reader, (void**)&reader->tensor_names, &reader->tensor_count,
                              &reader->tensor_name_capacity, sizeof *reader->tensor_names);
        reader->tensor_count -= name == NULL ? 0 : 1; // one count for both arrays
        chm_tensor* tensor =
            chm_reader_append(reader, (void**)&reader->tensors, &reader->tensor_count,
                              &reader->tensor_capacity, sizeof *reader->tensors);
        if (name == NULL || tensor == NULL) {
            return chm_no_memory;
        }
        *name = item->key;
        *tensor = (chm_tensor){.tokens = 1, .width = 1, .element_bytes = element_bytes};
        if (!chm_reader_is_mapping(reader, item)) {
            continue;
        }
        tensor_keys keys;
        chm_keys_default(&tensor_table, &keys);
        if (chm_reader_keys(reader, item, &tensor_table, &keys)) {
            shape_of(reader, &keys, item->key, &item->key_origin, tensor);
        }
        chm_yaml_refuse_unknown(item, "groups, tokens, width", reader->diagnostics);
    }
    return chm_ok;
}

static const chm_yaml_node* need(chm_program_reader* reader, const chm_yaml_node* mapping,
                                 const char* key) {
    const chm_yaml_node* node = chm_yaml_get(mapping, key);
    if (node == NULL) {
        chm_diagnose(reader->diagnostics, &mapping->key_origin, "input '%s': '%s' is missing",
                     mapping->key, key);
    }
    return node;
}

chm_status chm_read_inputs(chm_program_reader* reader, const chm_yaml_node* node) {
    if (!chm_reader_is_mapping(reader, node)) {
        return chm_ok;
    }
    for (size_t i = 0; i < node->count; ++i) {
        const chm_yaml_node* item = &node->items[i];
        uint32_t tensor = CHM_NONE;
        uint32_t layout = CHM_NONE;
        if (chm_reader_is_mapping(reader, item)) {
            const chm_yaml_node* tensor_node = need(reader, item, "tensor");
            const chm_yaml_node* layout_node = need(reader, item, "layout");
            const char* text = tensor_node ? chm_reader_scalar(reader, tensor_node) : NULL;
            if (text != NULL) {
                tensor = chm_reader_find_tensor(reader, text, &tensor_node->origin);
            }
            text = layout_node ? chm_reader_scalar(reader, layout_node) : NULL;
            if (text != NULL) {
                layout = chm_reader_find_layout(reader, text, &layout_node->origin);
            }
            chm_yaml_refuse_unknown(item, "tensor, layout", reader->diagnostics);
        }
        if (chm_reader_add_value(reader, item->key, 0, tensor, layout, CHM_NONE) == CHM_NONE) {
            return chm_no_memory;
        }
    }
    return chm_ok;
}
