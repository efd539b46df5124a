// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "traces/driver_state.h"

// What each collective turns into what: the type rules of the collectives, dimension by dimension.

static bool is(const chm_layout* layout, uint32_t d, chm_placement_kind kind) {
    return layout->placement[d].kind == kind;
}

static bool same_placement(const chm_layout* a, const chm_layout* b, uint32_t d) {
    return a->placement[d].kind == b->placement[d].kind &&
           (!is(a, d, chm_place_shard) || a->placement[d].axis == b->placement[d].axis);
}

static bool changes(const chm_layout* from, const chm_layout* to, uint32_t d) {
    return !same_placement(from, to, d);
}

static bool has(const chm_layout* layout, chm_placement_kind kind) {
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        if (is(layout, d, kind)) {
            return true;
        }
    }
    return false;
}

// True if dimension d of `sharded` splits before (outside of) a dimension that keeps its split.
static bool splits_before_another(const chm_layout* sharded, const chm_layout* other, uint32_t d) {
    for (uint32_t e = 0; e < sharded->mesh.dimensions; ++e) {
        if (e != d && !changes(sharded, other, e) && is(sharded, e, chm_place_shard) &&
            sharded->placement[e].axis == sharded->placement[d].axis &&
            sharded->placement[e].order > sharded->placement[d].order) {
            return true;
        }
    }
    return false;
}

// True if two dimensions that keep their split of one axis swap their order.
static bool reorders(const chm_layout* from, const chm_layout* to) {
    for (uint32_t d = 0; d < from->mesh.dimensions; ++d) {
        for (uint32_t e = 0; e < d; ++e) {
            bool both = !changes(from, to, d) && !changes(from, to, e) &&
                        is(from, d, chm_place_shard) && is(from, e, chm_place_shard) &&
                        from->placement[d].axis == from->placement[e].axis;
            if (both && (from->placement[d].order < from->placement[e].order) !=
                            (to->placement[d].order < to->placement[e].order)) {
                return true;
            }
        }
    }
    return false;
}

static const char* reduce_scatter_fault(const chm_layout* from, const chm_layout* to) {
    if (!has(from, chm_place_partial)) {
        return "a reduce-scatter needs addends (partial); of a replicated tensor it would yield N "
               "times the value";
    }
    for (uint32_t d = 0; d < from->mesh.dimensions; ++d) {
        if (!changes(from, to, d)) {
            continue;
        }
        if (!is(from, d, chm_place_partial) || !is(to, d, chm_place_shard)) {
            return "a reduce-scatter turns partial into shard";
        }
        if (splits_before_another(to, from, d)) {
            return "a reduce-scatter that splits outside of an existing shard is strided";
        }
    }
    return NULL;
}

static const char* all_gather_fault(const chm_layout* from, const chm_layout* to) {
    for (uint32_t d = 0; d < from->mesh.dimensions; ++d) {
        if (!changes(from, to, d)) {
            continue;
        }
        if (!is(from, d, chm_place_shard) || !is(to, d, chm_place_replicate)) {
            return "an all-gather turns shard into replicate";
        }
        if (splits_before_another(from, to, d)) {
            return "gathering the major of two dimensions that split one axis is strided";
        }
    }
    return NULL;
}

static const char* all_reduce_fault(const chm_layout* from, const chm_layout* to) {
    for (uint32_t d = 0; d < from->mesh.dimensions; ++d) {
        if (changes(from, to, d) &&
            (!is(from, d, chm_place_partial) || !is(to, d, chm_place_replicate))) {
            return "an all-reduce turns partial into replicate";
        }
    }
    return NULL;
}

static bool is_token_source(const chm_layout* layout, uint32_t d) {
    return is(layout, d, chm_place_replicate) ||
           (is(layout, d, chm_place_shard) && layout->placement[d].axis == chm_axis_tokens);
}

static const char* all_to_all_fault(const chm_layout* from, const chm_layout* to) {
    for (uint32_t d = 0; d < from->mesh.dimensions; ++d) {
        if (!changes(from, to, d)) {
            continue;
        }
        bool turns = is(from, d, chm_place_shard) && is(to, d, chm_place_shard);
        bool dispatches = is_token_source(from, d) && is(to, d, chm_place_routed_copy);
        bool combines = is(from, d, chm_place_routed_partial) && is(to, d, chm_place_shard) &&
                        to->placement[d].axis == chm_axis_tokens;
        if (!turns && !dispatches && !combines) {
            return "an all-to-all turns shard(a) into shard(b), shard(tokens) or replicate into "
                   "routed_copy, routed_partial into shard(tokens)";
        }
    }
    return NULL;
}

static const char* point_to_point_fault(const chm_layout* from, const chm_layout* to) {
    bool same = from->mesh.dimensions == to->mesh.dimensions;
    for (uint32_t d = 0; same && d < from->mesh.dimensions; ++d) {
        same =
            from->mesh.extent[d] == to->mesh.extent[d] && same_placement(from, to, d) &&
            (!is(from, d, chm_place_shard) || from->placement[d].order == to->placement[d].order);
    }
    return same ? NULL
                : "a point-to-point leaves extents and placements as they are, die i to die i";
}

static const char* many_to_many_fault(const chm_layout* to) {
    if (chm_layout_is_partial(to) ||
        !(has(to, chm_place_shard) || has(to, chm_place_routed_copy))) {
        return "a many-to-many scatter leaves shards or routed copies";
    }
    return NULL;
}

static bool changes_anything(const chm_layout* from, const chm_layout* to) {
    for (uint32_t d = 0; d < from->mesh.dimensions; ++d) {
        if (changes(from, to, d)) {
            return true;
        }
    }
    return false;
}

const char* chm_collective_fault(chm_collective_kind kind, const chm_layout* from,
                                 const chm_layout* to) {
    bool same_mesh = chm_mesh_equal(&from->mesh, &to->mesh);
    if (kind == chm_point_to_point || kind == chm_many_to_many) {
        if (same_mesh) {
            return "a hand-over needs two different groups";
        }
        return kind == chm_point_to_point ? point_to_point_fault(from, to) : many_to_many_fault(to);
    }
    if (!same_mesh) {
        return "both layouts must be on the same mesh";
    }
    if (reorders(from, to)) {
        return "the order in which dimensions split an axis changes";
    }
    const char* fault = NULL;
    switch (kind) {
    case chm_reduce_scatter: fault = reduce_scatter_fault(from, to); break;
    case chm_all_gather: fault = all_gather_fault(from, to); break;
    case chm_all_reduce: fault = all_reduce_fault(from, to); break;
    case chm_all_to_all: fault = all_to_all_fault(from, to); break;
    case chm_point_to_point:
    case chm_many_to_many: break;
    }
    if (fault == NULL && !changes_anything(from, to)) {
        return "both layouts are the same: nothing to do";
    }
    return fault;
}
