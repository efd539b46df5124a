// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "traces/program_reader.h"

// Layouts: {mesh: stage, dp: shard(tokens), tp: partial, order: [dp, tp]}.

static const struct {
    const char* text;
    chm_placement placement;
} placements[] = {
    {"replicate", {.kind = chm_place_replicate}},
    {"shard(tokens)", {.kind = chm_place_shard, .axis = chm_axis_tokens}},
    {"shard(width)", {.kind = chm_place_shard, .axis = chm_axis_width}},
    {"partial", {.kind = chm_place_partial}},
    {"routed_copy", {.kind = chm_place_routed_copy}},
    {"routed_partial", {.kind = chm_place_routed_partial}},
};
enum { placement_texts = sizeof placements / sizeof placements[0] };

static bool read_placement(chm_program_reader* reader, const chm_yaml_node* node,
                           chm_placement* placement) {
    const char* text = chm_reader_scalar(reader, node);
    for (size_t i = 0; text != NULL && i < placement_texts; ++i) {
        if (strcmp(text, placements[i].text) == 0) {
            *placement = placements[i].placement;
            return true;
        }
    }
    if (text != NULL) {
        chm_diagnose(reader->diagnostics, &node->origin,
                     "key '%s': got '%s'; allowed: replicate, shard(tokens), shard(width), "
                     "partial, routed_copy, routed_partial",
                     node->key, text);
    }
    return false;
}

static uint32_t find_dimension(const chm_named_mesh* mesh, const char* name) {
    for (uint32_t d = 0; d < chm_max_mesh_dimensions && mesh->dimensions[d] != NULL; ++d) {
        if (strcmp(mesh->dimensions[d], name) == 0) {
            return d;
        }
    }
    return CHM_NONE;
}

// Where several dimensions split one axis, the first named splits first: in the order of the mesh,
// or in the order that the layout lists.
static void number_splits(chm_layout* layout, uint32_t dimensions,
                          const uint32_t turn[chm_max_mesh_dimensions]) {
    uint32_t next[2] = {0, 0};
    for (uint32_t t = 0; t < dimensions; ++t) {
        chm_placement* placement = &layout->placement[turn[t]];
        if (placement->kind == chm_place_shard) {
            placement->order = next[placement->axis]++;
        }
    }
}

// The turn of every dimension: those listed in `order`, then the others.
static bool read_order(chm_program_reader* reader, const chm_yaml_node* node,
                       const chm_named_mesh* mesh, uint32_t dimensions,
                       uint32_t turn[chm_max_mesh_dimensions]) {
    bool taken[chm_max_mesh_dimensions] = {false};
    uint32_t count = 0;
    if (node != NULL && !chm_reader_is_sequence(reader, node)) {
        return false;
    }
    for (size_t i = 0; node != NULL && i < node->count; ++i) {
        const char* text = chm_reader_scalar(reader, &node->items[i]);
        uint32_t d = text == NULL ? CHM_NONE : find_dimension(mesh, text);
        if (d == CHM_NONE || taken[d]) {
            chm_diagnose(reader->diagnostics, &node->items[i].origin,
                         "order: got '%s'; allowed: dimensions of mesh '%s', each once",
                         text == NULL ? "" : text, mesh->name);
            return false;
        }
        taken[d] = true;
        turn[count++] = d;
    }
    for (uint32_t d = 0; d < dimensions; ++d) {
        if (!taken[d]) {
            turn[count++] = d;
        }
    }
    return true;
}

static void read_layout(chm_program_reader* reader, const chm_yaml_node* item,
                        chm_named_layout* named, chm_layout* layout) {
    if (!chm_reader_is_mapping(reader, item)) {
        return;
    }
    const chm_yaml_node* mesh_node = chm_yaml_get(item, "mesh");
    const char* mesh_name = mesh_node ? chm_reader_scalar(reader, mesh_node) : NULL;
    if (mesh_node == NULL) {
        chm_diagnose(reader->diagnostics, &item->key_origin, "layout '%s': 'mesh' is missing",
                     item->key);
    }
    uint32_t mesh =
        mesh_name == NULL ? CHM_NONE : chm_reader_find_mesh(reader, mesh_name, &mesh_node->origin);
    if (mesh == CHM_NONE) {
        return;
    }
    const chm_named_mesh* on = &reader->meshes[mesh];
    if (on->dimensions[0] == NULL) {
        return; // the mesh's own fault is reported
    }
    bool sound = true;
    char allowed[256] = "mesh, order";
    uint32_t dimensions = 0;
    for (; dimensions < chm_max_mesh_dimensions && on->dimensions[dimensions]; ++dimensions) {
        const char* name = on->dimensions[dimensions];
        const chm_yaml_node* node = chm_yaml_get(item, name);
        size_t used = strlen(allowed);
        snprintf(allowed + used, sizeof allowed - used, ", %s", name);
        if (node == NULL) {
            chm_diagnose(reader->diagnostics, &item->key_origin,
                         "layout '%s': dimension '%s' has no placement", item->key, name);
        }
        sound =
            node != NULL && read_placement(reader, node, &layout->placement[dimensions]) && sound;
    }
    uint32_t turn[chm_max_mesh_dimensions];
    sound = read_order(reader, chm_yaml_get(item, "order"), on, dimensions, turn) && sound;
    chm_yaml_refuse_unknown(item, allowed, reader->diagnostics);
    named->mesh = mesh;
    named->sound = sound && on->placed;
    if (named->sound) {
        layout->mesh = on->mesh;
        number_splits(layout, dimensions, turn);
    }
}

static chm_layout* append_layout(chm_program_reader* reader, chm_named_layout** named) {
    size_t count = reader->layout_count;
    *named = chm_reader_append(reader, (void**)&reader->layout_names, &count,
                               &reader->layout_name_capacity, sizeof **named);
    return *named == NULL
               ? NULL
               : chm_reader_append(reader, (void**)&reader->layouts, &reader->layout_count,
                                   &reader->layout_capacity, sizeof *reader->layouts);
}

chm_status chm_read_layouts(chm_program_reader* reader, const chm_yaml_node* node) {
    if (!chm_reader_is_mapping(reader, node)) {
        return chm_ok;
    }
    for (size_t i = 0; i < node->count; ++i) {
        chm_named_layout* named = NULL;
        chm_layout* layout = append_layout(reader, &named);
        if (layout == NULL) {
            return chm_no_memory;
        }
        named->name = node->items[i].key;
        named->mesh = CHM_NONE;
        read_layout(reader, &node->items[i], named, layout);
    }
    return chm_ok;
}

uint32_t chm_reader_weights_layout(chm_program_reader* reader, uint32_t mesh) {
    if (reader->meshes[mesh].weights == CHM_NONE) {
        chm_named_layout* named = NULL;
        chm_layout* layout = append_layout(reader, &named);
        if (layout == NULL) {
            return CHM_NONE;
        }
        *named = (chm_named_layout){.mesh = mesh, .sound = reader->meshes[mesh].placed};
        layout->mesh = reader->meshes[mesh].mesh; // placement 0 is replicate
        reader->meshes[mesh].weights = (uint32_t)reader->layout_count - 1;
    }
    return reader->meshes[mesh].weights;
}
