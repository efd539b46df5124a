// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/planner/planner_search.h"

// What a reduction may leave, what a demand may be gathered from, and which schedules to try.

static void add_variant(chm_gather_variants* variants, const chm_layout* layout, uint32_t mask,
                        bool held_only) {
    if (variants->count < chm_max_variants) {
        variants->layouts[variants->count] = layout;
        variants->gathered[variants->count] = mask;
        variants->held_only[variants->count++] = held_only;
    }
}

chm_status chm_gather_variants_of(chm_search* search, const chm_layout* demand, bool subsets,
                                  chm_gather_variants* variants) {
    const uint32_t all = chm_layout_mask(demand, chm_place_replicate);
    variants->count = 0;
    add_variant(variants, demand, 0, false);
    for (uint32_t mask = all; mask != 0; mask = (mask - 1) & all) {
        for (uint32_t axis = 0; axis < 2 && (mask == all || subsets); ++axis) {
            const chm_layout* sharded;
            chm_status status =
                chm_layout_sharded(demand, mask, (chm_axis)axis, search->arena, &sharded);
            if (status != chm_ok) {
                return status;
            }
            add_variant(variants, sharded, mask, mask != all);
        }
    }
    return chm_ok;
}

chm_status chm_delivered_layout(chm_search* search, const chm_layout* demand,
                                const chm_layout** delivered) {
    uint32_t mask = chm_layout_mask(demand, chm_place_partial);
    *delivered = demand;
    return mask == 0 ? chm_ok
                     : chm_layout_sharded(demand, mask, chm_axis_tokens, search->arena, delivered);
}

bool chm_demand_is_met(const chm_search* search, const chm_layout* demand) {
    const chm_request* request = search->request;
    if (request->operation_count > 0 ||
        (!chm_layout_is_partial(demand) && !chm_layout_is_routed(demand))) {
        return false; // complete data is looked at block by block
    }
    return chm_layout_same(request->from, demand, &request->tensor) ||
           chm_layout_embeds_to(request->from, demand, &request->tensor);
}

uint32_t chm_schedule_choices(const chm_search* search, const chm_schedule_request* request,
                              chm_schedule_kind kinds[chm_schedule_count]) {
    const chm_plan_options* options = search->options;
    chm_schedule_kind forced = request->basic == chm_basic_reduce_scatter ? options->reduce_scatter
                               : request->basic == chm_basic_all_gather   ? options->all_gather
                                                                          : options->move;
    uint32_t count = 0;
    for (uint32_t k = chm_schedule_ring; k < chm_schedule_count; ++k) {
        chm_schedule_kind kind = (chm_schedule_kind)k;
        bool wanted = forced == chm_schedule_auto || forced == kind;
        bool ordered =
            !search->request->ordered_sum || chm_schedule_keeps_order(kind, request->basic);
        if (wanted && ordered && chm_schedule_applies(kind, search->topology, request)) {
            kinds[count++] = kind;
        }
    }
    return count;
}

// A member's block lies in the group's own block, and no two members' blocks overlap.
static bool group_can_leave(const chm_rect* whole, const chm_schedule_group* group,
                            bool rows_complete, uint64_t width) {
    for (uint32_t i = 0; i < group->size; ++i) {
        const chm_rect* block = &group->blocks[i];
        if (chm_rect_empty(block)) {
            continue;
        }
        bool rows = block->width_begin == 0 && block->width_end == width;
        if (!chm_rect_contains(whole, block) || (rows_complete && !rows)) {
            return false;
        }
        for (uint32_t j = 0; j < i; ++j) {
            if (chm_rect_overlaps(block, &group->blocks[j])) {
                return false;
            }
        }
    }
    return true;
}

static bool same_blocks(const chm_blocks* a, const chm_blocks* b) {
    for (uint32_t i = 0; i < a->count; ++i) {
        bool empty = chm_rect_empty(&a->items[i].rect) && chm_rect_empty(&b->items[i].rect);
        if (!empty && !chm_rect_same(&a->items[i].rect, &b->items[i].rect)) {
            return false;
        }
    }
    return true;
}

// The blocks of `layout` by rank of `from`; *inside is false if it has dies that from has not.
static chm_status align(chm_search* search, const chm_layout* layout, chm_blocks* blocks,
                        bool* inside) {
    const chm_layout* from = search->request->from;
    uint32_t ranks = chm_mesh_size(&from->mesh);
    blocks->count = ranks;
    blocks->items = chm_arena_alloc(search->arena, ranks, sizeof *blocks->items);
    if (blocks->items == NULL) {
        return chm_no_memory;
    }
    uint32_t found = 0;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
        uint32_t die = from->mesh.dies[rank];
        uint32_t there = chm_mesh_rank(&layout->mesh, die);
        blocks->items[rank].die = die;
        if (there != CHM_NO_RANK) {
            blocks->items[rank].rect =
                chm_layout_holding(layout, &search->request->tensor, there).rect;
            ++found;
        }
    }
    *inside = found == chm_mesh_size(&layout->mesh);
    return chm_ok;
}

chm_status chm_reduce_target_add(chm_search* search, const chm_layout* layout, bool rows_complete,
                                 chm_reduce_targets* targets, bool* added) {
    const chm_request* request = search->request;
    const chm_layout* from = request->from;
    chm_blocks blocks;
    chm_schedule_group* groups;
    uint32_t count;
    *added = false;
    chm_status status = align(search, layout, &blocks, added);
    if (status != chm_ok || !*added) {
        return status;
    }
    status = chm_layout_groups(from, chm_layout_mask(from, chm_place_partial), &blocks,
                               search->arena, &groups, &count);
    if (status != chm_ok) {
        return status;
    }
    for (uint32_t g = 0; g < count && *added; ++g) {
        uint32_t rank = chm_mesh_rank(&from->mesh, groups[g].dies[0]);
        chm_rect whole = chm_layout_holding(from, &request->tensor, rank).rect;
        *added = group_can_leave(&whole, &groups[g], rows_complete, request->tensor.width);
    }
    for (uint32_t t = 0; t < targets->count && *added; ++t) {
        if (same_blocks(&targets->blocks[t], &blocks)) {
            return chm_ok;
        }
    }
    if (*added && targets->count < chm_max_targets) {
        targets->blocks[targets->count] = blocks;
        targets->layouts[targets->count++] = layout;
    }
    return chm_ok;
}

chm_status chm_reduce_targets_of(chm_search* search, bool rows_complete,
                                 chm_reduce_targets* targets) {
    const chm_request* request = search->request;
    chm_status status = chm_ok;
    bool added;
    targets->count = 0;
    // The blocks that a demand wants, or is gathered from, first.
    for (uint32_t d = 0; d < request->demand_count && status == chm_ok; ++d) {
        const chm_layout* delivered;
        chm_gather_variants variants = {.count = 0};
        status = chm_delivered_layout(search, request->demands[d], &delivered);
        if (status == chm_ok && !chm_layout_is_routed(delivered)) {
            status = chm_gather_variants_of(search, delivered, false, &variants);
        }
        for (uint32_t v = 0; v < variants.count && status == chm_ok; ++v) {
            status =
                chm_reduce_target_add(search, variants.layouts[v], rows_complete, targets, &added);
        }
    }
    // Then the input's own dimensions, replicas reduced together or each for itself.
    const uint32_t partial = chm_layout_mask(request->from, chm_place_partial);
    const uint32_t replicas = chm_layout_mask(request->from, chm_place_replicate);
    for (uint32_t i = 0; i < 4 && status == chm_ok; ++i) {
        const chm_layout* sharded;
        status = chm_layout_sharded(request->from, i < 2 ? partial : partial | replicas,
                                    i % 2 == 0 ? chm_axis_tokens : chm_axis_width, search->arena,
                                    &sharded);
        if (status == chm_ok) {
            status = chm_reduce_target_add(search, sharded, rows_complete, targets, &added);
        }
    }
    return status;
}
