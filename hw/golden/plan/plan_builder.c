// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "hw/golden/layout/rects.h"
#include "hw/golden/plan/plan_builder.h"

chm_status chm_plan_begin(chm_plan_builder* builder, chm_arena* arena, chm_plan* plan,
                          const chm_topology* topology, const chm_tensor* tensor,
                          const chm_layout* from, const chm_routing* routing) {
    memset(builder, 0, sizeof *builder);
    memset(plan, 0, sizeof *plan);
    builder->arena = arena;
    builder->plan = plan;
    plan->tensor = *tensor;
    plan->from = from;
    plan->routing = routing;
    plan->routed = chm_layout_is_routed(from) ? from : NULL;
    plan->topology = topology;
    plan->slices = 1;
    plan->slices_at_once = 1;
    builder->last_in = chm_arena_alloc(arena, topology->dies, sizeof(uint32_t));
    builder->last_out = chm_arena_alloc(arena, topology->dies, sizeof(uint32_t));
    builder->from_rank = chm_arena_alloc(arena, topology->dies, sizeof(uint32_t));
    builder->covered = chm_arena_alloc(arena, topology->dies, sizeof(uint32_t));
    builder->last_credit = chm_arena_alloc(arena, topology->dies, sizeof(uint32_t));
    builder->first_demanded = chm_arena_alloc(arena, (size_t)topology->dies + 1, sizeof(uint32_t));
    if (builder->first_demanded == NULL || builder->last_in == NULL || builder->last_out == NULL ||
        builder->from_rank == NULL || builder->covered == NULL || builder->last_credit == NULL) {
        return chm_no_memory;
    }
    for (uint32_t die = 0; die < topology->dies; ++die) {
        builder->last_in[die] = CHM_NO_TRANSFER;
        builder->last_out[die] = CHM_NO_TRANSFER;
        builder->from_rank[die] = CHM_NO_RANK;
        builder->last_credit[die] = CHM_NO_TRANSFER;
    }
    uint32_t size = chm_mesh_size(&from->mesh);
    for (uint32_t rank = 0; rank < size; ++rank) {
        builder->from_rank[from->mesh.dies[rank]] = rank;
    }
    return chm_ok;
}

// Puts the blocks of one demand behind those their dies have already; `next` is where.
static void place_blocks(const chm_plan* plan, const chm_layout* demand, chm_block* blocks,
                         uint32_t* next) {
    uint32_t size = chm_mesh_size(&demand->mesh);
    for (uint32_t rank = 0; rank < size; ++rank) {
        chm_block* block = &blocks[next[demand->mesh.dies[rank]]++];
        block->die = demand->mesh.dies[rank];
        block->rect = chm_layout_holding(demand, &plan->tensor, rank).rect;
    }
}

chm_status chm_plan_demand(chm_plan_builder* builder, const chm_layout* const* demands,
                           uint32_t demand_count) {
    uint32_t dies = builder->plan->topology->dies;
    uint32_t* first = builder->first_demanded;
    uint32_t count = 0;
    for (uint32_t i = 0; i < demand_count; ++i) {
        if (chm_layout_is_routed(demands[i])) {
            builder->plan->routed = demands[i]; // its rows land in slots, not in work
            continue;
        }
        uint32_t size = chm_mesh_size(&demands[i]->mesh);
        for (uint32_t rank = 0; rank < size; ++rank, ++count) {
            ++first[demands[i]->mesh.dies[rank] + 1];
        }
    }
    for (uint32_t die = 0; die < dies; ++die) {
        first[die + 1] += first[die];
    }
    chm_block* blocks = chm_arena_alloc(builder->arena, count, sizeof *blocks);
    uint32_t* next = chm_arena_copy(builder->arena, first, dies, sizeof *next);
    if (blocks == NULL || next == NULL) {
        return chm_no_memory;
    }
    for (uint32_t i = 0; i < demand_count; ++i) {
        if (!chm_layout_is_routed(demands[i])) {
            place_blocks(builder->plan, demands[i], blocks, next);
        }
    }
    builder->demanded = blocks;
    return chm_ok;
}

void chm_plan_slice(chm_plan_builder* builder, const uint64_t* cuts, uint32_t cut_count,
                    uint32_t slice, uint32_t slices, uint32_t at_once) {
    builder->cuts = cuts;
    builder->cut_count = cut_count;
    builder->slice = slice;
    builder->plan->slices = slices;
    builder->plan->slices_at_once = at_once;
}

chm_status chm_plan_add_phase(chm_plan_builder* builder, const chm_phase* phase) {
    chm_plan* plan = builder->plan;
    void* items = plan->phases;
    chm_status status = chm_arena_grow(builder->arena, &items, &builder->phase_capacity,
                                       (size_t)plan->phase_count + 1, sizeof *phase);
    if (status == chm_ok) {
        plan->phases = items;
        plan->phases[plan->phase_count++] = *phase;
    }
    return status;
}

chm_status chm_builder_cut(chm_plan_builder* builder, const chm_rect* rect, chm_rect_list* out) {
    uint32_t slices = builder->plan->slices;
    out->count = 0;
    if (slices == 1) {
        return chm_rect_list_add(out, rect, builder->arena);
    }
    for (uint32_t i = 0; i + 1 < builder->cut_count; ++i) {
        uint64_t begin = builder->cuts[i];
        uint64_t length = builder->cuts[i + 1] - begin;
        if (begin >= rect->token_end || begin + length <= rect->token_begin) {
            continue;
        }
        // Short stretches take turns in which slice gets their rows.
        uint64_t part = (builder->slice + i) % slices;
        uint64_t each = length / slices;
        uint64_t longer = length % slices;
        chm_rect piece = *rect;
        uint64_t first = begin + part * each + chm_min_u64(part, longer);
        uint64_t last = first + each + (part < longer ? 1 : 0);
        piece.token_begin = chm_max_u64(rect->token_begin, first);
        piece.token_end = chm_min_u64(rect->token_end, last);
        chm_status status = chm_rect_list_add(out, &piece, builder->arena);
        if (status != chm_ok) {
            return status;
        }
    }
    return chm_ok;
}

bool chm_builder_stages(const chm_plan_builder* builder, uint32_t die, const chm_rect* rect) {
    for (uint32_t i = builder->first_demanded[die]; i < builder->first_demanded[die + 1]; ++i) {
        if (chm_rect_contains(&builder->demanded[i].rect, rect)) {
            return false;
        }
    }
    return true;
}

chm_status chm_plan_add_operation(chm_plan_builder* builder, const chm_plan_operation* operation) {
    chm_plan* plan = builder->plan;
    const chm_layout* layout = chm_arena_copy(builder->arena, operation->layout, 1, sizeof *layout);
    chm_block* blocks = NULL;
    size_t capacity = 0;
    uint32_t count = 0;
    if (layout == NULL) {
        return chm_no_memory;
    }
    uint32_t size = chm_mesh_size(&layout->mesh);
    for (uint32_t rank = 0; rank < size; ++rank) {
        chm_rect rect = chm_layout_holding(layout, &plan->tensor, rank).rect;
        chm_status status = chm_builder_cut(builder, &rect, &builder->pieces);
        void* items = blocks;
        if (status == chm_ok) {
            status = chm_arena_grow(builder->arena, &items, &capacity,
                                    (size_t)count + builder->pieces.count, sizeof *blocks);
        }
        if (status != chm_ok) {
            return status;
        }
        blocks = items;
        for (uint32_t i = 0; i < builder->pieces.count; ++i) {
            blocks[count].die = layout->mesh.dies[rank];
            blocks[count++].rect = builder->pieces.items[i];
        }
    }
    void* items = plan->operations;
    chm_status status = chm_arena_grow(builder->arena, &items, &builder->operation_capacity,
                                       (size_t)plan->operation_count + 1, sizeof *operation);
    if (status == chm_ok) {
        plan->operations = items;
        chm_plan_operation* added = &plan->operations[plan->operation_count++];
        *added = *operation;
        added->layout = layout;
        added->slice = builder->slice;
        added->blocks = blocks;
        added->block_count = count;
    }
    return status;
}
