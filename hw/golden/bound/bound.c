// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/bound/bound.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/base/checked.h"
#include "hw/golden/bound/bound_internal.h"

typedef enum term_kind {
    term_in = 0,
    term_out,
    term_work,
    term_cut,
    term_latency,
    term_kinds
} term_kind;

typedef struct term {
    term_kind kind;
    uint32_t which; // participant, or 2 * cut + direction
    uint64_t bandwidth, latency;
} term;

// The largest term of each kind.
typedef struct term_list {
    term best[term_kinds];
} term_list;

static void offer(term_list* list, term candidate) {
    term* best = &list->best[candidate.kind];
    if (candidate.bandwidth != 0 &&
        candidate.bandwidth + candidate.latency > best->bandwidth + best->latency) {
        *best = candidate;
    }
}

// From the first flit to the last: a port that takes n cycles per flit carries k flits in
// n (k - 1) + 1, so that all ports together carry at most (T - 1) per_cycle + ports flits in T.
// Where n is 1 this is ceil(bytes * flits per byte / ports).
static uint64_t cycles_of(const chm_bound_sums* sums, uint64_t bytes, chm_bound_rate rate) {
    const unsigned __int128 flits = (unsigned __int128)bytes * sums->ratio.flits;
    const unsigned __int128 at_once = (unsigned __int128)sums->ratio.bytes * rate.ports;
    if (flits <= at_once) {
        return flits > 0;
    }
    const unsigned __int128 per_cycle = (unsigned __int128)sums->ratio.bytes * rate.per_cycle;
    return 1 + (uint64_t)((((flits - at_once) << 32) + per_cycle - 1) / per_cycle);
}

// What a participant's first flit out has to wait for: 0 where it has data at the start.
static uint64_t first_arrival(const chm_bound_network* network, const uint8_t* source,
                              uint32_t participant) {
    uint64_t first = UINT64_MAX;
    for (uint32_t s = 0; s < network->count; ++s) {
        uint64_t distance = network->distance[(size_t)s * network->count + participant];
        if (s != participant && source[s] && distance < first) {
            first = distance;
        }
    }
    return first == UINT64_MAX ? 0 : first;
}

static uint64_t nearest_receiver(const chm_bound_network* network, uint32_t participant) {
    uint64_t nearest = UINT64_MAX;
    for (uint32_t d = 0; d < network->count; ++d) {
        uint64_t distance = network->distance[(size_t)participant * network->count + d];
        if (d != participant && distance < nearest) {
            nearest = distance;
        }
    }
    return nearest == UINT64_MAX ? 0 : nearest;
}

// Every term is a bandwidth that a port, a link or all ports together need, plus a latency that it
// cannot hide: before the first flit gets there and after the last one has left. Sections before
// and after a way-point have been added up per term, so that a plan that overlaps them is bounded
// too.
static void list_terms(const chm_bound_network* network, const uint8_t* source,
                       const chm_bound_sums* sums, term_list* list) {
    memset(list, 0, sizeof *list);
    for (uint32_t p = 0; p < network->count; ++p) {
        uint64_t before = first_arrival(network, source, p);
        offer(list, (term){term_in, p, cycles_of(sums, sums->in[p], network->in_rate[p]), before});
        uint64_t start = source[p] ? 0 : before;
        offer(list, (term){term_out, p, cycles_of(sums, sums->out[p], network->out_rate[p]),
                           start + nearest_receiver(network, p)});
    }
    offer(list,
          (term){term_work, 0, cycles_of(sums, sums->work, network->all_out), network->closest});
    for (uint32_t side = 0; side < 2 * network->topology->cut_count; ++side) {
        if (network->cut_rate[side].ports != 0) {
            offer(list,
                  (term){term_cut, side, cycles_of(sums, sums->cut[side], network->cut_rate[side]),
                         network->cut_latency[side]});
        }
    }
    if (sums->latency != 0) {
        offer(list, (term){term_latency, sums->latency_to, sums->ratio.piece_flits,
                           sums->latency - sums->ratio.piece_flits});
    }
}

static void name_term(const chm_bound_network* network, const term* from, chm_bound_term* named) {
    const chm_topology* topology = network->topology;
    named->bandwidth_cycles = from->bandwidth;
    named->latency_cycles = from->latency;
    const char* die =
        topology->die_names
            [network->dies[from->kind < term_work || from->kind == term_latency ? from->which : 0]];
    if (from->bandwidth == 0) {
        snprintf(named->name, sizeof named->name, "nothing");
        return;
    }
    switch (from->kind) {
    case term_in: snprintf(named->name, sizeof named->name, "in-port of %s", die); break;
    case term_out: snprintf(named->name, sizeof named->name, "out-port of %s", die); break;
    case term_latency: snprintf(named->name, sizeof named->name, "latency to %s", die); break;
    case term_work: snprintf(named->name, sizeof named->name, "work"); break;
    default:
        snprintf(named->name, sizeof named->name, "cut %s %s", topology->cuts[from->which / 2].name,
                 from->which % 2 == chm_cut_outward ? "outward" : "inward");
    }
}

static void report(const chm_bound_network* network, const term_list* list, chm_bound* bound) {
    uint32_t first = 0;
    uint32_t second = term_kinds;
    for (uint32_t k = 1; k < term_kinds; ++k) {
        const term* candidate = &list->best[k];
        uint64_t total = candidate->bandwidth + candidate->latency;
        if (total > list->best[first].bandwidth + list->best[first].latency) {
            second = first;
            first = k;
        } else if (second == term_kinds ||
                   total > list->best[second].bandwidth + list->best[second].latency) {
            second = k;
        }
    }
    name_term(network, &list->best[first], &bound->bound_by);
    name_term(network, &list->best[second], &bound->runner_up);
    bound->bandwidth_cycles = bound->bound_by.bandwidth_cycles;
    bound->latency_cycles = bound->bound_by.latency_cycles;
    bound->lower_bound_cycles = bound->bandwidth_cycles + bound->latency_cycles;
}

static int compare_u32(const void* a, const void* b) {
    uint32_t x = *(const uint32_t*)a;
    uint32_t y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

// The dies of all layouts, ascending. Way-points stand on the same dies.
static chm_status find_participants(const chm_topology* topology, const chm_request* request,
                                    chm_arena* arena, uint32_t** dies, uint32_t* count) {
    size_t all = chm_mesh_size(&request->from->mesh);
    for (uint32_t d = 0; d < request->demand_count; ++d) {
        all += chm_mesh_size(&request->demands[d]->mesh);
    }
    uint32_t* list = chm_arena_alloc(arena, all, sizeof *list);
    if (list == NULL) {
        return chm_no_memory;
    }
    size_t filled = 0;
    for (uint32_t d = 0; d <= request->demand_count; ++d) {
        const chm_die_mesh* mesh = d == 0 ? &request->from->mesh : &request->demands[d - 1]->mesh;
        for (uint32_t rank = 0; rank < chm_mesh_size(mesh); ++rank) {
            list[filled++] = mesh->dies[rank];
        }
    }
    qsort(list, all, sizeof *list, compare_u32);
    *count = 0;
    for (size_t i = 0; i < all; ++i) {
        if (*count == 0 || list[i] != list[*count - 1]) {
            list[(*count)++] = list[i];
        }
    }
    *dies = list;
    return list[*count - 1] < topology->dies ? chm_ok : chm_bad_argument;
}

// Sums of traffic over participants and sections must stay below 2^64.
static chm_status check_sizes(const chm_tensor* tensor, uint32_t participants) {
    uint64_t total;
    bool fits = chm_mul_u64(tensor->tokens, tensor->width, &total) &&
                chm_mul_u64(total, tensor->element_bytes, &total) &&
                chm_mul_u64(total, participants, &total) && chm_mul_u64(total, 8, &total);
    return fits ? chm_ok : chm_overflow;
}

typedef struct search {
    const chm_request* request;
    const chm_bound_network* network;
    const uint8_t* source;
    chm_bound* bound;
    bool found;
} search;

// Takes the way if its bound is below those before: the planner may choose any of them.
static chm_status try_way(search* s, const chm_layout* way_point) {
    chm_arena arena;
    chm_arena_init(&arena);
    chm_bound_way way = {s->request, way_point};
    chm_bound_sums sums;
    chm_status status = chm_bound_sum(s->network, &way, &arena, &sums);
    if (status == chm_ok) {
        term_list list;
        chm_bound bound;
        list_terms(s->network, s->source, &sums, &list);
        report(s->network, &list, &bound);
        if (!s->found || bound.lower_bound_cycles < s->bound->lower_bound_cycles) {
            *s->bound = bound;
            s->found = true;
        }
    }
    chm_arena_free(&arena);
    return status;
}

static chm_status try_all_ways(search* s) {
    if (!chm_bound_needs_way_point(s->request)) {
        return try_way(s, NULL);
    }
    chm_status status = chm_ok;
    for (uint32_t d = 0; d <= s->request->demand_count; ++d) {
        const chm_layout* base = d == 0 ? s->request->from : s->request->demands[d - 1];
        for (uint32_t form = 0; status == chm_ok && form < chm_way_point_forms; ++form) {
            chm_layout way_point;
            if (chm_bound_way_point(base, (chm_way_point_form)form, &way_point)) {
                status = try_way(s, &way_point);
            }
        }
    }
    return status;
}

chm_status chm_bound_request(const chm_topology* topology, const chm_request* request,
                             chm_arena* scratch, chm_bound* bound) {
    memset(bound, 0, sizeof *bound);
    uint32_t* dies = NULL;
    uint32_t count = 0;
    chm_bound_network network;
    if (request->demand_count == 0) {
        return chm_bad_argument;
    }
    chm_status status = find_participants(topology, request, scratch, &dies, &count);
    if (status == chm_ok) {
        status = check_sizes(&request->tensor, count);
    }
    if (status == chm_ok) {
        status = chm_bound_network_build(topology, dies, count, scratch, &network);
    }
    uint8_t* source = chm_arena_alloc(scratch, count, 1);
    if (status != chm_ok || source == NULL) {
        return status == chm_ok ? chm_no_memory : status;
    }
    for (uint32_t rank = 0; rank < chm_mesh_size(&request->from->mesh); ++rank) {
        source[chm_bound_participant(&network, request->from->mesh.dies[rank])] = 1;
    }
    search s = {request, &network, source, bound, false};
    return try_all_ways(&s);
}
