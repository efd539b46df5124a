// SPDX-License-Identifier: Apache-2.0
#include "traces/program_reader.h"

#include <stdio.h>
#include <string.h>

void* chm_reader_append(chm_program_reader* reader, void** items, size_t* count, size_t* capacity,
                        size_t size) {
    if (chm_arena_grow(reader->arena, items, capacity, *count + 1, size) != chm_ok) {
        return NULL;
    }
    unsigned char* item = (unsigned char*)*items + *count * size;
    memset(item, 0, size);
    *count += 1;
    return item;
}

const char* chm_reader_scalar(chm_program_reader* reader, const chm_yaml_node* node) {
    if (node->kind != chm_yaml_scalar || node->text[0] == '\0') {
        chm_diagnose(reader->diagnostics, &node->origin, "key '%s': got %s; allowed: one word",
                     node->key == NULL ? "item" : node->key,
                     node->kind == chm_yaml_scalar ? "nothing" : "a block");
        return NULL;
    }
    return node->text;
}

bool chm_reader_keys(chm_program_reader* reader, const chm_yaml_node* mapping,
                     const chm_key_table* table, void* parameters) {
    bool sound = true;
    for (size_t k = 0; k < table->count; ++k) {
        const chm_yaml_node* node = chm_yaml_get(mapping, table->keys[k].name);
        if (node == NULL) {
            continue;
        }
        const char* text = chm_reader_scalar(reader, node);
        sound = text != NULL &&
                chm_key_set(&table->keys[k], parameters, text, &node->origin,
                            reader->diagnostics) == chm_ok &&
                sound;
    }
    return sound;
}

static bool is_kind(chm_program_reader* reader, const chm_yaml_node* node, chm_yaml_kind kind,
                    const char* allowed) {
    if (node == NULL) {
        return false;
    }
    if (node->kind != kind) {
        chm_diagnose(reader->diagnostics, node->key == NULL ? &node->origin : &node->key_origin,
                     "'%s': got %s; allowed: %s", node->key == NULL ? "item" : node->key,
                     node->kind == chm_yaml_scalar    ? node->text
                     : node->kind == chm_yaml_mapping ? "a mapping"
                                                      : "a list",
                     allowed);
        return false;
    }
    return true;
}

bool chm_reader_is_mapping(chm_program_reader* reader, const chm_yaml_node* node) {
    return is_kind(reader, node, chm_yaml_mapping, "a mapping (key: value)");
}

bool chm_reader_is_sequence(chm_program_reader* reader, const chm_yaml_node* node) {
    return is_kind(reader, node, chm_yaml_sequence, "a list (- item)");
}

typedef const char* (*name_at)(const chm_program_reader* reader, size_t index);

static const char* tensor_at(const chm_program_reader* reader, size_t index) {
    return reader->tensor_names[index];
}

static const char* mesh_at(const chm_program_reader* reader, size_t index) {
    return reader->meshes[index].name;
}

static const char* layout_at(const chm_program_reader* reader, size_t index) {
    return reader->layout_names[index].name;
}

static const char* communicator_at(const chm_program_reader* reader, size_t index) {
    return reader->communicators[index].name;
}

static uint32_t find(chm_program_reader* reader, const char* what, const char* name, size_t count,
                     name_at at, const chm_origin* origin) {
    char declared[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; ++i) {
        const char* candidate = at(reader, i);
        if (candidate == NULL) {
            continue; // made by default, has no name to be found by
        }
        if (strcmp(candidate, name) == 0) {
            return (uint32_t)i;
        }
        int wrote = snprintf(declared + used, sizeof declared - used, "%s%s", used == 0 ? "" : ", ",
                             candidate);
        if (wrote > 0 && used + (size_t)wrote < sizeof declared) {
            used += (size_t)wrote;
        }
    }
    chm_diagnose(reader->diagnostics, origin, "%s: got '%s'; allowed: %s", what, name,
                 used == 0 ? "none is declared" : declared);
    return CHM_NONE;
}

uint32_t chm_reader_find_tensor(chm_program_reader* reader, const char* name,
                                const chm_origin* origin) {
    return find(reader, "tensor", name, reader->tensor_count, tensor_at, origin);
}

uint32_t chm_reader_find_mesh(chm_program_reader* reader, const char* name,
                              const chm_origin* origin) {
    return find(reader, "mesh", name, reader->mesh_count, mesh_at, origin);
}

uint32_t chm_reader_find_layout(chm_program_reader* reader, const char* name,
                                const chm_origin* origin) {
    return find(reader, "layout", name, reader->layout_count, layout_at, origin);
}

uint32_t chm_reader_find_communicator(chm_program_reader* reader, const char* name,
                                      const chm_origin* origin) {
    return find(reader, "communicator", name, reader->declared_communicators, communicator_at,
                origin);
}
