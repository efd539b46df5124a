// SPDX-License-Identifier: Apache-2.0
#include "platforms/builder.h"

void chm_builder_set_fabric(chm_topology* topology, const chm_fabric_params* fabric) {
    topology->flit_bytes = (uint32_t)fabric->flit_bytes;
    topology->mtu_bytes = (uint32_t)fabric->mtu_bytes;
    topology->header_flits = 1;
    topology->ports_per_die = (uint32_t)fabric->ports_per_die;
    topology->vcs = (uint32_t)fabric->vcs;
    topology->vc_depth_flits = (uint32_t)fabric->vc_depth_flits;
    topology->clock_ghz = fabric->clock_ghz;
}

// Paper, network timing: 5 + 103 * H at a link latency of 100 is 1 + 3 + (100 + 3) * H + 1.
void chm_builder_set_grid_costs(chm_topology* topology) {
    topology->injection_latency_cycles = 1;
    topology->router_cycles = 3;
    topology->ejection_latency_cycles = 1;
}

uint8_t* chm_builder_add_cut(chm_cut_list* list, const char* name, uint32_t nodes) {
    uint8_t* inside = chm_arena_alloc(list->arena, nodes, 1);
    void* cuts = list->cuts;
    if (name == NULL || inside == NULL ||
        chm_arena_grow(list->arena, &cuts, &list->capacity, list->count + 1, sizeof *list->cuts) !=
            chm_ok) {
        return NULL;
    }
    list->cuts = cuts;
    list->cuts[list->count++] = (chm_cut){name, inside};
    return inside;
}
