// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/planner/planner_search.h"

// Where operations inside a run may stand, and where routed rows are sent from.

const chm_layout* chm_routed_demand(const chm_request* request) {
    for (uint32_t d = request->demand_count; d-- > 0;) {
        if (chm_layout_is_routed(request->demands[d])) {
            return request->demands[d];
        }
    }
    return NULL;
}

bool chm_demand_is_kept(const chm_request* request, uint32_t demand) {
    if (request->demand_operations == NULL) {
        return false;
    }
    for (uint32_t i = request->demand_operations[demand]; i < request->operation_count; ++i) {
        if (!request->operations[i].is_gating) {
            return true;
        }
    }
    return false;
}

bool chm_needs_rows(const chm_request* request) {
    for (uint32_t i = 0; i < request->operation_count; ++i) {
        if (!request->operations[i].element_wise) {
            return true;
        }
    }
    return chm_routed_demand(request) != NULL;
}

static bool mesh_inside(const chm_die_mesh* inner, const chm_die_mesh* outer) {
    uint32_t size = chm_mesh_size(inner);
    for (uint32_t rank = 0; rank < size; ++rank) {
        if (chm_mesh_rank(outer, inner->dies[rank]) == CHM_NO_RANK) {
            return false;
        }
    }
    return true;
}

// Gate weights are whole on the dies that have them; the other operand of a row-wise operation is a
// tensor of which the rows worked on must be there.
static bool has_operands(const chm_inner_operation* operation, const chm_layout* place,
                         const chm_tensor* tensor) {
    for (uint32_t i = 0; i < operation->available_count; ++i) {
        const chm_layout* there = operation->available[i];
        if (mesh_inside(&place->mesh, &there->mesh) &&
            (operation->is_gating || chm_layout_is_routed(there) ||
             chm_layout_slices_to(there, place, tensor, NULL))) {
            return true;
        }
    }
    return operation->available_count == 0;
}

static bool may_stand(const chm_request* request, const chm_layout* place) {
    if (chm_layout_is_partial(place) || chm_layout_is_routed(place) ||
        (chm_needs_rows(request) && !chm_layout_rows_complete(place))) {
        return false;
    }
    for (uint32_t i = 0; i < request->operation_count; ++i) {
        if (!has_operands(&request->operations[i], place, &request->tensor)) {
            return false;
        }
    }
    for (uint32_t d = 0; d < request->demand_count; ++d) {
        if (chm_demand_is_kept(request, d) &&
            !chm_layout_slices_to(place, request->demands[d], &request->tensor, NULL)) {
            return false;
        }
    }
    return true;
}

static void add_place(chm_search* search, chm_places* places, const chm_layout* layout,
                      bool after_main) {
    if (places->count == chm_max_places || !may_stand(search->request, layout)) {
        return;
    }
    for (uint32_t i = 0; i < places->count; ++i) {
        if (chm_layout_same(places->layouts[i], layout, &search->request->tensor)) {
            return;
        }
    }
    places->layouts[places->count] = layout;
    places->after_main[places->count++] = after_main;
}

// Rows spread over all dies of a mesh.
static chm_status add_rows_of(chm_search* search, chm_places* places, const chm_layout* mesh) {
    const chm_layout* rows;
    uint32_t all = (1u << mesh->mesh.dimensions) - 1;
    chm_status status = chm_layout_sharded(mesh, all, chm_axis_tokens, search->arena, &rows);
    if (status == chm_ok) {
        add_place(search, places, rows, false);
    }
    return status;
}

// Sliced so that each row is on one die.
static chm_status add_sliced(chm_search* search, chm_places* places, const chm_layout* layout) {
    const chm_layout* sliced;
    uint32_t replicas = chm_layout_mask(layout, chm_place_replicate);
    chm_status status =
        chm_layout_sharded(layout, replicas, chm_axis_tokens, search->arena, &sliced);
    if (status == chm_ok) {
        add_place(search, places, sliced, false);
    }
    return status;
}

// As held, or sliced.
static chm_status add_as_held(chm_search* search, const chm_progress* progress, bool routed,
                              chm_places* places) {
    if (!routed) {
        add_place(search, places, progress->layout, false);
    }
    return add_sliced(search, places, progress->layout);
}

// What a reduction leaves by the order of the input's own dies: a target with the same blocks may
// list replicas in another order, and slice them otherwise.
static chm_status add_scattered(chm_search* search, chm_places* places) {
    const chm_layout* from = search->request->from;
    const uint32_t partial = chm_layout_mask(from, chm_place_partial);
    chm_status status = chm_ok;
    for (uint32_t axis = 0; axis < 2 && partial != 0 && status == chm_ok; ++axis) {
        const chm_layout* scattered;
        status = chm_layout_sharded(from, partial, (chm_axis)axis, search->arena, &scattered);
        if (status == chm_ok) {
            status = add_sliced(search, places, scattered);
        }
    }
    return status;
}

chm_status chm_places_of(chm_search* search, const chm_progress* progress,
                         const chm_layout* routed_demand, chm_places* places) {
    const chm_request* request = search->request;
    const chm_layout* main_demand = request->demands[request->demand_count - 1];
    places->count = 0;
    chm_status status = add_as_held(search, progress, routed_demand != NULL, places);
    if (status != chm_ok) {
        return status;
    }
    if (routed_demand != NULL) { // or rows go to the experts' dies first, whole
        status = add_rows_of(search, places, routed_demand);
    }
    if (places->count > 0 || status != chm_ok) {
        return status; // the earliest layout with complete rows will do
    }
    status = add_scattered(search, places);
    if (status == chm_ok) {
        status = add_rows_of(search, places, progress->layout);
    }
    if (status == chm_ok) {
        status = add_rows_of(search, places, main_demand);
    }
    for (uint32_t i = 0; i < request->operation_count && status == chm_ok; ++i) {
        const chm_inner_operation* operation = &request->operations[i];
        for (uint32_t a = 0; a < operation->available_count && status == chm_ok; ++a) {
            status = add_sliced(search, places, operation->available[a]);
            if (status == chm_ok) {
                status = add_rows_of(search, places, operation->available[a]);
            }
        }
    }
    if (status == chm_ok && routed_demand == NULL) {
        add_place(search, places, main_demand, true);
    }
    return status;
}
