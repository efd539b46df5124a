// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/bound/bound_internal.h"

bool chm_bound_needs_way_point(const chm_request* request) {
    bool rows_needed = false;
    for (uint32_t i = 0; i < request->operation_count; ++i) {
        rows_needed |= request->operations[i].is_gating || !request->operations[i].element_wise;
    }
    for (uint32_t d = 0; d < request->demand_count; ++d) {
        // Who gets a copy is read from the complete row.
        rows_needed |= chm_layout_is_routed(request->demands[d]) &&
                       !chm_layout_is_partial(request->demands[d]);
    }
    return rows_needed && !chm_layout_rows_complete(request->from);
}

bool chm_bound_way_point(const chm_layout* base, chm_way_point_form form, chm_layout* way_point) {
    *way_point = *base;
    if (form == chm_way_point_as_written) {
        return chm_layout_rows_complete(base) && !chm_layout_is_routed(base);
    }
    uint32_t order = 0;
    bool has_replica = false;
    for (uint32_t d = 0; d < base->mesh.dimensions; ++d) {
        const chm_placement* place = &base->placement[d];
        order += place->kind == chm_place_shard && place->axis == chm_axis_tokens;
        has_replica |= place->kind == chm_place_replicate;
    }
    if (form == chm_way_point_keep_replica && !has_replica) {
        return false; // the same as chm_way_point_shard
    }
    for (uint32_t d = 0; d < base->mesh.dimensions; ++d) {
        const chm_placement* place = &base->placement[d];
        bool kept = place->kind == chm_place_shard && place->axis == chm_axis_tokens;
        kept |= place->kind == chm_place_replicate && form == chm_way_point_keep_replica;
        if (kept) {
            continue;
        }
        way_point->placement[d] = form == chm_way_point_replicate
                                      ? (chm_placement){.kind = chm_place_replicate}
                                      : (chm_placement){chm_place_shard, chm_axis_tokens, order++};
    }
    return true;
}
