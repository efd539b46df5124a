// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "hw/golden/planner/planner_search.h"

// Pieces on their way become transfers: neighbours joined, in the order of a schedule.

static int compare(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int by_source(const void* left, const void* right) {
    const chm_piece* a = left;
    const chm_piece* b = right;
    int order = compare(a->step, b->step);
    order = order != 0 ? order : compare(a->source_index, b->source_index);
    order = order != 0 ? order : compare(a->destination_index, b->destination_index);
    order = order != 0 ? order : compare(a->rect.token_begin, b->rect.token_begin);
    return order != 0 ? order : compare(a->rect.width_begin, b->rect.width_begin);
}

// As by_source with the round, kept in `round`, before the source.
typedef struct rounded {
    chm_piece piece;
    uint32_t round;
} rounded;

static int by_round(const void* left, const void* right) {
    const rounded* a = left;
    const rounded* b = right;
    int order = compare(a->piece.step, b->piece.step);
    order = order != 0 ? order : compare(a->round, b->round);
    return order != 0 ? order : by_source(&a->piece, &b->piece);
}

static bool same_pair(const chm_piece* a, const chm_piece* b) {
    return a->source == b->source && a->destination == b->destination && a->step == b->step;
}

// Joins the blocks of every run of pieces with the same pair; pieces are sorted by source.
static chm_status join_neighbours(chm_pieces* pieces, chm_arena* arena) {
    chm_rect_list list = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pieces->count;) {
        chm_piece first = pieces->items[i];
        list.count = 0;
        for (; i < pieces->count && same_pair(&first, &pieces->items[i]); ++i) {
            // Most pieces continue the block before them; the full merge is left with few.
            chm_status status = chm_rect_list_add(&list, &pieces->items[i].rect, arena);
            if (status != chm_ok) {
                return status;
            }
        }
        chm_rect_list_merge(&list);
        for (uint32_t k = 0; k < list.count; ++k) {
            pieces->items[kept] = first;
            pieces->items[kept++].rect = list.items[k];
        }
    }
    pieces->count = kept;
    return chm_ok;
}

static chm_status stagger(chm_pieces* pieces, uint32_t destinations, chm_arena* arena) {
    rounded* items = chm_arena_alloc(arena, pieces->count, sizeof *items);
    if (items == NULL) {
        return chm_no_memory;
    }
    for (uint32_t i = 0; i < pieces->count; ++i) {
        const chm_piece* piece = &pieces->items[i];
        uint32_t start = piece->source_index % destinations;
        items[i].piece = *piece;
        items[i].round = (piece->destination_index + destinations - start) % destinations;
    }
    qsort(items, pieces->count, sizeof *items, by_round);
    for (uint32_t i = 0; i < pieces->count; ++i) {
        pieces->items[i] = items[i].piece;
    }
    return chm_ok;
}

chm_status chm_pieces_order(chm_search* search, chm_pieces* pieces, chm_schedule_kind order,
                            uint32_t destinations, const chm_transfer* sample, chm_stage* stage) {
    if (pieces->count > 0) {
        qsort(pieces->items, pieces->count, sizeof *pieces->items, by_source);
    }
    chm_status status = join_neighbours(pieces, search->arena);
    if (status == chm_ok && order != chm_schedule_direct && pieces->count > 0) {
        status = stagger(pieces, destinations, search->arena);
    }
    chm_transfer* transfers = chm_arena_alloc(search->arena, pieces->count, sizeof *transfers);
    if (status != chm_ok || transfers == NULL) {
        return status != chm_ok ? status : chm_no_memory;
    }
    for (uint32_t i = 0; i < pieces->count; ++i) {
        const chm_piece* piece = &pieces->items[i];
        transfers[i] = *sample;
        transfers[i].source = piece->source;
        transfers[i].destination = piece->destination;
        transfers[i].region = piece->rect;
        transfers[i].step = piece->step;
        transfers[i].origin = piece->source;
    }
    stage->kind = chm_stage_transfers;
    stage->schedule = order;
    stage->phase.schedule = chm_schedule_name(order);
    stage->transfers = transfers;
    stage->transfer_count = pieces->count;
    return chm_ok;
}
