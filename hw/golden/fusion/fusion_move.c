// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/fusion/fusion_rules.h"

// Where the compute operations between collectives may stand instead: all of a run's stand at one
// layout. A fused run is reduce - move - gather, so this is the run's input, if it is complete, or
// what the reduction leaves, along either axis; replicas are sliced, so that each element is worked
// on once.

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

// Replicas are sliced along tokens, nested last.
static void slice_replicas(chm_layout* layout) {
    uint32_t order = 0;
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        const chm_placement* p = &layout->placement[d];
        order += p->kind == chm_place_shard && p->axis == chm_axis_tokens;
    }
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        if (layout->placement[d].kind == chm_place_replicate && layout->mesh.extent[d] > 1) {
            layout->placement[d] = (chm_placement){chm_place_shard, chm_axis_tokens, order++};
        }
    }
}

// Rows that come back from the experts are spread over the dies of these.
static void spread_rows(chm_layout* layout) {
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        layout->placement[d] = (chm_placement){chm_place_shard, chm_axis_tokens, d};
    }
}

// What a run does to its data, member by member.
typedef struct member_list {
    const chm_run* run;
    const chm_descriptor* next; // may be null
} member_list;

static uint32_t member_count(const member_list* members) {
    return members->run->count + (members->next != NULL);
}

static const chm_descriptor* member_at(const member_list* members, uint32_t i) {
    return i < members->run->count ? &members->run->members[i] : members->next;
}

static bool operations_need_rows(const member_list* members) {
    for (uint32_t i = 0; i < member_count(members); ++i) {
        const chm_descriptor* d = member_at(members, i);
        if (d->kind == chm_descriptor_marker && d->op_class != chm_class_element_wise &&
            d->op_class != chm_class_linear) {
            return true;
        }
    }
    return false;
}

static bool dispatches(const chm_tables* tables, const member_list* members) {
    for (uint32_t i = 0; i < member_count(members); ++i) {
        if (chm_layout_is_routed(&tables->layouts[member_at(members, i)->layout_out])) {
            return true;
        }
    }
    return false;
}

// A dispatch sends whole rows.
static bool needs_rows(const chm_tables* tables, const member_list* members) {
    return dispatches(tables, members) || operations_need_rows(members);
}

enum { own_candidates = 3 };

// The first candidates: the input, or its sums scattered along tokens or width; and for what needs
// no rows in front of a dispatch, the rows that the dispatch needs.
static bool own_candidate(const chm_tables* tables, const member_list* members, uint32_t index,
                          chm_layout* place) {
    const chm_layout* from = chm_run_from(tables, members->run);
    const bool partial = chm_layout_is_partial(from);
    *place = *from;
    if (chm_layout_is_routed(from)) { // copies on the experts' dies go nowhere else
        spread_rows(place);
        return index == 0 && partial;
    }
    if (index == 2) {
        spread_rows(place);
        return !partial && dispatches(tables, members) && !operations_need_rows(members);
    }
    if (partial) {
        chm_scattered(from, index == 0 ? chm_axis_tokens : chm_axis_width, place);
    }
    slice_replicas(place);
    return index == 0 || partial;
}

// The layouts to look at, most wanted first; behind the own ones those where other operands are, if
// they are slices of a complete input. False when there are no more.
static bool candidate(const chm_tables* tables, const member_list* members, uint32_t index,
                      chm_layout* place, bool* applies) {
    const chm_layout* from = chm_run_from(tables, members->run);
    if (index < own_candidates) {
        *applies = own_candidate(tables, members, index, place);
        return true;
    }
    uint32_t left = index - own_candidates;
    for (uint32_t i = 0; i < member_count(members); ++i) {
        const chm_descriptor* d = member_at(members, i);
        if (d->kind == chm_descriptor_marker && left < d->available_count) {
            *place = tables->layouts[tables->available[d->first_available + left]];
            slice_replicas(place);
            *applies =
                !chm_layout_is_routed(from) && !chm_layout_is_routed(place) &&
                chm_layout_slices_to(from, place, chm_run_tensor(tables, members->run), NULL);
            return true;
        }
        left -= d->kind == chm_descriptor_marker ? d->available_count : 0;
    }
    return false;
}

// The first operation that lacks operands there, null if none does.
static const chm_descriptor* lacking(const chm_tables* tables, const member_list* members,
                                     const chm_layout* place) {
    const chm_tensor* tensor = chm_run_tensor(tables, members->run);
    for (uint32_t i = 0; i < member_count(members); ++i) {
        const chm_descriptor* d = member_at(members, i);
        if (d->kind == chm_descriptor_marker && !operands_available(tables, d, place, tensor)) {
            return d;
        }
    }
    return NULL;
}

static bool has_rows(const chm_tables* tables, const member_list* members,
                     const chm_layout* place) {
    return !needs_rows(tables, members) || chm_layout_rows_complete(place);
}

bool chm_run_place(const chm_tables* tables, const chm_run* run, const chm_descriptor* next,
                   uint32_t* index, chm_layout* place) {
    const member_list members = {run, next};
    bool applies;
    while (candidate(tables, &members, (*index)++, place, &applies)) {
        if (applies && has_rows(tables, &members, place) &&
            lacking(tables, &members, place) == NULL) {
            return true;
        }
    }
    return false;
}

bool chm_run_computes(const chm_run* run, const chm_descriptor* next) {
    const member_list members = {run, next};
    for (uint32_t i = 0; i < member_count(&members); ++i) {
        if (member_at(&members, i)->kind == chm_descriptor_marker) {
            return true;
        }
    }
    return false;
}

const chm_descriptor* chm_run_lacks_operands(const chm_tables* tables, const chm_run* run,
                                             const chm_descriptor* next, chm_layout* place) {
    const member_list members = {run, next};
    const chm_descriptor* lacks = NULL;
    bool applies;
    for (uint32_t i = 0; lacks == NULL && candidate(tables, &members, i, place, &applies); ++i) {
        if (applies && has_rows(tables, &members, place)) {
            lacks = lacking(tables, &members, place);
        }
    }
    return lacks;
}

chm_join chm_run_may_move(const chm_tables* tables, const chm_run* run,
                          const chm_descriptor* next) {
    const chm_tensor* tensor = chm_run_tensor(tables, run);
    const chm_layout* in = &tables->layouts[next->layout_in];
    const chm_layout* out = &tables->layouts[next->layout_out];
    if (!chm_run_computes(run, next)) {
        return chm_join_yes;
    }
    if (next->kind == chm_descriptor_marker) {
        if (chm_layout_is_routed(in) || chm_layout_is_partial(in) || chm_layout_is_routed(out)) {
            return chm_join_rows_incomplete;
        }
        if (!chm_layout_same(in, out, tensor) && !chm_layout_slices_to(in, out, tensor, NULL)) {
            return chm_join_layout;
        }
    }
    chm_layout place;
    uint32_t index = 0;
    if (chm_run_place(tables, run, next, &index, &place)) {
        return chm_join_yes;
    }
    // Operands can be missed only where there are rows.
    return chm_run_lacks_operands(tables, run, next, &place) != NULL ? chm_join_operand_unavailable
                                                                     : chm_join_rows_incomplete;
}
