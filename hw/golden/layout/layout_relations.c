// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/layout/layout.h"

#include <stdarg.h>
#include <stdio.h>

static bool rect_equal(const chm_rect* a, const chm_rect* b) {
    return (chm_rect_empty(a) && chm_rect_empty(b)) ||
           (a->token_begin == b->token_begin && a->token_end == b->token_end &&
            a->width_begin == b->width_begin && a->width_end == b->width_end);
}

bool chm_layout_same(const chm_layout* a, const chm_layout* b, const chm_tensor* tensor) {
    if (!chm_mesh_equal(&a->mesh, &b->mesh) ||
        chm_layout_routed_size(a) != chm_layout_routed_size(b) ||
        chm_layout_is_routed(a) != chm_layout_is_routed(b) ||
        chm_layout_is_partial(a) != chm_layout_is_partial(b)) {
        return false;
    }
    uint32_t size = chm_mesh_size(&a->mesh);
    for (uint32_t rank = 0; rank < size; ++rank) {
        chm_holding x = chm_layout_holding(a, tensor, rank);
        chm_holding y = chm_layout_holding(b, tensor, rank);
        if (!rect_equal(&x.rect, &y.rect) || x.addend != y.addend || x.addends != y.addends ||
            chm_layout_routed_index(a, rank) != chm_layout_routed_index(b, rank)) {
            return false;
        }
    }
    return true;
}

// One needer of slices_to: every row that `rank` has in `to` lies complete on its die in `from`.
static bool rank_slices(const chm_layout* from, const chm_layout* to, const chm_tensor* tensor,
                        const chm_routing* routing, uint32_t rank) {
    chm_rect need = chm_layout_holding(to, tensor, rank).rect;
    if (chm_rect_empty(&need)) {
        return true;
    }
    uint32_t holder = chm_mesh_rank(&from->mesh, to->mesh.dies[rank]);
    if (holder != CHM_NO_RANK && !chm_layout_is_routed(from)) {
        chm_rect have = chm_layout_holding(from, tensor, holder).rect;
        if (chm_rect_contains(&have, &need)) {
            return true;
        }
    }
    if (!chm_layout_is_routed(from) && !chm_layout_is_routed(to)) {
        return false;
    }
    for (uint64_t token = need.token_begin; token < need.token_end; ++token) {
        if (!chm_layout_holds_row(to, tensor, routing, rank, token)) {
            continue;
        }
        if (holder == CHM_NO_RANK || !chm_layout_holds_row(from, tensor, routing, holder, token)) {
            return false;
        }
        chm_rect have = chm_layout_holding(from, tensor, holder).rect;
        if (have.width_begin > need.width_begin || have.width_end < need.width_end) {
            return false;
        }
    }
    return true;
}

bool chm_layout_slices_to(const chm_layout* from, const chm_layout* to, const chm_tensor* tensor,
                          const chm_routing* routing) {
    if (chm_layout_is_partial(from) || chm_layout_is_partial(to)) {
        return false;
    }
    uint32_t size = chm_mesh_size(&to->mesh);
    for (uint32_t rank = 0; rank < size; ++rank) {
        if (!rank_slices(from, to, tensor, routing, rank)) {
            return false;
        }
    }
    return true;
}

// True if rank stands at coordinate 0 of every dimension that `to` sums over and `from` replicates:
// of equal addends one is kept, the others become zero.
static bool keeps_value(const chm_layout* from, const chm_layout* to, const uint32_t* coordinates) {
    for (uint32_t d = 0; d < to->mesh.dimensions; ++d) {
        if (to->placement[d].kind == chm_place_partial &&
            from->placement[d].kind == chm_place_replicate && coordinates[d] != 0) {
            return false;
        }
    }
    return true;
}

// Elements of `rank`'s block in `to` that the ranks it is summed with hold in `from`. Blocks in
// `from` are disjoint along sharded dimensions, so that areas add up to the union.
static uint64_t covered_elements(const chm_layout* from, const chm_layout* to,
                                 const chm_tensor* tensor, uint32_t rank) {
    uint32_t here[chm_max_mesh_dimensions], there[chm_max_mesh_dimensions];
    chm_mesh_coordinates(&to->mesh, rank, here);
    chm_rect block = chm_layout_holding(to, tensor, rank).rect;
    uint32_t size = chm_mesh_size(&to->mesh);
    uint64_t covered = 0;
    for (uint32_t other = 0; other < size; ++other) {
        chm_mesh_coordinates(&to->mesh, other, there);
        bool summed = keeps_value(from, to, there);
        for (uint32_t d = 0; d < to->mesh.dimensions; ++d) {
            summed &= to->placement[d].kind == chm_place_partial || here[d] == there[d];
        }
        if (summed) {
            chm_rect have = chm_layout_holding(from, tensor, other).rect;
            chm_rect both = chm_rect_intersect(&have, &block);
            covered += chm_rect_elements(&both);
        }
    }
    return covered;
}

bool chm_layout_embeds_to(const chm_layout* from, const chm_layout* to, const chm_tensor* tensor) {
    if (!chm_mesh_equal(&from->mesh, &to->mesh) || chm_layout_is_partial(from) ||
        !chm_layout_is_partial(to) || chm_layout_is_routed(from) || chm_layout_is_routed(to)) {
        return false;
    }
    for (uint32_t d = 0; d < to->mesh.dimensions; ++d) {
        const chm_placement* a = &from->placement[d];
        const chm_placement* b = &to->placement[d];
        bool trivial = to->mesh.extent[d] == 1 || b->kind == chm_place_partial;
        if (!trivial &&
            (a->kind != b->kind || (a->kind == chm_place_shard && a->axis != b->axis))) {
            return false;
        }
    }
    uint32_t size = chm_mesh_size(&to->mesh);
    for (uint32_t rank = 0; rank < size; ++rank) {
        chm_rect block = chm_layout_holding(to, tensor, rank).rect;
        if (covered_elements(from, to, tensor, rank) != chm_rect_elements(&block)) {
            return false;
        }
    }
    return true;
}

typedef struct text_sink {
    char* buffer;
    size_t size, used;
} text_sink;

__attribute__((format(printf, 2, 3))) static void put(text_sink* sink, const char* format, ...) {
    if (sink->used + 1 >= sink->size) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(sink->buffer + sink->used, sink->size - sink->used, format, arguments);
    va_end(arguments);
    size_t room = sink->size - sink->used - 1;
    sink->used += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room;
}

// The order is shown where it is not that of the dimensions.
static bool order_is_plain(const chm_layout* layout, uint32_t dimension) {
    uint32_t before = 0;
    for (uint32_t d = 0; d < dimension; ++d) {
        before += layout->placement[d].kind == chm_place_shard &&
                  layout->placement[d].axis == layout->placement[dimension].axis;
    }
    return layout->placement[dimension].order == before;
}

static void put_placement(text_sink* sink, const chm_layout* layout, uint32_t dimension) {
    const chm_placement* place = &layout->placement[dimension];
    switch (place->kind) {
    case chm_place_replicate: put(sink, "replicate"); break;
    case chm_place_partial: put(sink, "partial"); break;
    case chm_place_routed_copy: put(sink, "routed_copy"); break;
    case chm_place_routed_partial: put(sink, "routed_partial"); break;
    case chm_place_shard:
        put(sink, "shard(%s", place->axis == chm_axis_tokens ? "tokens" : "width");
        if (!order_is_plain(layout, dimension)) {
            put(sink, ", order %u", place->order);
        }
        put(sink, ")");
        break;
    }
}

char* chm_layout_format(const chm_layout* layout, char* buffer, size_t size) {
    if (size == 0) {
        return buffer;
    }
    buffer[0] = '\0';
    text_sink sink = {buffer, size, 0};
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        put(&sink, "%s%u", d == 0 ? "[" : "x", layout->mesh.extent[d]);
    }
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        put(&sink, d == 0 ? ": " : ", ");
        put_placement(&sink, layout, d);
    }
    put(&sink, "] on {");
    uint32_t ranks = chm_mesh_size(&layout->mesh);
    for (uint32_t rank = 0; rank < ranks; ++rank) {
        put(&sink, "%s%u", rank == 0 ? "" : " ", layout->mesh.dies[rank]);
    }
    put(&sink, "}");
    return buffer;
}
