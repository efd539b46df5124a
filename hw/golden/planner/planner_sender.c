// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/planner/planner_search.h"

// Who sends a piece that several dies hold: the one deterministic rule of every plan.

static uint16_t look_up(const chm_topology* topology, uint32_t from, uint32_t to) {
    chm_route_key key = {.source = from, .destination = to};
    uint32_t links = chm_topology_path(topology, &key, NULL, 0);
    return (uint16_t)(links < UINT16_MAX - 1 ? links + 1 : UINT16_MAX);
}

uint32_t chm_search_hops(chm_search* search, uint32_t from, uint32_t to) {
    uint16_t** row = &search->hops[from];
    if (*row == NULL) {
        *row = chm_arena_alloc(search->hops_arena, search->topology->dies, sizeof **row);
    }
    if (*row == NULL) {
        return look_up(search->topology, from, to) - 1u; // only slower
    }
    if ((*row)[to] == 0) {
        (*row)[to] = look_up(search->topology, from, to);
    }
    return (*row)[to] - 1u;
}

uint32_t chm_choose_sender(chm_search* search, const uint32_t* holders, uint32_t count,
                           uint32_t needer, const uint64_t* load, uint32_t peer) {
    uint32_t best = 0;
    uint32_t best_hops = UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i) {
        if (holders[i] == needer) {
            return i;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (holders[i] == peer) {
            return i;
        }
        uint32_t hops = chm_search_hops(search, holders[i], needer);
        if (hops < best_hops || (hops == best_hops && load[holders[i]] < load[holders[best]])) {
            best = i;
            best_hops = hops;
        }
    }
    return best;
}
