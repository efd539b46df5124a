// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/planner/planner_grid.h"

// What a redistribution costs at least, in bytes that dies inject: per element |D \ R| sends where
// replica holders R have it complete, else (|A|-1) + (|D|-1) + [A and D disjoint] from addend
// holders A to needers D (design, lower bound). Summed over dies these are the volumes of the
// paper's table.

typedef struct volume {
    const chm_request* request;
    const chm_layout* source; // from, sliced for a dispatch
    chm_arena arena;
    chm_blocks from;
    chm_blocks needers;
    const chm_layout** need_layout; // of each needer
    uint32_t* need_rank;
    uint64_t bytes;
} volume;

static bool holds(const volume* v, const chm_layout* layout, uint32_t rank, uint64_t token) {
    return !chm_layout_is_routed(layout) ||
           chm_layout_holds_row(layout, &v->request->tensor, v->request->routing, rank, token);
}

// Sends per element of the cell in the row `token`.
static uint64_t sends(const volume* v, const chm_grid* grid, uint64_t token) {
    const chm_layout* from = v->source;
    uint64_t needers = 0;
    uint64_t needers_without = 0;
    for (uint32_t n = 0; n < grid->found_count[1]; ++n) {
        uint32_t needer = grid->found[1][n];
        uint32_t die = v->needers.items[needer].die;
        bool counts = holds(v, v->need_layout[needer], v->need_rank[needer], token);
        for (uint32_t k = 0; k < n && counts;
             ++k) { // a die that several demands name needs it once
            uint32_t before = grid->found[1][k];
            counts = v->needers.items[before].die != die ||
                     !holds(v, v->need_layout[before], v->need_rank[before], token);
        }
        bool has = false;
        for (uint32_t h = 0; h < grid->found_count[0] && counts && !has; ++h) {
            uint32_t rank = grid->found[0][h];
            has = v->from.items[rank].die == die && holds(v, from, rank, token);
        }
        needers += counts;
        needers_without += counts && !has;
    }
    if (needers == 0 || !chm_layout_is_partial(from)) {
        return needers_without;
    }
    uint64_t addends = chm_layout_holding(from, &v->request->tensor, 0).addends;
    if (chm_layout_is_routed(from)) {
        uint32_t targets[chm_max_top_k];
        addends = chm_routing_targets(v->request->routing, token, targets);
    }
    return addends - 1 + needers - 1 + (needers == needers_without);
}

static bool routes(const chm_request* request) {
    return chm_layout_is_routed(request->from) || chm_routed_demand(request) != NULL;
}

static void add_cell(volume* v, const chm_grid* grid) {
    const chm_rect* cell = &grid->cell;
    uint64_t row = (cell->width_end - cell->width_begin) * v->request->tensor.element_bytes;
    if (!routes(v->request)) {
        v->bytes += sends(v, grid, cell->token_begin) * row * (cell->token_end - cell->token_begin);
        return;
    }
    for (uint64_t token = cell->token_begin; token < cell->token_end; ++token) {
        v->bytes += sends(v, grid, token) * row;
    }
}

// Addends that stay addends: each goes to the same rank. False if the demand is none of these.
static bool add_handed_over(volume* v, const chm_layout* demand) {
    const chm_request* request = v->request;
    const chm_layout* from = request->from;
    if (chm_layout_is_routed(demand) || !chm_layout_is_partial(demand)) {
        return false;
    }
    if (chm_layout_same(from, demand, &request->tensor) ||
        chm_layout_embeds_to(from, demand, &request->tensor)) {
        return true;
    }
    if (!chm_layout_is_partial(from) || !chm_layout_alike(from, demand)) {
        return false;
    }
    for (uint32_t rank = 0; rank < chm_mesh_size(&demand->mesh); ++rank) {
        chm_rect rect = chm_layout_holding(demand, &request->tensor, rank).rect;
        bool moves = demand->mesh.dies[rank] != from->mesh.dies[rank];
        v->bytes += moves ? chm_rect_elements(&rect) * request->tensor.element_bytes : 0;
    }
    return true;
}

static chm_status add_needers(volume* v, const chm_layout* demand) {
    const chm_layout* delivered = demand;
    uint32_t mask = chm_layout_mask(demand, chm_place_partial);
    chm_status status = chm_ok;
    if (mask != 0) {
        status = chm_layout_sharded(demand, mask, chm_axis_tokens, &v->arena, &delivered);
    }
    chm_blocks blocks = {0};
    if (status == chm_ok) {
        status = chm_blocks_of(delivered, &v->request->tensor, &v->arena, &blocks);
    }
    if (status == chm_ok) {
        for (uint32_t rank = 0; rank < blocks.count; ++rank) {
            v->need_layout[v->needers.count + rank] = delivered;
            v->need_rank[v->needers.count + rank] = rank;
        }
        status = chm_blocks_join(&v->needers, &blocks, &v->arena);
    }
    return status;
}

// A dispatch of replicated rows slices them first, so that each is sent once (design, table of
// collectives): a copy that happens to be at an expert's die already does not make it cheaper.
static chm_status find_source(volume* v) {
    const chm_request* request = v->request;
    v->source = request->from;
    uint32_t replicas = chm_layout_mask(request->from, chm_place_replicate);
    bool dispatches = request->demand_count == 1 && chm_layout_is_routed(request->demands[0]) &&
                      !chm_layout_is_routed(request->from);
    return dispatches && replicas != 0
               ? chm_layout_sharded(request->from, replicas, chm_axis_tokens, &v->arena, &v->source)
               : chm_ok;
}

static chm_status add_all(volume* v) {
    const chm_request* request = v->request;
    uint32_t most = 0;
    for (uint32_t d = 0; d < request->demand_count; ++d) {
        most += chm_mesh_size(&request->demands[d]->mesh);
    }
    v->need_layout = chm_arena_alloc(&v->arena, most, sizeof *v->need_layout);
    v->need_rank = chm_arena_alloc(&v->arena, most, sizeof *v->need_rank);
    if (v->need_layout == NULL || v->need_rank == NULL) {
        return chm_no_memory;
    }
    chm_status status = find_source(v);
    if (status == chm_ok) {
        status = chm_blocks_of(v->source, &request->tensor, &v->arena, &v->from);
    }
    for (uint32_t d = 0; d < request->demand_count && status == chm_ok; ++d) {
        const chm_layout* demand = request->demands[d];
        bool stays = chm_layout_is_routed(demand) &&
                     chm_layout_same(request->from, demand, &request->tensor);
        if (!stays && !add_handed_over(v, demand)) {
            status = add_needers(v, demand);
        }
    }
    chm_grid grid;
    if (status == chm_ok) {
        status = chm_grid_begin(&grid, &v->from, &v->needers, &v->arena);
    }
    while (status == chm_ok && chm_grid_next(&grid)) {
        add_cell(v, &grid);
    }
    return status;
}

uint64_t chm_request_volume(const chm_request* request) {
    volume v = {.request = request};
    chm_arena_init(&v.arena);
    chm_status status = add_all(&v);
    chm_arena_free(&v.arena);
    return status == chm_ok ? v.bytes : 0;
}
