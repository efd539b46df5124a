// SPDX-License-Identifier: Apache-2.0
#include "traces/placement.h"

#include <stdio.h>
#include <string.h>

enum { max_extent = 65536 };

static bool shape_is_sane(const chm_block* block) {
    return block->columns >= 1 && block->columns <= max_extent && block->rows >= 1 &&
           block->rows <= max_extent && block->index <= max_extent;
}

// sscanf with a trailing %n: the whole text must have been used.
bool chm_block_parse(const char* text, const chm_block* previous, chm_block* block) {
    size_t length = strlen(text);
    int end = 0;
    *block = (chm_block){.columns = 1, .rows = 1};
    if (strcmp(text, "all") == 0) {
        block->all = true;
        return true;
    }
    if (strcmp(text, "next block") == 0) {
        if (previous == NULL || previous->all) {
            return false;
        }
        *block = *previous;
        block->index += 1;
        return shape_is_sane(block);
    }
    if (sscanf(text, "block of %5ux%5u%n", &block->columns, &block->rows, &end) == 2 &&
        (size_t)end == length) {
        return shape_is_sane(block);
    }
    end = 0;
    if (sscanf(text, "block %5u of %5ux%5u%n", &block->index, &block->columns, &block->rows,
               &end) == 3 &&
        (size_t)end == length) {
        return shape_is_sane(block);
    }
    return false;
}

// A grid has one die on every node and two dimensions or more; elsewhere (trees, rings, a user's
// graph) blocks are runs of die ids.
static bool is_grid(const chm_topology* topology) {
    return topology->nodes == topology->dies && topology->dimensions > 1;
}

// The dies of a block, ascending ids (x fastest), and its extent along x, y and z.
typedef struct placed_block {
    uint32_t* dies;
    uint32_t count;
    uint32_t extent[3];
} placed_block;

static chm_status fill_box(placed_block* placed, const uint32_t begin[3], const uint32_t stride[3],
                           chm_arena* arena) {
    placed->count = placed->extent[0] * placed->extent[1] * placed->extent[2];
    placed->dies = chm_arena_alloc(arena, placed->count, sizeof *placed->dies);
    if (placed->dies == NULL) {
        return chm_no_memory;
    }
    uint32_t at = 0;
    for (uint32_t z = 0; z < placed->extent[2]; ++z) {
        for (uint32_t y = 0; y < placed->extent[1]; ++y) {
            for (uint32_t x = 0; x < placed->extent[0]; ++x) {
                placed->dies[at++] = (begin[0] + x) * stride[0] + (begin[1] + y) * stride[1] +
                                     (begin[2] + z) * stride[2];
            }
        }
    }
    return chm_ok;
}

static chm_status place_all(const chm_topology* topology, placed_block* placed, chm_arena* arena) {
    uint32_t stride[3] = {1, topology->extent[0], topology->extent[0] * topology->extent[1]};
    const uint32_t begin[3] = {0, 0, 0};
    for (uint32_t d = 0; d < 3; ++d) {
        placed->extent[d] = d < topology->dimensions ? topology->extent[d] : 1;
    }
    return fill_box(placed, begin, stride, arena);
}

static chm_status place_on_grid(const chm_block* block, const chm_topology* topology,
                                placed_block* placed, chm_arena* arena, const chm_origin* origin,
                                chm_diagnostics* diagnostics) {
    uint32_t columns = topology->extent[0];
    uint32_t rows = topology->dimensions > 1 ? topology->extent[1] : 1;
    uint32_t planes = topology->dimensions > 2 ? topology->extent[2] : 1;
    uint32_t across = columns / block->columns;
    uint32_t down = rows / block->rows;
    uint64_t blocks = (uint64_t)across * down * planes;
    if (block->index >= blocks) {
        chm_diagnose(diagnostics, origin,
                     "block %u of %ux%u does not fit %s: %u columns / %u = %u across, %u rows / %u "
                     "= %u down, %u plane(s): %llu block(s), counted from 0",
                     block->index, block->columns, block->rows, topology->name, columns,
                     block->columns, across, rows, block->rows, down, planes,
                     (unsigned long long)blocks);
        return chm_bad_input;
    }
    uint32_t in_plane = block->index / planes;
    const uint32_t begin[3] = {in_plane % across * block->columns, in_plane / across * block->rows,
                               block->index % planes};
    const uint32_t stride[3] = {1, columns, columns * rows};
    placed->extent[0] = block->columns;
    placed->extent[1] = block->rows;
    placed->extent[2] = 1;
    return fill_box(placed, begin, stride, arena);
}

// Consecutive ids: of a tree, or of no platform at all.
static chm_status place_in_order(const chm_block* block, const chm_topology* topology,
                                 placed_block* placed, chm_arena* arena, const chm_origin* origin,
                                 chm_diagnostics* diagnostics) {
    uint64_t size = (uint64_t)block->columns * block->rows;
    uint64_t end = size * (block->index + (uint64_t)1);
    if (topology != NULL && end > topology->dies) {
        chm_diagnose(diagnostics, origin,
                     "block %u of %ux%u does not fit %s: it needs dies %llu .. %llu, there are %u",
                     block->index, block->columns, block->rows, topology->name,
                     (unsigned long long)(end - size), (unsigned long long)(end - 1),
                     topology->dies);
        return chm_bad_input;
    }
    if (end > max_extent) {
        chm_diagnose(diagnostics, origin,
                     "block %u of %ux%u ends with die %llu; allowed: at most %d dies", block->index,
                     block->columns, block->rows, (unsigned long long)(end - 1), max_extent);
        return chm_bad_input;
    }
    const uint32_t begin[3] = {block->index * (uint32_t)size, 0, 0};
    const uint32_t stride[3] = {1, block->columns, 0};
    placed->extent[0] = block->columns;
    placed->extent[1] = block->rows;
    placed->extent[2] = 1;
    return fill_box(placed, begin, stride, arena);
}

static bool uses_axes(const chm_dimension* dimensions, uint32_t count) {
    return count > 0 && dimensions[0].axis >= 0;
}

// Dimensions along x, y, z: the die of a rank is where its coordinates put it.
static chm_status mesh_by_axes(const placed_block* placed, const chm_dimension* dimensions,
                               uint32_t count, chm_arena* arena, chm_die_mesh* mesh,
                               const chm_origin* origin, chm_diagnostics* diagnostics) {
    uint32_t covered = 1;
    bool seen[3] = {false, false, false};
    for (uint32_t d = 0; d < count; ++d) {
        int axis = dimensions[d].axis;
        if (axis < 0 || seen[axis]) {
            chm_diagnose(diagnostics, origin,
                         "dimension '%s': allowed: x, y and z, each once, or numbers for all "
                         "dimensions",
                         dimensions[d].name);
            return chm_bad_input;
        }
        seen[axis] = true;
        mesh->extent[d] = placed->extent[axis];
        covered *= placed->extent[axis];
    }
    if (covered != placed->count) {
        chm_diagnose(diagnostics, origin,
                     "the dimensions cover %u dies of a block of %u x %u x %u = %u", covered,
                     placed->extent[0], placed->extent[1], placed->extent[2], placed->count);
        return chm_bad_input;
    }
    uint32_t* dies = chm_arena_alloc(arena, placed->count, sizeof *dies);
    if (dies == NULL) {
        return chm_no_memory;
    }
    mesh->dies = dies;
    for (uint32_t rank = 0; rank < placed->count; ++rank) {
        uint32_t coordinates[chm_max_mesh_dimensions];
        uint32_t at[3] = {0, 0, 0};
        chm_mesh_coordinates(mesh, rank, coordinates);
        for (uint32_t d = 0; d < count; ++d) {
            at[dimensions[d].axis] = coordinates[d];
        }
        dies[rank] = placed->dies[(at[2] * placed->extent[1] + at[1]) * placed->extent[0] + at[0]];
    }
    return chm_ok;
}

// Dimensions in numbers (or, on a tree, the numbers that x and y stand for): row-major over the
// ids.
static chm_status mesh_by_numbers(const placed_block* placed, const chm_dimension* dimensions,
                                  uint32_t count, chm_die_mesh* mesh, const chm_origin* origin,
                                  chm_diagnostics* diagnostics) {
    uint64_t product = 1;
    for (uint32_t d = 0; d < count; ++d) {
        uint32_t extent = dimensions[d].extent;
        if (dimensions[d].axis >= 0) {
            extent = placed->extent[dimensions[d].axis];
        } else if (extent == 0) {
            extent = placed->count;
        }
        mesh->extent[d] = extent;
        product *= extent;
    }
    if (product != placed->count) {
        chm_diagnose(diagnostics, origin, "the dimensions make %llu dies, the group has %u",
                     (unsigned long long)product, placed->count);
        return chm_bad_input;
    }
    mesh->dies = placed->dies;
    return chm_ok;
}

// Without a platform "all" is what the dimensions ask for.
static placed_block shape_of_all(const chm_dimension* dimensions, uint32_t count) {
    placed_block placed = {.extent = {1, 1, 1}};
    for (uint32_t d = 0; d < count; ++d) {
        uint32_t at = dimensions[d].axis < 0 ? 0 : (uint32_t)dimensions[d].axis;
        uint32_t extent =
            dimensions[d].axis < 0 && dimensions[d].extent != 0 ? dimensions[d].extent : 2;
        placed.extent[at] *= extent; // the reader limits the product
    }
    return placed;
}

chm_status chm_place_block(const chm_block* block, const chm_dimension* dimensions,
                           uint32_t dimension_count, const chm_topology* topology, chm_arena* arena,
                           chm_die_mesh* mesh, const chm_origin* origin,
                           chm_diagnostics* diagnostics) {
    placed_block placed = {0};
    chm_status status;
    bool in_order = topology == NULL || !is_grid(topology);
    if (block->all && topology == NULL) {
        placed = shape_of_all(dimensions, dimension_count);
        const uint32_t begin[3] = {0, 0, 0};
        const uint32_t stride[3] = {1, placed.extent[0], placed.extent[0] * placed.extent[1]};
        status = fill_box(&placed, begin, stride, arena);
    } else if (block->all) {
        status = place_all(topology, &placed, arena);
        in_order = false;
    } else if (in_order) {
        status = place_in_order(block, topology, &placed, arena, origin, diagnostics);
    } else {
        status = place_on_grid(block, topology, &placed, arena, origin, diagnostics);
    }
    if (status != chm_ok) {
        return status;
    }
    mesh->dimensions = dimension_count;
    if (!in_order && uses_axes(dimensions, dimension_count)) {
        return mesh_by_axes(&placed, dimensions, dimension_count, arena, mesh, origin, diagnostics);
    }
    return mesh_by_numbers(&placed, dimensions, dimension_count, mesh, origin, diagnostics);
}

chm_status chm_place_listed(const uint32_t* dies, uint32_t count, const chm_dimension* dimensions,
                            uint32_t dimension_count, const chm_topology* topology,
                            chm_arena* arena, chm_die_mesh* mesh, const chm_origin* origin,
                            chm_diagnostics* diagnostics) {
    placed_block placed = {.count = count, .extent = {count, 1, 1}};
    placed.dies = chm_arena_copy(arena, dies, count, sizeof *dies);
    if (placed.dies == NULL) {
        return chm_no_memory;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (topology != NULL && dies[i] >= topology->dies) {
            chm_diagnose(diagnostics, origin, "die %u: %s has dies 0 .. %u", dies[i],
                         topology->name, topology->dies - 1);
            return chm_bad_input;
        }
    }
    mesh->dimensions = dimension_count;
    return mesh_by_numbers(&placed, dimensions, dimension_count, mesh, origin, diagnostics);
}
