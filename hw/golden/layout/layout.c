// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/layout/layout.h"

uint32_t chm_mesh_size(const chm_die_mesh* mesh) {
    uint32_t size = 1;
    for (uint32_t d = 0; d < mesh->dimensions; ++d) {
        size *= mesh->extent[d];
    }
    return size;
}

uint32_t chm_mesh_rank(const chm_die_mesh* mesh, uint32_t die) {
    uint32_t size = chm_mesh_size(mesh);
    for (uint32_t rank = 0; rank < size; ++rank) {
        if (mesh->dies[rank] == die) {
            return rank;
        }
    }
    return CHM_NO_RANK;
}

void chm_mesh_coordinates(const chm_die_mesh* mesh, uint32_t rank,
                          uint32_t coordinates[chm_max_mesh_dimensions]) {
    for (uint32_t d = mesh->dimensions; d-- > 0;) {
        coordinates[d] = rank % mesh->extent[d];
        rank /= mesh->extent[d];
    }
}

bool chm_mesh_equal(const chm_die_mesh* a, const chm_die_mesh* b) {
    if (a->dimensions != b->dimensions) {
        return false;
    }
    for (uint32_t d = 0; d < a->dimensions; ++d) {
        if (a->extent[d] != b->extent[d]) {
            return false;
        }
    }
    uint32_t size = chm_mesh_size(a);
    for (uint32_t rank = 0; rank < size; ++rank) {
        if (a->dies[rank] != b->dies[rank]) {
            return false;
        }
    }
    return true;
}

// Block `index` of `parts` of [*begin, *end): the first n mod parts blocks get one more.
static void take_block(uint64_t* begin, uint64_t* end, uint32_t parts, uint32_t index) {
    uint64_t length = *end - *begin;
    uint64_t each = length / parts;
    uint64_t longer = length % parts;
    uint64_t extra_before = index < longer ? index : longer;
    *begin += index * each + extra_before;
    *end = *begin + each + (index < longer ? 1 : 0);
}

// Splits one axis by its dimensions, major (order 0) first: each splits what the one before left.
static void split_axis(const chm_layout* layout, const uint32_t* coordinates, chm_axis axis,
                       uint64_t* begin, uint64_t* end) {
    for (uint32_t order = 0; order < layout->mesh.dimensions; ++order) {
        for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
            const chm_placement* place = &layout->placement[d];
            if (place->kind == chm_place_shard && place->axis == axis && place->order == order) {
                take_block(begin, end, layout->mesh.extent[d], coordinates[d]);
            }
        }
    }
}

static bool is_routed_kind(chm_placement_kind kind) {
    return kind == chm_place_routed_copy || kind == chm_place_routed_partial;
}

chm_holding chm_layout_holding(const chm_layout* layout, const chm_tensor* tensor, uint32_t rank) {
    uint32_t coordinates[chm_max_mesh_dimensions] = {0};
    chm_mesh_coordinates(&layout->mesh, rank, coordinates);
    chm_holding holding = {.rect = {0, tensor->tokens, 0, tensor->width}, .addends = 1};
    chm_rect* rect = &holding.rect;
    split_axis(layout, coordinates, chm_axis_tokens, &rect->token_begin, &rect->token_end);
    split_axis(layout, coordinates, chm_axis_width, &rect->width_begin, &rect->width_end);
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        chm_placement_kind kind = layout->placement[d].kind;
        if (kind == chm_place_partial || kind == chm_place_routed_partial) {
            holding.addend = holding.addend * layout->mesh.extent[d] + coordinates[d];
            holding.addends *= layout->mesh.extent[d];
        }
    }
    return holding;
}

bool chm_layout_is_routed(const chm_layout* layout) {
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        if (is_routed_kind(layout->placement[d].kind)) {
            return true;
        }
    }
    return false;
}

bool chm_layout_is_partial(const chm_layout* layout) {
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        chm_placement_kind kind = layout->placement[d].kind;
        if (kind == chm_place_routed_partial ||
            (kind == chm_place_partial && layout->mesh.extent[d] > 1)) {
            return true;
        }
    }
    return false;
}

bool chm_layout_rows_complete(const chm_layout* layout) {
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        const chm_placement* place = &layout->placement[d];
        if (place->kind == chm_place_shard && place->axis == chm_axis_width &&
            layout->mesh.extent[d] > 1) {
            return false;
        }
    }
    return !chm_layout_is_partial(layout);
}

uint32_t chm_layout_routed_size(const chm_layout* layout) {
    uint32_t size = 1;
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        if (is_routed_kind(layout->placement[d].kind)) {
            size *= layout->mesh.extent[d];
        }
    }
    return size;
}

uint32_t chm_layout_routed_index(const chm_layout* layout, uint32_t rank) {
    uint32_t coordinates[chm_max_mesh_dimensions] = {0};
    chm_mesh_coordinates(&layout->mesh, rank, coordinates);
    uint32_t index = 0;
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        if (is_routed_kind(layout->placement[d].kind)) {
            index = index * layout->mesh.extent[d] + coordinates[d];
        }
    }
    return index;
}

static bool is_target(const chm_routing* routing, uint64_t token, uint32_t index) {
    uint32_t targets[chm_max_top_k];
    uint32_t count = chm_routing_targets(routing, token, targets);
    for (uint32_t i = 0; i < count; ++i) {
        if (targets[i] == index) {
            return true;
        }
    }
    return false;
}

bool chm_layout_holds_row(const chm_layout* layout, const chm_tensor* tensor,
                          const chm_routing* routing, uint32_t rank, uint64_t token) {
    chm_rect rect = chm_layout_holding(layout, tensor, rank).rect;
    if (chm_rect_empty(&rect) || token < rect.token_begin || token >= rect.token_end) {
        return false;
    }
    return !chm_layout_is_routed(layout) ||
           is_target(routing, token, chm_layout_routed_index(layout, rank));
}

uint64_t chm_layout_bytes(const chm_layout* layout, const chm_tensor* tensor,
                          const chm_routing* routing, uint32_t rank) {
    chm_rect rect = chm_layout_holding(layout, tensor, rank).rect;
    if (!chm_layout_is_routed(layout)) {
        return chm_rect_elements(&rect) * tensor->element_bytes;
    }
    uint32_t index = chm_layout_routed_index(layout, rank);
    uint64_t rows = 0;
    for (uint64_t token = rect.token_begin; token < rect.token_end; ++token) {
        rows += is_target(routing, token, index);
    }
    return rows * (rect.width_end - rect.width_begin) * tensor->element_bytes;
}
