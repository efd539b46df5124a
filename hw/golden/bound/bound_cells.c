// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/bound/bound_internal.h"

#include <stdlib.h>
#include <string.h>

// The common refinement of all layouts on the way: intervals of tokens and of the width between
// the boundaries of any block.
typedef struct points {
    uint64_t* at; // ascending, distinct
    size_t count;
} points;

typedef struct row_group {
    uint32_t targets[chm_max_top_k];
    uint32_t count;
    uint64_t rows;
} row_group;

typedef struct walk {
    const chm_bound_network* network;
    const chm_bound_way* way;
    chm_arena* arena;
    chm_bound_sums* sums;
    chm_bound_view* views; // source, way-point if any, demands
    uint32_t view_count;
    uint32_t first_demand;
    bool routed;
    points tokens, width;
    row_group* groups; // of the current token interval
    size_t group_count, group_capacity;
    chm_bound_sets sets;
    uint64_t* ready;
    uint64_t* scratch;
} walk;

static chm_status build_views(walk* w) {
    const chm_request* request = w->way->request;
    w->first_demand = w->way->way_point == NULL ? 1 : 2;
    w->view_count = w->first_demand + request->demand_count;
    w->views = chm_arena_alloc(w->arena, w->view_count, sizeof *w->views);
    if (w->views == NULL) {
        return chm_no_memory;
    }
    for (uint32_t v = 0; v < w->view_count; ++v) {
        const chm_layout* layout = v == 0                ? request->from
                                   : v < w->first_demand ? w->way->way_point
                                                         : request->demands[v - w->first_demand];
        chm_status status =
            chm_bound_view_build(w->network, &request->tensor, layout, w->arena, &w->views[v]);
        if (status != chm_ok) {
            return status;
        }
        w->routed |= w->views[v].routed;
    }
    return chm_ok;
}

static int compare_u64(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a;
    uint64_t y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static chm_status collect_points(walk* w, chm_axis axis, points* result) {
    size_t count = 0;
    for (uint32_t v = 0; v < w->view_count; ++v) {
        count += 2 * (size_t)w->views[v].ranks;
    }
    result->at = chm_arena_alloc(w->arena, count, sizeof *result->at);
    if (result->at == NULL) {
        return chm_no_memory;
    }
    count = 0;
    for (uint32_t v = 0; v < w->view_count; ++v) {
        for (uint32_t rank = 0; rank < w->views[v].ranks; ++rank) {
            const chm_rect* rect = &w->views[v].holding[rank].rect;
            bool tokens = axis == chm_axis_tokens;
            result->at[count++] = tokens ? rect->token_begin : rect->width_begin;
            result->at[count++] = tokens ? rect->token_end : rect->width_end;
        }
    }
    qsort(result->at, count, sizeof *result->at, compare_u64);
    for (size_t i = 0; i < count; ++i) {
        if (result->count == 0 || result->at[i] != result->at[result->count - 1]) {
            result->at[result->count++] = result->at[i];
        }
    }
    return chm_ok;
}

static void finish_section(walk* w, const chm_bound_cell* cell) {
    chm_bound_add_cell(w->network, &w->sets, cell->bytes, w->sums);
    if (w->sets.classes != 0) {
        chm_bound_arrivals(w->network, &w->sets, w->sums->ratio.piece_flits, w->ready, w->scratch);
    }
}

static void visit_cell(walk* w, const chm_bound_cell* cell) {
    memset(w->ready, 0, w->network->count * sizeof *w->ready);
    chm_bound_sets_clear(&w->sets);
    chm_bound_sets_add_holders(&w->sets, &w->views[0], cell);
    if (w->first_demand == 2) {
        chm_bound_sets_add_needers(&w->sets, &w->views[1], cell);
        finish_section(w, cell);
        chm_bound_sets_clear(&w->sets);
        chm_bound_sets_add_holders(&w->sets, &w->views[1], cell);
        if (!w->views[0].partial) {
            chm_bound_sets_add_holders(&w->sets, &w->views[0],
                                       cell); // what was complete needs no way-point
        }
    }
    for (uint32_t v = w->first_demand; v < w->view_count; ++v) {
        chm_bound_sets_add_needers(&w->sets, &w->views[v], cell);
    }
    finish_section(w, cell);
    for (uint32_t i = 0; i < w->sets.needer_count; ++i) {
        uint32_t needer = w->sets.needers[i];
        if (w->ready[needer] > w->sums->latency) {
            w->sums->latency = w->ready[needer];
            w->sums->latency_to = needer;
        }
    }
}

// Sorts the rows of a token interval by the dies that get copies: balanced routing has few sets.
static chm_status group_rows(walk* w, uint64_t begin, uint64_t end) {
    w->group_count = 0;
    for (uint64_t token = begin; token < end; ++token) {
        row_group row = {.rows = w->routed ? 1 : end - begin};
        if (w->routed) {
            row.count = chm_routing_targets(w->way->request->routing, token, row.targets);
        }
        size_t g = 0;
        while (g < w->group_count &&
               memcmp(w->groups[g].targets, row.targets, sizeof row.targets) != 0) {
            ++g;
        }
        if (g < w->group_count) {
            ++w->groups[g].rows;
            continue;
        }
        void* groups = w->groups;
        chm_status status =
            chm_arena_grow(w->arena, &groups, &w->group_capacity, w->group_count + 1, sizeof row);
        if (status != chm_ok) {
            return status;
        }
        w->groups = groups;
        w->groups[w->group_count++] = row;
        if (!w->routed) {
            break;
        }
    }
    return chm_ok;
}

static void visit_columns(walk* w, uint64_t begin, uint64_t end, const row_group* group) {
    chm_bound_cell cell = {.target_count = group->count};
    memcpy(cell.targets, group->targets, sizeof cell.targets);
    for (size_t i = 0; i + 1 < w->width.count; ++i) {
        cell.rect = (chm_rect){begin, end, w->width.at[i], w->width.at[i + 1]};
        cell.bytes = group->rows * (w->width.at[i + 1] - w->width.at[i]) *
                     w->way->request->tensor.element_bytes;
        visit_cell(w, &cell);
    }
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// A full packet carries 256 bytes in 7 flits, but 250 bytes take 6: messages whose size is no
// multiple of the MTU can be cheaper per byte than full packets. How small the pieces of a plan are
// is its affair, but they are whole rows of a cell, or such rows split among the members of a group
// and halved (two directions). If those pieces are multiples of some size g, every message is, and
// so is its last packet; the cheapest last packet of all multiples of g then bounds every plan.
// With g a multiple of the MTU it is the full packet.
static chm_bound_ratio best_ratio(const walk* w) {
    const chm_topology* topology = w->network->topology;
    uint64_t element = w->way->request->tensor.element_bytes;
    uint64_t split = 2;
    for (uint32_t v = 0; v < w->view_count; ++v) {
        uint64_t halves = 2 * (uint64_t)w->views[v].ranks;
        split = halves > split ? halves : split;
    }
    uint64_t g = topology->mtu_bytes;
    for (size_t i = 0; i + 1 < w->width.count; ++i) {
        uint64_t piece = w->width.at[i + 1] - w->width.at[i];
        uint64_t bytes = piece % split == 0 ? piece / split * element : element;
        g = greatest_common_divisor(g, bytes);
    }
    chm_bound_ratio best = {chm_topology_flits(topology, g), g, chm_topology_flits(topology, g)};
    for (uint64_t bytes = g; bytes <= topology->mtu_bytes; bytes += g) {
        uint64_t flits = chm_topology_flits(topology, bytes);
        if (flits * best.bytes < best.flits * bytes) {
            best.flits = flits;
            best.bytes = bytes;
        }
    }
    return best;
}

static chm_status allocate_sums(const walk* w) {
    chm_bound_sums* sums = w->sums;
    memset(sums, 0, sizeof *sums);
    size_t sides = (size_t)w->network->topology->cut_count * 2;
    sums->in = chm_arena_alloc(w->arena, w->network->count, sizeof *sums->in);
    sums->out = chm_arena_alloc(w->arena, w->network->count, sizeof *sums->out);
    sums->cut = chm_arena_alloc(w->arena, sides, sizeof *sums->cut);
    return sums->in != NULL && sums->out != NULL && sums->cut != NULL ? chm_ok : chm_no_memory;
}

static chm_status prepare(walk* w) {
    chm_status status = allocate_sums(w);
    if (status == chm_ok) {
        status = build_views(w);
    }
    if (status == chm_ok && w->routed && w->way->request->routing == NULL) {
        status = chm_bad_argument;
    }
    if (status == chm_ok) {
        status = collect_points(w, chm_axis_tokens, &w->tokens);
    }
    if (status == chm_ok) {
        status = collect_points(w, chm_axis_width, &w->width);
    }
    if (status == chm_ok) {
        status = chm_bound_sets_build(w->network, w->view_count, w->arena, &w->sets);
    }
    w->ready = chm_arena_alloc(w->arena, w->network->count, sizeof *w->ready);
    w->scratch = chm_arena_alloc(w->arena, (size_t)w->network->count * 2, sizeof *w->scratch);
    bool allocated = w->ready != NULL && w->scratch != NULL;
    return status == chm_ok && !allocated ? chm_no_memory : status;
}

chm_status chm_bound_sum(const chm_bound_network* network, const chm_bound_way* way,
                         chm_arena* arena, chm_bound_sums* sums) {
    walk w = {.network = network, .way = way, .arena = arena, .sums = sums};
    chm_status status = prepare(&w);
    if (status != chm_ok) {
        return status;
    }
    sums->ratio = best_ratio(&w);
    for (size_t i = 0; i + 1 < w.tokens.count; ++i) {
        status = group_rows(&w, w.tokens.at[i], w.tokens.at[i + 1]);
        if (status != chm_ok) {
            return status;
        }
        for (size_t g = 0; g < w.group_count; ++g) {
            visit_columns(&w, w.tokens.at[i], w.tokens.at[i + 1], &w.groups[g]);
        }
    }
    return chm_ok;
}
