// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "hw/base/diagnostics.h"
#include "hw/golden/layout/routing.h"
#include "hw/golden/layout/tensor.h"

// A layout says who holds what of a tensor: an n-dimensional array of dies and, for each of its
// dimensions, one placement (the terms of PyTorch's DTensor and OneFlow's SBP).

#ifdef __cplusplus
extern "C" {
#endif

enum { chm_max_mesh_dimensions = 4 };

#define CHM_NO_RANK UINT32_MAX

typedef enum chm_placement_kind {
    chm_place_replicate = 0, // every die along the dimension holds the same data
    chm_place_shard,         // split along axis; the first n mod N blocks get one more
    chm_place_partial,       // every die holds a full-size addend; the value is their sum
    chm_place_routed_copy,   // a token's row is on the dies of its at most k experts
    chm_place_routed_partial // those dies hold weighted addends of the row
} chm_placement_kind;

typedef struct chm_placement {
    chm_placement_kind kind;
    chm_axis axis;  // shard: what is split
    uint32_t order; // shard: among the dimensions that split one axis, 0 splits first (major)
} chm_placement;

typedef struct chm_die_mesh {
    uint32_t dimensions;                      // 1 .. chm_max_mesh_dimensions
    uint32_t extent[chm_max_mesh_dimensions]; // each >= 1
    const uint32_t* dies;                     // die of each rank, row-major, last dimension fastest
} chm_die_mesh;

typedef struct chm_layout {
    chm_die_mesh mesh;
    chm_placement placement[chm_max_mesh_dimensions];
} chm_layout;

// What one rank holds. For layouts without routed dimensions `rect` is exactly what is held. For
// routed layouts it is the block whose rows may be held; chm_layout_holds_row tells which are.
// The value is the sum over addend = 0 .. addends-1; addends is 1 where data is complete. Under
// routed_partial, addend is the routed index and a row's sum has the addends of its targets only.
typedef struct chm_holding {
    chm_rect rect;
    uint32_t addend;
    uint32_t addends;
} chm_holding;

// Number of ranks (product of the extents).
uint32_t chm_mesh_size(const chm_die_mesh* mesh);

// The rank of a die, CHM_NO_RANK if it is not in the mesh.
uint32_t chm_mesh_rank(const chm_die_mesh* mesh, uint32_t die);

// The coordinates of a rank, one per dimension.
void chm_mesh_coordinates(const chm_die_mesh* mesh, uint32_t rank,
                          uint32_t coordinates[chm_max_mesh_dimensions]);

bool chm_mesh_equal(const chm_die_mesh* a, const chm_die_mesh* b);

// Refuses, with one message per fault: no or too many dimensions, an extent of 0, a die twice,
// split orders that are not 0..n-1 per axis, routed dimensions of mixed kind, without routing or
// with one over another number of dies, partial beside routed dimensions, an empty tensor.
chm_status chm_layout_check(const chm_layout* layout, const chm_tensor* tensor,
                            const chm_routing* routing, const chm_origin* origin,
                            chm_diagnostics* diagnostics);

chm_holding chm_layout_holding(const chm_layout* layout, const chm_tensor* tensor, uint32_t rank);

bool chm_layout_is_routed(const chm_layout* layout);     // has routed_copy or routed_partial
bool chm_layout_is_partial(const chm_layout* layout);    // has partial (> 1 die), routed_partial
bool chm_layout_rows_complete(const chm_layout* layout); // complete, and no width shard

// Routed layouts: the number of dies over the routed dimensions, and the index of a rank among them
// (row-major over the routed dimensions).
uint32_t chm_layout_routed_size(const chm_layout* layout);
uint32_t chm_layout_routed_index(const chm_layout* layout, uint32_t rank);

// True if the rank holds (an addend of) the row of `token`; for unrouted layouts, if rect has it.
bool chm_layout_holds_row(const chm_layout* layout, const chm_tensor* tensor,
                          const chm_routing* routing, uint32_t rank, uint64_t token);

// Bytes held by a rank, routed rows counted exactly.
uint64_t chm_layout_bytes(const chm_layout* layout, const chm_tensor* tensor,
                          const chm_routing* routing, uint32_t rank);

// Same mesh (same dies in the same order) and every rank holds the same block and addend.
bool chm_layout_same(const chm_layout* a, const chm_layout* b, const chm_tensor* tensor);

// True if every needer in `to` already holds what it needs in `from`, complete: the local `slice`,
// no byte moves. Replicate may also be shard; partial never.
bool chm_layout_slices_to(const chm_layout* from, const chm_layout* to, const chm_tensor* tensor,
                          const chm_routing* routing);

// True if `to` is a partial layout on the same dies that `from` (replicate or shard) gives with
// zeros elsewhere: the local `embed`, no byte moves.
bool chm_layout_embeds_to(const chm_layout* from, const chm_layout* to, const chm_tensor* tensor);

// "[2x2: shard(tokens), partial] on {0 1 5 6}"; at most `size` bytes, terminated. Returns buffer.
char* chm_layout_format(const chm_layout* layout, char* buffer, size_t size);

#ifdef __cplusplus
}
#endif
