// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/schedules/schedule.h"

#include "hw/golden/schedules/emit.h"

const char* chm_schedule_name(chm_schedule_kind kind) {
    switch (kind) {
    case chm_schedule_auto: return "auto";
    case chm_schedule_ring: return "ring";
    case chm_schedule_bidirectional: return "bidirectional";
    case chm_schedule_halving_doubling: return "halving-doubling";
    case chm_schedule_direct: return "direct";
    case chm_schedule_staggered: return "staggered";
    case chm_schedule_grid: return "grid";
    case chm_schedule_tree: return "tree";
    case chm_schedule_count: break;
    }
    return "?";
}

bool chm_schedule_applies(chm_schedule_kind kind, const chm_topology* topology,
                          const chm_schedule_request* request) {
    if (request->basic == chm_basic_move) {
        return kind == chm_schedule_direct || kind == chm_schedule_staggered ||
               kind == chm_schedule_tree;
    }
    if (kind == chm_schedule_halving_doubling) {
        for (uint32_t g = 0; g < request->group_count; ++g) {
            uint32_t size = request->groups[g].size;
            if (size == 0 || (size & (size - 1)) != 0) {
                return false;
            }
        }
        return true;
    }
    if (kind == chm_schedule_grid) {
        return topology->ports_per_die > 1 && topology->nodes == topology->dies;
    }
    return kind == chm_schedule_ring || kind == chm_schedule_bidirectional ||
           kind == chm_schedule_direct || kind == chm_schedule_staggered;
}

// Rings and halving pass partial sums on, so that a block's sum starts at some other member.
bool chm_schedule_keeps_order(chm_schedule_kind kind, chm_basic basic) {
    return basic != chm_basic_reduce_scatter || kind == chm_schedule_direct ||
           kind == chm_schedule_staggered;
}

chm_status chm_schedule_emit(chm_schedule_kind kind, chm_plan_builder* builder,
                             const chm_schedule_request* request) {
    switch (kind) {
    case chm_schedule_ring: return chm_emit_ring(builder, request);
    case chm_schedule_bidirectional: return chm_emit_bidirectional(builder, request);
    case chm_schedule_halving_doubling: return chm_emit_halving_doubling(builder, request);
    case chm_schedule_direct: return chm_emit_direct(builder, request);
    case chm_schedule_staggered: return chm_emit_staggered(builder, request);
    case chm_schedule_grid: return chm_emit_grid(builder, request);
    default: return chm_bad_argument;
    }
}

static const uint32_t not_indexed = 1u << 31;

// Replaces the coordinates along d, marked not_indexed, by their rank among the distinct ones.
static uint32_t index_coordinates(uint32_t* position, uint32_t size, uint32_t d) {
    uint32_t distinct = 0;
    for (;;) {
        uint32_t lowest = UINT32_MAX;
        for (uint32_t i = 0; i < size; ++i) {
            uint32_t value = position[i * 3 + d];
            if ((value & not_indexed) != 0 && value < lowest) {
                lowest = value;
            }
        }
        if (lowest == UINT32_MAX) {
            return distinct;
        }
        for (uint32_t i = 0; i < size; ++i) {
            if (position[i * 3 + d] == lowest) {
                position[i * 3 + d] = distinct;
            }
        }
        ++distinct;
    }
}

uint32_t chm_schedule_shape(const chm_topology* topology, const uint32_t* dies, uint32_t size,
                            uint32_t extent[3], uint32_t* position) {
    for (uint32_t i = 0; i < size; ++i) {
        uint32_t xyz[3];
        chm_topology_coordinates(topology, dies[i], xyz);
        for (uint32_t d = 0; d < 3; ++d) {
            position[i * 3 + d] = xyz[d] | not_indexed;
        }
    }
    uint64_t volume = 1;
    for (uint32_t d = 0; d < 3; ++d) {
        extent[d] = index_coordinates(position, size, d);
        volume *= extent[d];
    }
    if (volume != size) { // distinct dies that fill the volume form a box; these do not
        extent[0] = size;
        extent[1] = extent[2] = 1;
        for (uint32_t i = 0; i < size; ++i) {
            position[i * 3] = i;
            position[i * 3 + 1] = position[i * 3 + 2] = 0;
        }
    }
    return (extent[0] > 1) + (extent[1] > 1) + (extent[2] > 1);
}
