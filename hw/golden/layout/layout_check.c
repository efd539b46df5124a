// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/layout/layout.h"

#include <stdlib.h>
#include <string.h>

typedef struct check_context {
    const chm_layout* layout;
    const chm_origin* origin;
    chm_diagnostics* diagnostics;
} check_context;

static int compare_u32(const void* a, const void* b) {
    uint32_t x = *(const uint32_t*)a;
    uint32_t y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

// False where the mesh is too broken for the other checks to look at it.
static bool check_extents(const check_context* check) {
    const chm_die_mesh* mesh = &check->layout->mesh;
    if (mesh->dimensions < 1 || mesh->dimensions > chm_max_mesh_dimensions) {
        chm_diagnose(check->diagnostics, check->origin,
                     "layout: got %u dimensions; allowed: 1 .. %d", mesh->dimensions,
                     chm_max_mesh_dimensions);
        return false;
    }
    uint64_t size = 1;
    bool sound = true;
    for (uint32_t d = 0; d < mesh->dimensions; ++d) {
        if (mesh->extent[d] == 0) {
            chm_diagnose(check->diagnostics, check->origin,
                         "layout: dimension %u has extent 0; allowed: 1 or more", d);
            sound = false;
        }
        size = size > UINT32_MAX ? size : size * mesh->extent[d];
    }
    if (size >= CHM_NO_RANK) {
        chm_diagnose(check->diagnostics, check->origin,
                     "layout: the extents give more ranks than 2^32 - 2");
        sound = false;
    }
    return sound;
}

static chm_status check_dies(const check_context* check) {
    const chm_die_mesh* mesh = &check->layout->mesh;
    uint32_t size = chm_mesh_size(mesh);
    if (mesh->dies == NULL) {
        chm_diagnose(check->diagnostics, check->origin, "layout: %u ranks without dies", size);
        return chm_ok;
    }
    uint32_t* sorted = malloc(size * sizeof *sorted);
    if (sorted == NULL) {
        return chm_no_memory;
    }
    memcpy(sorted, mesh->dies, size * sizeof *sorted);
    qsort(sorted, size, sizeof *sorted, compare_u32);
    for (uint32_t i = 1; i < size; ++i) {
        bool reported = i > 1 && sorted[i] == sorted[i - 2];
        if (sorted[i] == sorted[i - 1] && !reported) {
            chm_diagnose(check->diagnostics, check->origin, "layout: die %u stands twice in it",
                         sorted[i]);
        }
    }
    free(sorted);
    return chm_ok;
}

static void check_orders(const check_context* check, chm_axis axis) {
    const chm_layout* layout = check->layout;
    uint32_t splits = 0;
    uint64_t seen = 0;
    bool in_range = true;
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        const chm_placement* place = &layout->placement[d];
        if (place->kind == chm_place_shard && place->axis == axis) {
            ++splits;
            in_range = in_range && place->order < chm_max_mesh_dimensions;
            seen |= in_range ? 1u << place->order : 0;
        }
    }
    if (!in_range || seen != (1u << splits) - 1) {
        chm_diagnose(check->diagnostics, check->origin,
                     "layout: %u dimensions split the %s; their orders must be 0 .. %u, each once",
                     splits, axis == chm_axis_tokens ? "tokens" : "width", splits - 1);
    }
}

static void check_placements(const check_context* check, const chm_routing* routing) {
    const chm_layout* layout = check->layout;
    bool has[5] = {false};
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        const chm_placement* place = &layout->placement[d];
        if ((uint32_t)place->kind > chm_place_routed_partial) {
            chm_diagnose(check->diagnostics, check->origin,
                         "layout: dimension %u has no known placement (%u)", d,
                         (uint32_t)place->kind);
            continue;
        }
        has[place->kind] = true;
        if (place->kind == chm_place_shard && (uint32_t)place->axis > chm_axis_width) {
            chm_diagnose(check->diagnostics, check->origin,
                         "layout: dimension %u splits no known axis (%u)", d,
                         (uint32_t)place->axis);
        }
    }
    bool routed = has[chm_place_routed_copy] || has[chm_place_routed_partial];
    if (has[chm_place_routed_copy] && has[chm_place_routed_partial]) {
        chm_diagnose(check->diagnostics, check->origin,
                     "layout: routed_copy and routed_partial in one layout");
    }
    if (routed && has[chm_place_partial]) {
        chm_diagnose(check->diagnostics, check->origin, "layout: partial beside routed dimensions");
    }
    if (routed && routing == NULL) {
        chm_diagnose(check->diagnostics, check->origin,
                     "layout: routed dimensions without a routing");
    } else if (routed && (routing->top_k < 1 || routing->top_k > chm_max_top_k)) {
        chm_diagnose(check->diagnostics, check->origin,
                     "layout: routing with top_k %u; allowed: 1 .. %d", routing->top_k,
                     chm_max_top_k);
    } else if (routed && routing->dies != chm_layout_routed_size(layout)) {
        chm_diagnose(check->diagnostics, check->origin,
                     "layout: routing over %u dies, but the routed dimensions have %u",
                     routing->dies, chm_layout_routed_size(layout));
    }
}

chm_status chm_layout_check(const chm_layout* layout, const chm_tensor* tensor,
                            const chm_routing* routing, const chm_origin* origin,
                            chm_diagnostics* diagnostics) {
    check_context check = {layout, origin, diagnostics};
    uint32_t errors_before = diagnostics->errors;
    if (tensor->tokens == 0 || tensor->width == 0 || tensor->element_bytes == 0) {
        chm_diagnose(diagnostics, origin, "tensor: no tokens, width or element bytes");
    }
    if (check_extents(&check)) {
        chm_status status = check_dies(&check);
        if (status != chm_ok) {
            return status;
        }
        check_orders(&check, chm_axis_tokens);
        check_orders(&check, chm_axis_width);
        check_placements(&check, routing);
    }
    return diagnostics->errors == errors_before ? chm_ok : chm_bad_input;
}
