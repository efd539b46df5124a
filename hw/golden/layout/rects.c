// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/layout/rects.h"

chm_status chm_rect_list_add(chm_rect_list* list, const chm_rect* rect, chm_arena* arena) {
    if (chm_rect_empty(rect)) {
        return chm_ok;
    }
    void* items = list->items;
    chm_status status =
        chm_arena_grow(arena, &items, &list->capacity, (size_t)list->count + 1, sizeof *rect);
    if (status != chm_ok) {
        return status;
    }
    list->items = items;
    list->items[list->count++] = *rect;
    return chm_ok;
}

// The parts of `rect` outside `hole`: rows above and below in full width, then left and right.
static chm_status add_outside(chm_rect_list* list, const chm_rect* rect, const chm_rect* hole,
                              chm_arena* arena) {
    chm_rect both = chm_rect_intersect(rect, hole);
    chm_rect parts[4] = {*rect, *rect, both, both};
    parts[0].token_end = both.token_begin;
    parts[1].token_begin = both.token_end;
    parts[2].width_begin = rect->width_begin;
    parts[2].width_end = both.width_begin;
    parts[3].width_begin = both.width_end;
    parts[3].width_end = rect->width_end;
    chm_status status = chm_ok;
    for (int i = 0; i < 4 && status == chm_ok; ++i) {
        status = chm_rect_list_add(list, &parts[i], arena);
    }
    return status;
}

chm_status chm_rect_list_subtract(chm_rect_list* list, const chm_rect* hole, chm_rect_list* spare,
                                  chm_arena* arena) {
    bool touched = false;
    for (uint32_t i = 0; i < list->count && !touched; ++i) {
        touched = chm_rect_overlaps(&list->items[i], hole);
    }
    if (!touched) {
        return chm_ok;
    }
    spare->count = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        chm_status status = chm_rect_overlaps(&list->items[i], hole)
                                ? add_outside(spare, &list->items[i], hole, arena)
                                : chm_rect_list_add(spare, &list->items[i], arena);
        if (status != chm_ok) {
            return status;
        }
    }
    chm_rect_list swap = *list;
    *list = *spare;
    *spare = swap;
    return chm_ok;
}

uint64_t chm_rect_list_elements(const chm_rect_list* list) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        sum += chm_rect_elements(&list->items[i]);
    }
    return sum;
}

static bool join(chm_rect* a, const chm_rect* b) {
    if (a->token_begin == b->token_begin && a->token_end == b->token_end) {
        if (a->width_end == b->width_begin) {
            a->width_end = b->width_end;
            return true;
        }
        if (b->width_end == a->width_begin) {
            a->width_begin = b->width_begin;
            return true;
        }
    }
    if (a->width_begin == b->width_begin && a->width_end == b->width_end) {
        if (a->token_end == b->token_begin) {
            a->token_end = b->token_end;
            return true;
        }
        if (b->token_end == a->token_begin) {
            a->token_begin = b->token_begin;
            return true;
        }
    }
    return false;
}

void chm_rect_list_merge(chm_rect_list* list) {
    // Sorted lists mostly join with what is just before: one pass leaves little for the thorough
    // one.
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        if (kept == 0 || !join(&list->items[kept - 1], &list->items[i])) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
    for (uint32_t i = 0; i < list->count; ++i) {
        for (uint32_t j = i + 1; j < list->count; ++j) {
            if (join(&list->items[i], &list->items[j])) {
                for (uint32_t k = j + 1; k < list->count; ++k) {
                    list->items[k - 1] = list->items[k];
                }
                --list->count;
                j = i; // the grown block may now meet earlier candidates
            }
        }
    }
}
