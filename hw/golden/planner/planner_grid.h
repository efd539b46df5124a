// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/planner/planner_search.h"

// Private to the planner: the common refinement of two sets of blocks, cell by cell. Every block
// holds a cell wholly or not at all.

typedef struct chm_grid {
    const chm_blocks* sets[2];
    uint64_t* tokens;
    uint64_t* widths;
    uint32_t token_count, width_count; // boundaries
    uint32_t row, column;              // of the next cell
    uint32_t* in_row[2];               // indices of the blocks that overlap the current row
    uint32_t in_row_count[2];
    chm_rect cell;
    uint32_t* found[2]; // indices of the blocks that contain the cell
    uint32_t found_count[2];
} chm_grid;

chm_status chm_grid_begin(chm_grid* grid, const chm_blocks* a, const chm_blocks* b,
                          chm_arena* arena);

// Steps to the next cell, rows first; false after the last.
bool chm_grid_next(chm_grid* grid);

// Ascending row boundaries of a set of blocks, without repetition.
chm_status chm_boundaries(const uint64_t* values, uint32_t count, chm_arena* arena,
                          uint64_t** sorted, uint32_t* sorted_count);
