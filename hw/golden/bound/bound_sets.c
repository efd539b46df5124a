// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/bound/bound_internal.h"

#include <string.h>

chm_status chm_bound_view_build(const chm_bound_network* network, const chm_tensor* tensor,
                                const chm_layout* layout, chm_arena* arena, chm_bound_view* view) {
    view->routed = chm_layout_is_routed(layout);
    view->partial = chm_layout_is_partial(layout);
    view->ranks = chm_mesh_size(&layout->mesh);
    view->participant = chm_arena_alloc(arena, view->ranks, sizeof *view->participant);
    view->holding = chm_arena_alloc(arena, view->ranks, sizeof *view->holding);
    view->routed_index = chm_arena_alloc(arena, view->ranks, sizeof *view->routed_index);
    if (view->participant == NULL || view->holding == NULL || view->routed_index == NULL) {
        return chm_no_memory;
    }
    for (uint32_t rank = 0; rank < view->ranks; ++rank) {
        view->participant[rank] = chm_bound_participant(network, layout->mesh.dies[rank]);
        view->holding[rank] = chm_layout_holding(layout, tensor, rank);
        view->routed_index[rank] = chm_layout_routed_index(layout, rank);
    }
    return chm_ok;
}

chm_status chm_bound_sets_build(const chm_bound_network* network, uint32_t layouts,
                                chm_arena* arena, chm_bound_sets* sets) {
    size_t count = network->count;
    size_t words = (count + 2) * network->side_words;
    sets->participants = network->count;
    sets->sides = chm_arena_alloc(arena, words, sizeof *sets->sides);
    sets->class_of = chm_arena_alloc(arena, count, sizeof *sets->class_of);
    sets->class_holders = chm_arena_alloc(arena, count, sizeof *sets->class_holders);
    sets->class_met = chm_arena_alloc(arena, count, sizeof *sets->class_met);
    sets->holders = chm_arena_alloc(arena, count, sizeof *sets->holders);
    sets->needs = chm_arena_alloc(arena, count, 1);
    sets->needers = chm_arena_alloc(arena, count, sizeof *sets->needers);
    sets->any = chm_arena_alloc(arena, count * layouts, 1);
    bool complete = sets->class_of != NULL && sets->class_holders != NULL &&
                    sets->class_met != NULL && sets->holders != NULL && sets->needs != NULL &&
                    sets->needers != NULL && sets->any != NULL && sets->sides != NULL;
    return complete ? chm_ok : chm_no_memory;
}

// Position of a routed index among the cell's targets, CHM_NONE if it is none.
static uint32_t target_position(const chm_bound_cell* cell, uint32_t index) {
    for (uint32_t i = 0; i < cell->target_count; ++i) {
        if (cell->targets[i] == index) {
            return i;
        }
    }
    return CHM_NONE;
}

static bool view_has(const chm_bound_view* view, uint32_t rank, const chm_bound_cell* cell) {
    const chm_rect* rect = &view->holding[rank].rect;
    return !chm_rect_empty(rect) && chm_rect_contains(rect, &cell->rect) &&
           (!view->routed || target_position(cell, view->routed_index[rank]) != CHM_NONE);
}

void chm_bound_sets_clear(chm_bound_sets* sets) {
    size_t count = sets->participants;
    memset(sets->class_of, 0xff, count * sizeof *sets->class_of);
    memset(sets->class_holders, 0, count * sizeof *sets->class_holders);
    memset(sets->needs, 0, count);
    sets->classes = sets->holder_count = sets->needer_count = sets->any_count = 0;
}

void chm_bound_sets_add_holders(chm_bound_sets* sets, const chm_bound_view* view,
                                const chm_bound_cell* cell) {
    for (uint32_t rank = 0; rank < view->ranks; ++rank) {
        uint32_t p = view->participant[rank];
        if (!view_has(view, rank, cell) || sets->class_of[p] != CHM_NONE) {
            continue;
        }
        uint32_t addend = 0;
        uint32_t classes = 1;
        if (view->partial) {
            addend = view->routed ? target_position(cell, view->routed_index[rank])
                                  : view->holding[rank].addend;
            classes = view->routed ? cell->target_count : view->holding[rank].addends;
        }
        sets->classes = classes;
        sets->class_of[p] = addend;
        ++sets->class_holders[addend];
        sets->holders[sets->holder_count++] = p;
    }
}

void chm_bound_sets_add_needers(chm_bound_sets* sets, const chm_bound_view* view,
                                const chm_bound_cell* cell) {
    uint8_t* any = sets->any + (size_t)sets->any_count * sets->participants;
    if (view->partial) {
        memset(any, 0, sets->participants);
        ++sets->any_count;
    }
    for (uint32_t rank = 0; rank < view->ranks; ++rank) {
        uint32_t p = view->participant[rank];
        if (!view_has(view, rank, cell)) {
            continue;
        }
        if (view->partial) {
            any[p] = 1;
        } else if (!sets->needs[p]) {
            sets->needs[p] = 1;
            sets->needers[sets->needer_count++] = p;
        }
    }
}
