// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/planner/planner_search.h"

chm_status chm_blocks_of(const chm_layout* layout, const chm_tensor* tensor, chm_arena* arena,
                         chm_blocks* blocks) {
    blocks->count = chm_mesh_size(&layout->mesh);
    blocks->items = chm_arena_alloc(arena, blocks->count, sizeof *blocks->items);
    if (blocks->items == NULL) {
        return chm_no_memory;
    }
    for (uint32_t rank = 0; rank < blocks->count; ++rank) {
        blocks->items[rank].die = layout->mesh.dies[rank];
        blocks->items[rank].rect = chm_layout_holding(layout, tensor, rank).rect;
    }
    return chm_ok;
}

chm_status chm_blocks_join(chm_blocks* blocks, const chm_blocks* more, chm_arena* arena) {
    uint32_t count = blocks->count + more->count;
    chm_block* items = chm_arena_alloc(arena, count, sizeof *items);
    if (items == NULL) {
        return chm_no_memory;
    }
    for (uint32_t i = 0; i < count; ++i) {
        items[i] = i < blocks->count ? blocks->items[i] : more->items[i - blocks->count];
    }
    blocks->items = items;
    blocks->count = count;
    return chm_ok;
}

chm_status chm_blocks_cover(const chm_blocks* held, const chm_block* need, chm_arena* arena,
                            bool* covered) {
    chm_rect_list left = {0};
    chm_rect_list spare = {0};
    chm_status status = chm_ok;
    *covered = false;
    for (uint32_t i = 0; i < held->count; ++i) { // nearly always one block does
        if (held->items[i].die == need->die &&
            chm_rect_contains(&held->items[i].rect, &need->rect)) {
            *covered = true;
            return chm_ok;
        }
    }
    status = chm_rect_list_add(&left, &need->rect, arena);
    for (uint32_t i = 0; i < held->count && status == chm_ok; ++i) {
        if (held->items[i].die == need->die) {
            status = chm_rect_list_subtract(&left, &held->items[i].rect, &spare, arena);
        }
    }
    *covered = left.count == 0;
    return status;
}

chm_status chm_blocks_cover_all(const chm_blocks* held, const chm_blocks* need, chm_arena* arena,
                                bool* covered) {
    chm_status status = chm_ok;
    *covered = true;
    for (uint32_t i = 0; i < need->count && *covered && status == chm_ok; ++i) {
        status = chm_blocks_cover(held, &need->items[i], arena, covered);
    }
    return status;
}

uint32_t chm_layout_mask(const chm_layout* layout, chm_placement_kind kind) {
    uint32_t mask = 0;
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        if (layout->placement[d].kind == kind && layout->mesh.extent[d] > 1) {
            mask |= 1u << d;
        }
    }
    return mask;
}

chm_status chm_layout_sharded(const chm_layout* layout, uint32_t mask, chm_axis axis,
                              chm_arena* arena, const chm_layout** sharded) {
    chm_layout* copy = chm_arena_copy(arena, layout, 1, sizeof *layout);
    if (copy == NULL) {
        return chm_no_memory;
    }
    uint32_t dimensions = layout->mesh.dimensions;
    // What stays split keeps its order among the rest; the others follow.
    for (uint32_t a = 0; a < 2; ++a) {
        uint32_t next = 0;
        for (uint32_t order = 0; order < dimensions; ++order) {
            for (uint32_t d = 0; d < dimensions; ++d) {
                const chm_placement* place = &layout->placement[d];
                if (place->kind == chm_place_shard && (uint32_t)place->axis == a &&
                    place->order == order && (mask & (1u << d)) == 0) {
                    copy->placement[d].order = next++;
                }
            }
        }
        for (uint32_t d = 0; d < dimensions && a == (uint32_t)axis; ++d) {
            if ((mask & (1u << d)) != 0) {
                copy->placement[d] = (chm_placement){chm_place_shard, axis, next++};
            }
        }
    }
    *sharded = copy;
    return chm_ok;
}

// The rank of the first member of a rank's group: coordinates along `mask` set to 0. *member is its
// place in the group.
static uint32_t group_of(const chm_layout* layout, uint32_t mask, uint32_t rank, uint32_t* member) {
    uint32_t at[chm_max_mesh_dimensions];
    chm_mesh_coordinates(&layout->mesh, rank, at);
    uint32_t first = 0;
    *member = 0;
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        bool inside = (mask & (1u << d)) != 0;
        first = first * layout->mesh.extent[d] + (inside ? 0 : at[d]);
        *member = inside ? *member * layout->mesh.extent[d] + at[d] : *member;
    }
    return first;
}

chm_status chm_layout_groups(const chm_layout* layout, uint32_t mask, const chm_blocks* blocks,
                             chm_arena* arena, chm_schedule_group** groups, uint32_t* count) {
    uint32_t ranks = chm_mesh_size(&layout->mesh);
    uint32_t size = 1;
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        size *= (mask & (1u << d)) != 0 ? layout->mesh.extent[d] : 1;
    }
    *count = ranks / size;
    *groups = chm_arena_alloc(arena, *count, sizeof **groups);
    uint32_t* dies = chm_arena_alloc(arena, ranks, sizeof *dies);
    chm_rect* rects = chm_arena_alloc(arena, ranks, sizeof *rects);
    uint32_t* group_at = chm_arena_alloc(arena, ranks, sizeof *group_at);
    if (*groups == NULL || dies == NULL || rects == NULL || group_at == NULL) {
        return chm_no_memory;
    }
    uint32_t next = 0;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
        uint32_t member;
        uint32_t first = group_of(layout, mask, rank, &member);
        if (member == 0) {
            (*groups)[next] = (chm_schedule_group){&dies[next * size], &rects[next * size], size};
            group_at[first] = next++;
        }
        dies[group_at[first] * size + member] = layout->mesh.dies[rank];
        rects[group_at[first] * size + member] = blocks->items[rank].rect;
    }
    return chm_ok;
}

bool chm_layout_alike(const chm_layout* a, const chm_layout* b) {
    bool same = a->mesh.dimensions == b->mesh.dimensions;
    for (uint32_t d = 0; d < a->mesh.dimensions && same; ++d) {
        const chm_placement* x = &a->placement[d];
        const chm_placement* y = &b->placement[d];
        same = a->mesh.extent[d] == b->mesh.extent[d] && x->kind == y->kind &&
               (x->kind != chm_place_shard || (x->axis == y->axis && x->order == y->order));
    }
    return same;
}
