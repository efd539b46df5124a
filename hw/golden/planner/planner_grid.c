// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/planner/planner_grid.h"

#include <stdlib.h>

static int ascending(const void* left, const void* right) {
    uint64_t a = *(const uint64_t*)left;
    uint64_t b = *(const uint64_t*)right;
    return (a > b) - (a < b);
}

chm_status chm_boundaries(const uint64_t* values, uint32_t count, chm_arena* arena,
                          uint64_t** sorted, uint32_t* sorted_count) {
    *sorted = chm_arena_copy(arena, values, count, sizeof *values);
    if (*sorted == NULL) {
        return chm_no_memory;
    }
    qsort(*sorted, count, sizeof **sorted, ascending);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (kept == 0 || (*sorted)[kept - 1] != (*sorted)[i]) {
            (*sorted)[kept++] = (*sorted)[i];
        }
    }
    *sorted_count = kept;
    return chm_ok;
}

chm_status chm_grid_begin(chm_grid* grid, const chm_blocks* a, const chm_blocks* b,
                          chm_arena* arena) {
    *grid = (chm_grid){.sets = {a, b}};
    uint32_t edges = 2 * (a->count + b->count);
    uint64_t* tokens = chm_arena_alloc(arena, edges, sizeof *tokens);
    uint64_t* widths = chm_arena_alloc(arena, edges, sizeof *widths);
    if (tokens == NULL || widths == NULL) {
        return chm_no_memory;
    }
    uint32_t next = 0;
    for (uint32_t s = 0; s < 2; ++s) {
        for (uint32_t i = 0; i < grid->sets[s]->count; ++i, next += 2) {
            const chm_rect* rect = &grid->sets[s]->items[i].rect;
            tokens[next] = rect->token_begin;
            tokens[next + 1] = rect->token_end;
            widths[next] = rect->width_begin;
            widths[next + 1] = rect->width_end;
        }
        grid->in_row[s] = chm_arena_alloc(arena, grid->sets[s]->count, sizeof(uint32_t));
        grid->found[s] = chm_arena_alloc(arena, grid->sets[s]->count, sizeof(uint32_t));
        if (grid->in_row[s] == NULL || grid->found[s] == NULL) {
            return chm_no_memory;
        }
    }
    chm_status status = chm_boundaries(tokens, edges, arena, &grid->tokens, &grid->token_count);
    return status != chm_ok
               ? status
               : chm_boundaries(widths, edges, arena, &grid->widths, &grid->width_count);
}

static void enter_row(chm_grid* grid) {
    for (uint32_t s = 0; s < 2; ++s) {
        grid->in_row_count[s] = 0;
        for (uint32_t i = 0; i < grid->sets[s]->count; ++i) {
            const chm_rect* rect = &grid->sets[s]->items[i].rect;
            if (!chm_rect_empty(rect) && rect->token_begin <= grid->tokens[grid->row] &&
                grid->tokens[grid->row] < rect->token_end) {
                grid->in_row[s][grid->in_row_count[s]++] = i;
            }
        }
    }
}

bool chm_grid_next(chm_grid* grid) {
    if (grid->column + 1 >= grid->width_count) {
        grid->column = 0;
        ++grid->row;
    }
    if (grid->row + 1 >= grid->token_count || grid->width_count < 2) {
        return false;
    }
    if (grid->column == 0) {
        enter_row(grid);
    }
    grid->cell = (chm_rect){grid->tokens[grid->row], grid->tokens[grid->row + 1],
                            grid->widths[grid->column], grid->widths[grid->column + 1]};
    for (uint32_t s = 0; s < 2; ++s) {
        grid->found_count[s] = 0;
        for (uint32_t i = 0; i < grid->in_row_count[s]; ++i) {
            uint32_t block = grid->in_row[s][i];
            if (chm_rect_contains(&grid->sets[s]->items[block].rect, &grid->cell)) {
                grid->found[s][grid->found_count[s]++] = block;
            }
        }
    }
    ++grid->column;
    return true;
}
