// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/explain/pairs_types.h"

#include <string.h>

static void put_block(uint32_t* dies, uint32_t corner, uint32_t columns) {
    dies[0] = corner;
    dies[1] = corner + 1;
    dies[2] = corner + columns;
    dies[3] = corner + columns + 1;
}

static void put_row(uint32_t* dies, uint32_t first) {
    for (uint32_t i = 0; i < chm_pair_group_dies; ++i) {
        dies[i] = first + i;
    }
}

bool chm_pair_choose_groups(const chm_topology* topology,
                            uint32_t dies[chm_pair_groups][chm_pair_group_dies]) {
    uint32_t columns = topology->extent[0];
    if (topology->dies < 8) {
        return false;
    }
    bool grid = topology->nodes == topology->dies && topology->dimensions >= 2;
    if (grid && columns >= 4 && topology->extent[1] >= 2) {
        put_block(dies[0], 0, columns);
        put_block(dies[1], 2, columns);
        put_block(dies[2], topology->extent[1] >= 4 ? 2 * columns : 1, columns);
        return true;
    }
    put_row(dies[0], 0);
    put_row(dies[1], 4);
    put_row(dies[2], topology->dies >= 12 ? 8 : 2);
    return true;
}

static chm_placement placement_of(uint32_t code) {
    static const chm_placement placements[] = {
        {chm_place_partial, chm_axis_tokens, 0},     {chm_place_replicate, chm_axis_tokens, 0},
        {chm_place_shard, chm_axis_tokens, 0},       {chm_place_shard, chm_axis_width, 0},
        {chm_place_routed_copy, chm_axis_tokens, 0}, {chm_place_routed_partial, chm_axis_tokens, 0},
    };
    return placements[code];
}

uint32_t chm_pair_list_layouts(const uint32_t dies[chm_pair_groups][chm_pair_group_dies],
                               uint32_t dimensions, chm_pair_layout list[chm_pair_layouts]) {
    uint32_t codes = dimensions == 1 ? 6 : 16; // two dimensions: four placements each
    uint32_t count = 0;
    for (uint32_t group = 0; group < chm_pair_groups; ++group) {
        for (uint32_t code = 0; code < codes; ++code) {
            chm_pair_layout* entry = &list[count++];
            chm_layout* layout = &entry->layout;
            memset(entry, 0, sizeof *entry);
            entry->group = group;
            layout->mesh.dies = dies[group];
            layout->mesh.dimensions = dimensions;
            layout->mesh.extent[0] = dimensions == 1 ? 4 : 2;
            layout->mesh.extent[1] = dimensions == 1 ? 0 : 2;
            layout->placement[0] = placement_of(dimensions == 1 ? code : code / 4);
            if (dimensions == 2) {
                layout->placement[1] = placement_of(code % 4);
                layout->placement[1].order = layout->placement[0].kind == chm_place_shard &&
                                             layout->placement[1].kind == chm_place_shard &&
                                             layout->placement[0].axis == layout->placement[1].axis;
            }
        }
    }
    return count;
}

static bool same_placement(const chm_placement* a, const chm_placement* b) {
    return a->kind == b->kind && (a->kind != chm_place_shard || a->axis == b->axis);
}

// The dimension in which two layouts differ; false if there is none or are several.
static bool one_difference(const chm_layout* a, const chm_layout* b, uint32_t* dimension) {
    uint32_t different = 0;
    for (uint32_t d = 0; d < a->mesh.dimensions; ++d) {
        if (!same_placement(&a->placement[d], &b->placement[d])) {
            *dimension = d;
            ++different;
        }
    }
    return different == 1;
}

// Blocks that are cut again by a later dimension are strided from this one's point of view.
static bool is_strided(const chm_layout* layout, uint32_t dimension) {
    const chm_placement* mine = &layout->placement[dimension];
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        const chm_placement* other = &layout->placement[d];
        if (d != dimension && mine->kind == chm_place_shard && other->kind == chm_place_shard &&
            other->axis == mine->axis && other->order > mine->order) {
            return true;
        }
    }
    return false;
}

static bool is_sharded(const chm_layout* layout) {
    bool shard = false;
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        shard |= layout->placement[d].kind == chm_place_shard;
    }
    return shard;
}

static bool types_a2a(const chm_placement* in, const chm_placement* out) {
    bool tokens_in = in->kind == chm_place_shard && in->axis == chm_axis_tokens;
    bool tokens_out = out->kind == chm_place_shard && out->axis == chm_axis_tokens;
    if (out->kind == chm_place_routed_copy) {
        return tokens_in;
    }
    if (in->kind == chm_place_routed_partial) {
        return tokens_out;
    }
    return in->kind == chm_place_shard && out->kind == chm_place_shard;
}

static bool types_in_group(chm_collective_kind kind, const chm_layout* in, const chm_layout* out) {
    uint32_t d = 0;
    if (!one_difference(in, out, &d) || is_strided(in, d) || is_strided(out, d)) {
        return false;
    }
    chm_placement_kind from = in->placement[d].kind, to = out->placement[d].kind;
    switch (kind) {
    case chm_reduce_scatter: return from == chm_place_partial && to == chm_place_shard;
    case chm_all_gather: return from == chm_place_shard && to == chm_place_replicate;
    case chm_all_to_all: return types_a2a(&in->placement[d], &out->placement[d]);
    default: return false;
    }
}

bool chm_pair_types(chm_collective_kind kind, const chm_pair_layout* in,
                    const chm_pair_layout* out) {
    uint32_t d;
    bool routed_in = chm_layout_is_routed(&in->layout);
    bool routed_out = chm_layout_is_routed(&out->layout);
    switch (kind) {
    case chm_point_to_point: {
        bool same = !one_difference(&in->layout, &out->layout, &d);
        for (uint32_t i = 0; i < in->layout.mesh.dimensions; ++i) {
            same &= same_placement(&in->layout.placement[i], &out->layout.placement[i]);
        }
        return in->group != out->group && same && !routed_in;
    }
    case chm_many_to_many: {
        bool complete = !chm_layout_is_partial(&in->layout) && !routed_in;
        bool spread = chm_layout_is_routed(&out->layout)
                          ? !chm_layout_is_partial(&out->layout)
                          : is_sharded(&out->layout) && !chm_layout_is_partial(&out->layout);
        return in->group != out->group && complete && spread &&
               !chm_pair_types(chm_point_to_point, in, out);
    }
    default:
        return in->group == out->group && !(routed_in && routed_out) &&
               types_in_group(kind, &in->layout, &out->layout);
    }
}

bool chm_pair_follows(const chm_pair_layout* left, const chm_pair_layout* taken) {
    if (left->group != taken->group) {
        return false;
    }
    for (uint32_t d = 0; d < left->layout.mesh.dimensions; ++d) {
        const chm_placement* a = &left->layout.placement[d];
        const chm_placement* b = &taken->layout.placement[d];
        bool local = a->kind == chm_place_replicate &&
                     (b->kind == chm_place_shard || b->kind == chm_place_partial);
        if (!same_placement(a, b) && !local) {
            return false;
        }
    }
    return true;
}
