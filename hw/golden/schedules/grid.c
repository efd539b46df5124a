// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "hw/golden/schedules/emit.h"

// All links of a grid at the same time, for dies with several ports. The width (or the rows) of
// every block is divided into parts, and each part is gathered dimension by dimension in an order
// of its own: with two dimensions one half along x first and then, with all that has been gathered
// so far, along y, the other half the other way round. While one half takes little of the links
// along x and much of those along y, the other does the opposite, so that all are busy until the
// end. Where a dimension wraps, each half is divided once more for the two ways round; where it
// does not, blocks go along the line both ways from where they are, and the last link of the line
// carries all that the die there needs. On a square that is what no schedule can do better.
//
// Each block is a transfer of its own: it is passed on while others of its hop are under way.
//
// A reduce-scatter is the same backwards in time, every transfer turned round.

typedef struct grid {
    const chm_schedule_request* request;
    const chm_schedule_group* group;
    uint32_t extent[3];
    uint32_t* position;                      // [size * 3]
    uint32_t* member;                        // [size] by place: x + X*y + X*Y*z
    bool ring[3];                            // the dimension wraps around the group
    bool divides_width;                      // parts are parts of the width, else of the rows
    uint32_t dimensions[3], dimension_count; // with more than one place
    uint32_t parts;
    uint32_t steps; // of a whole part
} grid;

// One hop of a part: dimension number `index` of its order.
typedef struct grid_hop {
    uint32_t part, index, hop, step;
} grid_hop;

static uint32_t dimension_of(const grid* g, uint32_t part, uint32_t index) {
    return g->dimensions[(part + index) % g->dimension_count];
}

static chm_rect part_of(const grid* g, const chm_rect* block, uint32_t part) {
    chm_rect rect = *block;
    uint64_t* begin = g->divides_width ? &rect.width_begin : &rect.token_begin;
    uint64_t* end = g->divides_width ? &rect.width_end : &rect.token_end;
    uint64_t length = *end - *begin;
    *end = *begin + length * (part + 1) / g->parts;
    *begin += length * part / g->parts;
    return rect;
}

static chm_status emit(chm_plan_builder* builder, const grid* g, const grid_hop* at, uint32_t from,
                       uint32_t to, const chm_rect* rect) {
    if (chm_rect_empty(rect)) {
        return chm_ok;
    }
    bool back = g->request->basic == chm_basic_reduce_scatter;
    uint32_t step = back ? g->steps - 1 - at->step : at->step;
    return chm_emit_block(builder, g->request, step, g->group->dies[back ? to : from],
                          g->group->dies[back ? from : to], rect);
}

// Passes on what began at `place` of the hop's dimension, and in the dimensions that the part has
// been gathered along before, anywhere; otherwise where the sender is.
static chm_status pass_on(chm_plan_builder* builder, const grid* g, const grid_hop* at,
                          uint32_t from, uint32_t to, uint32_t place) {
    uint32_t first[3];
    uint32_t count[3] = {1, 1, 1};
    memcpy(first, &g->position[from * 3], sizeof first);
    first[dimension_of(g, at->part, at->index)] = place;
    for (uint32_t before = 0; before < at->index; ++before) {
        uint32_t d = dimension_of(g, at->part, before);
        first[d] = 0;
        count[d] = g->extent[d];
    }
    for (uint32_t z = first[2]; z < first[2] + count[2]; ++z) {
        for (uint32_t y = first[1]; y < first[1] + count[1]; ++y) {
            for (uint32_t x = first[0]; x < first[0] + count[0]; ++x) {
                uint32_t block = g->member[x + g->extent[0] * (y + g->extent[1] * z)];
                chm_rect rect = part_of(g, &g->group->blocks[block], at->part);
                chm_status status = emit(builder, g, at, from, to, &rect);
                if (status != chm_ok) {
                    return status;
                }
            }
        }
    }
    return chm_ok;
}

static uint32_t neighbour(const grid* g, uint32_t member, uint32_t dimension, uint32_t place) {
    uint32_t at[3];
    memcpy(at, &g->position[member * 3], sizeof at);
    at[dimension] = place;
    return g->member[at[0] + g->extent[0] * (at[1] + g->extent[1] * at[2])];
}

static chm_status emit_hop(chm_plan_builder* builder, const grid* g, const grid_hop* at) {
    uint32_t d = dimension_of(g, at->part, at->index);
    uint32_t extent = g->extent[d];
    bool down = at->part >= g->dimension_count; // the other way round
    chm_status status = chm_ok;
    for (uint32_t m = 0; status == chm_ok && m < g->group->size; ++m) {
        uint32_t place = g->position[m * 3 + d];
        if (g->ring[d]) {
            uint32_t next = (place + (down ? extent - 1 : 1)) % extent;
            uint32_t from = (place + (down ? at->hop : extent - at->hop)) % extent;
            status = pass_on(builder, g, at, m, neighbour(g, m, d, next), from);
            continue;
        }
        if (place + 1 < extent && place >= at->hop) {
            status = pass_on(builder, g, at, m, neighbour(g, m, d, place + 1), place - at->hop);
        }
        if (status == chm_ok && place > 0 && place + at->hop < extent) {
            status = pass_on(builder, g, at, m, neighbour(g, m, d, place - 1), place + at->hop);
        }
    }
    return status;
}

// Hop number `step` of a part; false if it has no more.
static bool find_hop(const grid* g, uint32_t part, uint32_t step, grid_hop* at) {
    *at = (grid_hop){.part = part, .step = step, .hop = step};
    while (at->index < g->dimension_count) {
        uint32_t hops = g->extent[dimension_of(g, part, at->index)] - 1;
        if (at->hop < hops) {
            return true;
        }
        at->hop -= hops;
        at->index++;
    }
    return false;
}

static chm_status make_grid(const chm_topology* topology, chm_arena* arena, grid* g) {
    uint32_t size = g->group->size;
    g->position = chm_arena_alloc(arena, (size_t)size * 3, sizeof *g->position);
    g->member = chm_arena_alloc(arena, size, sizeof *g->member);
    if (g->position == NULL || g->member == NULL) {
        return chm_no_memory;
    }
    chm_schedule_shape(topology, g->group->dies, size, g->extent, g->position);
    for (uint32_t m = 0; m < size; ++m) {
        const uint32_t* at = &g->position[m * 3];
        g->member[at[0] + g->extent[0] * (at[1] + g->extent[1] * at[2])] = m;
    }
    bool rings = false;
    for (uint32_t d = 0; d < 3; ++d) {
        g->ring[d] = topology->wraps && g->extent[d] > 1 && g->extent[d] == topology->extent[d];
        rings |= g->ring[d];
        g->steps += g->extent[d] - 1;
        if (g->extent[d] > 1) {
            g->dimensions[g->dimension_count++] = d;
        }
    }
    g->parts = g->dimension_count * (rings ? 2 : 1);
    const chm_rect* block = &g->group->blocks[0];
    g->divides_width = block->width_end - block->width_begin >= g->parts;
    for (uint32_t m = 1; m < size; ++m) {
        const chm_rect* other = &g->group->blocks[m];
        g->divides_width &= other->width_begin == block->width_begin;
        g->divides_width &= other->width_end == block->width_end;
    }
    return chm_ok;
}

static chm_status emit_group(chm_plan_builder* builder, const chm_schedule_request* request,
                             const chm_schedule_group* group) {
    grid g = {.request = request, .group = group};
    if (group->size < 2) {
        return chm_ok;
    }
    chm_status status = make_grid(builder->plan->topology, builder->arena, &g);
    bool back = request->basic == chm_basic_reduce_scatter;
    for (uint32_t s = 0; status == chm_ok && s < g.steps; ++s) {
        for (uint32_t part = 0; status == chm_ok && part < g.parts; ++part) {
            grid_hop at;
            if (find_hop(&g, part, back ? g.steps - 1 - s : s, &at)) {
                status = emit_hop(builder, &g, &at);
            }
        }
    }
    return status;
}

chm_status chm_emit_grid(chm_plan_builder* builder, const chm_schedule_request* request) {
    chm_status status = chm_ok;
    for (uint32_t g = 0; status == chm_ok && g < request->group_count; ++g) {
        status = emit_group(builder, request, &request->groups[g]);
    }
    return status;
}
