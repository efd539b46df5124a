// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "traces/program_reader.h"

// Communicators: named ones with a window of their own, and one made for each pair of meshes that
// collectives use without naming any.

enum { default_window = 8, most_communicators = 65534 };

typedef struct communicator_keys {
    uint64_t window_depth;
} communicator_keys;

static const chm_key communicator_key_items[] = {
    {"window_depth", chm_key_u64, "descriptors", offsetof(communicator_keys, window_depth), 0, 0,
     65535, NULL, "window that this communicator asks for; 0: that of the run"},
};
static const chm_key_table communicator_table = {"communicator", communicator_key_items, 1};

static uint32_t run_window(const chm_program_reader* reader) {
    uint64_t depth = reader->options->window_depth;
    return depth == 0 ? default_window : (uint32_t)(depth > UINT32_MAX ? UINT32_MAX : depth);
}

static chm_communicator* append(chm_program_reader* reader) {
    chm_communicator* added =
        chm_reader_append(reader, (void**)&reader->communicators, &reader->communicator_count,
                          &reader->communicator_capacity, sizeof *reader->communicators);
    if (added != NULL) {
        *added = (chm_communicator){
            .layout = CHM_NONE, .other_layout = CHM_NONE, .window_depth = run_window(reader)};
    }
    return added;
}

chm_status chm_read_communicators(chm_program_reader* reader, const chm_yaml_node* node) {
    if (!chm_reader_is_mapping(reader, node)) {
        return chm_ok;
    }
    for (size_t i = 0; i < node->count; ++i) {
        const chm_yaml_node* item = &node->items[i];
        communicator_keys keys;
        chm_communicator* added = append(reader);
        if (added == NULL) {
            return chm_no_memory;
        }
        added->name = item->key;
        chm_keys_default(&communicator_table, &keys);
        if (chm_reader_is_mapping(reader, item)) {
            chm_reader_keys(reader, item, &communicator_table, &keys);
            chm_yaml_refuse_unknown(item, "window_depth", reader->diagnostics);
        }
        if (keys.window_depth != 0 && reader->options->window_depth != 1) {
            added->window_depth = (uint32_t)keys.window_depth;
        }
    }
    reader->declared_communicators = reader->communicator_count;
    return chm_ok;
}

static uint32_t mesh_of(const chm_program_reader* reader, uint32_t layout) {
    return layout == CHM_NONE ? CHM_NONE : reader->layout_names[layout].mesh;
}

static bool is_on(const chm_program_reader* reader, const chm_communicator* communicator,
                  uint32_t from, uint32_t to) {
    return mesh_of(reader, communicator->layout) == mesh_of(reader, from) &&
           mesh_of(reader, communicator->other_layout) == mesh_of(reader, to);
}

static const char* default_name(chm_program_reader* reader, uint32_t from, uint32_t to) {
    const char* name = reader->meshes[mesh_of(reader, from)].name;
    return to == CHM_NONE ? name
                          : chm_arena_format(reader->arena, "%s -> %s", name,
                                             reader->meshes[mesh_of(reader, to)].name);
}

chm_status chm_reader_communicator(chm_program_reader* reader, uint32_t named, uint32_t from,
                                   uint32_t to, uint32_t* communicator, const chm_origin* origin) {
    if (mesh_of(reader, from) == CHM_NONE || mesh_of(reader, to) == CHM_NONE) {
        return chm_ok; // reported with the layouts
    }
    uint32_t other = mesh_of(reader, from) == mesh_of(reader, to) ? CHM_NONE : to;
    size_t at = named == CHM_NONE ? reader->declared_communicators : named;
    if (named == CHM_NONE) {
        while (at < reader->communicator_count &&
               !is_on(reader, &reader->communicators[at], from, other)) {
            ++at;
        }
    }
    if (at == reader->communicator_count) {
        chm_communicator* added = append(reader);
        if (added == NULL || (added->name = default_name(reader, from, other)) == NULL) {
            return chm_no_memory;
        }
    }
    chm_communicator* found = &reader->communicators[at];
    if (found->layout == CHM_NONE) {
        found->layout = from;
        found->other_layout = other;
    } else if (!is_on(reader, found, from, other)) {
        chm_diagnose(reader->diagnostics, origin,
                     "communicator '%s' stands for other meshes already; allowed: one pair of "
                     "meshes for each name",
                     found->name);
    }
    if (reader->communicator_count > most_communicators) {
        chm_diagnose(reader->diagnostics, origin, "more than %d communicators", most_communicators);
    }
    *communicator = (uint32_t)at;
    return chm_ok;
}
