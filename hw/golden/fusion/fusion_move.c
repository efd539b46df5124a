// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/fusion/fusion_rules.h"

// Where a compute operation between collectives may stand instead. A fused run is reduce - move -
// gather, so there are two places: the run's input, if it is complete, or behind the reduction.

bool chm_scattered(const chm_layout* from, chm_axis axis, chm_layout* scattered) {
    if (!chm_layout_is_partial(from) || chm_layout_is_routed(from)) {
        return false;
    }
    uint32_t order = 0;
    for (uint32_t d = 0; d < from->mesh.dimensions; ++d) {
        const chm_placement* p = &from->placement[d];
        order += p->kind == chm_place_shard && p->axis == axis;
    }
    *scattered = *from;
    for (uint32_t d = 0; d < from->mesh.dimensions; ++d) {
        if (from->placement[d].kind == chm_place_partial) {
            scattered->placement[d] = (chm_placement){chm_place_shard, axis, order++};
        }
    }
    return true;
}

// Every die of `inner` is in `outer`.
static bool mesh_covers(const chm_die_mesh* outer, const chm_die_mesh* inner) {
    uint32_t size = chm_mesh_size(inner);
    for (uint32_t rank = 0; rank < size; ++rank) {
        if (chm_mesh_rank(outer, inner->dies[rank]) == CHM_NO_RANK) {
            return false;
        }
    }
    return true;
}

// Weights are held whole by the dies of the layout that names them. The other operand of a row-wise
// operation is a tensor of the same shape, of which exactly the rows worked on must be there.
static bool holds_operands(const chm_layout* available, const chm_layout* place,
                           const chm_tensor* tensor, const chm_descriptor* operation) {
    if (!mesh_covers(&available->mesh, &place->mesh)) {
        return false;
    }
    return operation->op_class == chm_class_transparent || chm_layout_is_routed(available) ||
           chm_layout_slices_to(available, place, tensor, NULL);
}

static bool operands_available(const chm_tables* tables, const chm_descriptor* operation,
                               const chm_layout* place, const chm_tensor* tensor) {
    for (uint32_t i = 0; i < operation->available_count; ++i) {
        uint32_t layout = tables->available[operation->first_available + i];
        if (holds_operands(&tables->layouts[layout], place, tensor, operation)) {
            return true;
        }
    }
    return operation->available_count == 0;
}

chm_join chm_run_may_move(const chm_tables* tables, const chm_run* run,
                          const chm_descriptor* operation) {
    const chm_tensor* tensor = chm_run_tensor(tables, run);
    const chm_layout* in = &tables->layouts[operation->layout_in];
    const chm_layout* out = &tables->layouts[operation->layout_out];
    chm_layout place = *chm_run_from(tables, run);
    if (chm_layout_is_routed(&place) || chm_layout_is_routed(in) || chm_layout_is_partial(in) ||
        chm_layout_is_routed(out)) {
        return chm_join_rows_incomplete;
    }
    if (!chm_layout_same(in, out, tensor) && !chm_layout_slices_to(in, out, tensor, NULL)) {
        return chm_join_layout;
    }
    if (chm_layout_is_partial(&place) && !chm_scattered(&place, chm_axis_tokens, &place)) {
        return chm_join_rows_incomplete;
    }
    if (operation->op_class != chm_class_element_wise && !chm_layout_rows_complete(&place)) {
        return chm_join_rows_incomplete;
    }
    return operands_available(tables, operation, &place, tensor) ? chm_join_yes
                                                                 : chm_join_operand_unavailable;
}
