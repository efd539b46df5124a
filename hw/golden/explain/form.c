// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/explain/form.h"

typedef enum form_move { move_none = 0, move_a2a, move_p2p, move_m2ms } form_move;

static bool same_dies(const chm_die_mesh* a, const chm_die_mesh* b) {
    uint32_t size = chm_mesh_size(a);
    if (size != chm_mesh_size(b)) {
        return false;
    }
    for (uint32_t rank = 0; rank < size; ++rank) {
        if (chm_mesh_rank(b, a->dies[rank]) == CHM_NO_RANK) {
            return false;
        }
    }
    return true;
}

// The same placements on another mesh of the same shape: die i sends what it has to die i.
static bool same_placements(const chm_layout* a, const chm_layout* b) {
    if (a->mesh.dimensions != b->mesh.dimensions) {
        return false;
    }
    for (uint32_t d = 0; d < a->mesh.dimensions; ++d) {
        const chm_placement *x = &a->placement[d], *y = &b->placement[d];
        bool shard = x->kind == chm_place_shard;
        if (a->mesh.extent[d] != b->mesh.extent[d] || x->kind != y->kind ||
            (shard && (x->axis != y->axis || x->order != y->order))) {
            return false;
        }
    }
    return true;
}

static uint64_t elements_held(const chm_layout* layout, const chm_tensor* tensor) {
    uint64_t held = 0;
    uint32_t size = chm_mesh_size(&layout->mesh);
    for (uint32_t rank = 0; rank < size; ++rank) {
        chm_holding holding = chm_layout_holding(layout, tensor, rank);
        held += chm_rect_elements(&holding.rect);
    }
    return held;
}

// Several dies end with the same elements.
static bool gathers(const chm_layout* layout, const chm_tensor* tensor) {
    return !chm_layout_is_routed(layout) &&
           elements_held(layout, tensor) > tensor->tokens * tensor->width;
}

// Every die's block of `inner` lies in its block of `outer`, on the same dies.
static bool blocks_contain(const chm_layout* outer, const chm_layout* inner,
                           const chm_tensor* tensor) {
    uint32_t size = chm_mesh_size(&inner->mesh);
    for (uint32_t rank = 0; rank < size; ++rank) {
        uint32_t there = chm_mesh_rank(&outer->mesh, inner->mesh.dies[rank]);
        if (there == CHM_NO_RANK) {
            return false;
        }
        chm_rect large = chm_layout_holding(outer, tensor, there).rect;
        chm_rect small = chm_layout_holding(inner, tensor, rank).rect;
        if (!chm_rect_contains(&large, &small)) {
            return false;
        }
    }
    return true;
}

static uint32_t summed_dimensions(const chm_layout* layout) {
    uint32_t summed = 0;
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        summed += layout->placement[d].kind == chm_place_partial;
    }
    return summed;
}

static const char* compose_name(bool reduce, form_move move, bool gather) {
    static const char* const names[2][4][2] = {
        {{"nothing", "A-G"}, {"A2A", "A2A; A-G"}, {"P2P", "P2P; A-G"}, {"M2MS", "M2MS; A-G"}},
        {{"R-S", "R-S; A-G"},
         {"R-S; A2A", "R-S; A2A; A-G"},
         {"R-S; P2P", "R-S; P2P; A-G"},
         {"R-S; M2MS", "R-S; M2MS; A-G"}},
    };
    return names[reduce][move][gather];
}

// Addends to addends: nothing is completed, or only some dimensions are.
static const char* form_of_addends(const chm_request* request, const chm_layout* to, bool here) {
    const chm_layout* from = request->from;
    bool reduce = summed_dimensions(from) > summed_dimensions(to);
    if (!here) {
        return compose_name(reduce, same_placements(from, to) ? move_p2p : move_m2ms, false);
    }
    bool in_place = chm_layout_same(from, to, &request->tensor) ||
                    (reduce && blocks_contain(from, to, &request->tensor));
    return compose_name(reduce, in_place ? move_none : move_a2a, false);
}

static const char* form_of_sum(const chm_request* request, const chm_layout* to) {
    const chm_layout* from = request->from;
    bool here = same_dies(&from->mesh, &to->mesh);
    if (chm_layout_is_partial(to)) {
        return form_of_addends(request, to, here);
    }
    bool gather = gathers(to, &request->tensor);
    if (chm_layout_is_routed(from)) { // rows come back and are added where they arrive
        return compose_name(false, here ? move_a2a : move_m2ms, gather);
    }
    if (chm_layout_is_routed(to)) {
        return compose_name(true, here ? move_a2a : move_m2ms, false);
    }
    if (!here) {
        return compose_name(true, move_p2p, gather);
    }
    bool in_place = blocks_contain(from, to, &request->tensor);
    return compose_name(true, in_place ? move_none : move_a2a, gather);
}

static const char* form_of_complete(const chm_request* request, const chm_layout* to) {
    const chm_layout* from = request->from;
    const chm_tensor* tensor = &request->tensor;
    if (chm_layout_same(from, to, tensor)) {
        return "nothing";
    }
    if (chm_layout_slices_to(from, to, tensor, request->routing)) {
        return "slice";
    }
    bool gather = gathers(to, tensor);
    if (same_dies(&from->mesh, &to->mesh)) {
        bool grows = !chm_layout_is_routed(to) && blocks_contain(to, from, tensor);
        return compose_name(false, grows ? move_none : move_a2a, gather);
    }
    if (same_placements(from, to)) {
        return "P2P";
    }
    // Shards that are only gathered at the target go die to die first.
    bool shards =
        gather && !gathers(from, tensor) && chm_mesh_size(&from->mesh) == chm_mesh_size(&to->mesh);
    return compose_name(false, shards ? move_p2p : move_m2ms, gather);
}

const char* chm_form_of(const chm_request* request, uint32_t demand) {
    const chm_layout* to = request->demands[demand];
    return chm_layout_is_partial(request->from) ? form_of_sum(request, to)
                                                : form_of_complete(request, to);
}

void chm_request_as_written(const chm_tables* tables, const chm_descriptor* descriptor,
                            const chm_layout** demand, chm_request* request) {
    const chm_value* in = &tables->values[descriptor->value_in];
    const chm_value* out = &tables->values[descriptor->value_out];
    uint32_t routing = out->routing != CHM_NONE ? out->routing : in->routing;
    *demand = &tables->layouts[descriptor->layout_out];
    *request = (chm_request){
        .tensor = tables->tensors[in->tensor],
        .from = &tables->layouts[descriptor->layout_in],
        .demands = demand,
        .demand_count = 1,
        .routing = routing == CHM_NONE ? NULL : &tables->routings[routing],
        .ordered_sum = descriptor->ordered_sum,
    };
}

// A dimension along which both layouts keep addends; false if there is none.
static bool kept_addends(const chm_layout* from, const chm_layout* to, uint32_t* dimension) {
    if (from->mesh.dimensions != to->mesh.dimensions || from->mesh.dimensions < 2) {
        return false;
    }
    for (uint32_t d = 0; d < from->mesh.dimensions; ++d) {
        if (from->placement[d].kind == chm_place_partial &&
            to->placement[d].kind == chm_place_partial &&
            from->mesh.extent[d] == to->mesh.extent[d]) {
            *dimension = d;
            return true;
        }
    }
    return false;
}

// The dies of `layout` at one coordinate of a dimension, without that dimension. False when memory
// runs out.
static bool cut_layout(const chm_layout* layout, uint32_t dimension, uint32_t coordinate,
                       chm_arena* arena, chm_layout* part) {
    uint32_t size = chm_mesh_size(&layout->mesh);
    uint32_t* dies = chm_arena_alloc(arena, size / layout->mesh.extent[dimension], sizeof *dies);
    if (dies == NULL) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < size; ++rank) {
        uint32_t coordinates[chm_max_mesh_dimensions];
        chm_mesh_coordinates(&layout->mesh, rank, coordinates);
        if (coordinates[dimension] == coordinate) {
            dies[count++] = layout->mesh.dies[rank];
        }
    }
    *part = *layout;
    part->mesh.dies = dies;
    part->mesh.dimensions--;
    for (uint32_t d = dimension; d < part->mesh.dimensions; ++d) {
        part->mesh.extent[d] = layout->mesh.extent[d + 1];
        part->placement[d] = layout->placement[d + 1];
    }
    return true;
}

static uint64_t volume(const chm_request* request, chm_arena* arena) {
    uint32_t d;
    const chm_layout* to = request->demands[0];
    if (!kept_addends(request->from, to, &d)) {
        return chm_request_volume(request);
    }
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < to->mesh.extent[d]; ++i) {
        chm_layout from_part, to_part;
        if (!cut_layout(request->from, d, i, arena, &from_part) ||
            !cut_layout(to, d, i, arena, &to_part)) {
            return bytes;
        }
        chm_request part = *request;
        const chm_layout* demand = &to_part;
        part.from = &from_part;
        part.demands = &demand;
        bytes += volume(&part, arena);
    }
    return bytes;
}

uint64_t chm_volume_as_written(const chm_tables* tables, const chm_descriptor* descriptor) {
    if (descriptor->kind != chm_descriptor_collective) {
        return 0;
    }
    const chm_layout* demand;
    chm_request request;
    chm_arena arena;
    chm_arena_init(&arena);
    chm_request_as_written(tables, descriptor, &demand, &request);
    uint64_t bytes = volume(&request, &arena);
    chm_arena_free(&arena);
    return bytes;
}
