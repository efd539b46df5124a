// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "traces/program_reader.h"

// Meshes: abstract groups of dies with named dimensions. Layouts: a placement for each dimension.

enum { most_dies = 65536 };

// "x", "y", "z", "all" or a number of dies.
static bool read_extent(chm_program_reader* reader, const chm_yaml_node* node,
                        chm_dimension* dimension) {
    static const char* const axes[3] = {"x", "y", "z"};
    const char* text = chm_reader_scalar(reader, node);
    dimension->name = node->key;
    dimension->axis = -1;
    if (text == NULL) {
        return false;
    }
    for (int a = 0; a < 3; ++a) {
        if (strcmp(text, axes[a]) == 0) {
            dimension->axis = a;
            return true;
        }
    }
    uint64_t extent = 0;
    if (strcmp(text, "all") != 0 &&
        (!chm_parse_u64(text, &extent) || extent < 1 || extent > most_dies)) {
        chm_diagnose(reader->diagnostics, &node->origin,
                     "dimension '%s': got '%s'; allowed: x, y, z, all or 1 .. %d dies", node->key,
                     text, most_dies);
        return false;
    }
    dimension->extent = (uint32_t)extent;
    return true;
}

// Without dims a mesh has the single dimension "rank".
static bool read_dimensions(chm_program_reader* reader, const chm_yaml_node* node,
                            chm_dimension dimensions[chm_max_mesh_dimensions], uint32_t* count) {
    dimensions[0] = (chm_dimension){.name = "rank", .axis = -1};
    *count = 1;
    if (node == NULL) {
        return true;
    }
    if (!chm_reader_is_mapping(reader, node)) {
        return false;
    }
    if (node->count < 1 || node->count > chm_max_mesh_dimensions) {
        chm_diagnose(reader->diagnostics, &node->key_origin,
                     "dims: got %zu; allowed: 1 .. %d dimensions", node->count,
                     chm_max_mesh_dimensions);
        return false;
    }
    bool sound = true;
    uint64_t product = 1;
    for (size_t d = 0; d < node->count; ++d) {
        chm_yaml_get(node, node->items[d].key);
        sound = read_extent(reader, &node->items[d], &dimensions[d]) && sound;
        product *= dimensions[d].extent == 0 ? 1 : dimensions[d].extent;
    }
    if (product > most_dies) {
        chm_diagnose(reader->diagnostics, &node->key_origin,
                     "dims: got %llu dies; allowed: at most %d", (unsigned long long)product,
                     most_dies);
        sound = false;
    }
    *count = (uint32_t)node->count;
    return sound;
}

static chm_status place_list(chm_program_reader* reader, const chm_yaml_node* node,
                             const chm_dimension* dimensions, uint32_t count, chm_die_mesh* mesh) {
    if (!chm_reader_is_sequence(reader, node)) {
        return chm_bad_input;
    }
    uint32_t* dies = chm_arena_alloc(reader->arena, node->count, sizeof *dies);
    bool sound = true;
    if (dies == NULL) {
        return chm_no_memory;
    }
    for (size_t i = 0; i < node->count; ++i) {
        const char* text = chm_reader_scalar(reader, &node->items[i]);
        uint64_t die = 0;
        if (text != NULL && (!chm_parse_u64(text, &die) || die >= most_dies)) {
            chm_diagnose(reader->diagnostics, &node->items[i].origin,
                         "dies: got '%s'; allowed: a die id, 0 .. %d", text, most_dies - 1);
            text = NULL;
        }
        for (size_t j = 0; text != NULL && j < i; ++j) {
            if (dies[j] == die) {
                chm_diagnose(reader->diagnostics, &node->items[i].origin,
                             "dies: got %u twice; allowed: each die once", (uint32_t)die);
                text = NULL;
            }
        }
        sound = text != NULL && sound;
        dies[i] = (uint32_t)die;
    }
    return sound
               ? chm_place_listed(dies, (uint32_t)node->count, dimensions, count, reader->topology,
                                  reader->arena, mesh, &node->key_origin, reader->diagnostics)
               : chm_bad_input;
}

static chm_status place_named(chm_program_reader* reader, const chm_yaml_node* node,
                              const chm_dimension* dimensions, uint32_t count, chm_die_mesh* mesh) {
    const char* text = chm_reader_scalar(reader, node);
    chm_block block;
    if (text == NULL) {
        return chm_bad_input;
    }
    if (!chm_block_parse(text, reader->has_block ? &reader->last_block : NULL, &block)) {
        chm_diagnose(reader->diagnostics, &node->origin,
                     "place: got '%s'; allowed: all, block of CxR, block N of CxR, next block "
                     "(after a block)",
                     text);
        return chm_bad_input;
    }
    if (!block.all) {
        reader->last_block = block;
        reader->has_block = true;
    }
    return chm_place_block(&block, dimensions, count, reader->topology, reader->arena, mesh,
                           &node->origin, reader->diagnostics);
}

static chm_status read_mesh(chm_program_reader* reader, const chm_yaml_node* item,
                            chm_named_mesh* named) {
    chm_dimension dimensions[chm_max_mesh_dimensions];
    uint32_t count = 0;
    if (!chm_reader_is_mapping(reader, item)) {
        return chm_ok;
    }
    bool sound = read_dimensions(reader, chm_yaml_get(item, "dims"), dimensions, &count);
    const chm_yaml_node* place = chm_yaml_get(item, "place");
    const chm_yaml_node* dies = chm_yaml_get(item, "dies");
    chm_yaml_refuse_unknown(item, "place, dies, dims", reader->diagnostics);
    if ((place == NULL) == (dies == NULL)) {
        chm_diagnose(reader->diagnostics, &item->key_origin,
                     "mesh '%s': needs one of place and dies", item->key);
        return chm_ok;
    }
    if (!sound) {
        return chm_ok;
    }
    for (uint32_t d = 0; d < count; ++d) {
        named->dimensions[d] = dimensions[d].name;
    }
    chm_status status = place != NULL ? place_named(reader, place, dimensions, count, &named->mesh)
                                      : place_list(reader, dies, dimensions, count, &named->mesh);
    named->placed = status == chm_ok;
    return status == chm_no_memory ? status : chm_ok;
}

chm_status chm_read_meshes(chm_program_reader* reader, const chm_yaml_node* node) {
    if (!chm_reader_is_mapping(reader, node)) {
        return chm_ok;
    }
    for (size_t i = 0; i < node->count; ++i) {
        chm_named_mesh* named =
            chm_reader_append(reader, (void**)&reader->meshes, &reader->mesh_count,
                              &reader->mesh_capacity, sizeof *reader->meshes);
        if (named == NULL) {
            return chm_no_memory;
        }
        named->name = node->items[i].key;
        named->weights = named->communicator = CHM_NONE;
        chm_status status = read_mesh(reader, &node->items[i], named);
        if (status != chm_ok) {
            return status;
        }
    }
    return chm_ok;
}
