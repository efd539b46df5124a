// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/plan/plan.h"

// Private to hw/golden: sets of blocks as lists of disjoint rectangles.

#ifdef __cplusplus
extern "C" {
#endif

static inline bool chm_rect_overlaps(const chm_rect* a, const chm_rect* b) {
    chm_rect both = chm_rect_intersect(a, b);
    return !chm_rect_empty(&both);
}

static inline bool chm_rect_same(const chm_rect* a, const chm_rect* b) {
    return a->token_begin == b->token_begin && a->token_end == b->token_end &&
           a->width_begin == b->width_begin && a->width_end == b->width_end;
}

// Appends a block; empty ones are left out.
chm_status chm_rect_list_add(chm_rect_list* list, const chm_rect* rect, chm_arena* arena);

// Takes `hole` out of every block of the list. `spare` is scratch.
chm_status chm_rect_list_subtract(chm_rect_list* list, const chm_rect* hole, chm_rect_list* spare,
                                  chm_arena* arena);

uint64_t chm_rect_list_elements(const chm_rect_list* list);

// Joins blocks that share a whole edge until none do; deterministic.
void chm_rect_list_merge(chm_rect_list* list);

#ifdef __cplusplus
}
#endif
