// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/schedules/emit.h"

// Rings per physical dimension. Reduce-scatter runs dimension by dimension: along dimension d a
// die passes on the blocks of the members that agree with it in the dimensions already done, N-1
// steps, after which it is left with those that agree with it in d too. All-gather is its mirror
// image, dimensions in reverse order. Each block is a transfer of its own, so that it waits only
// for itself.

typedef struct line_step {
    const chm_schedule_request* request;
    const chm_schedule_group* group;
    const uint32_t* position; // [size * 3]
    const uint32_t* extent;
    uint32_t dimension, hop; // hop: 0 .. extent-2 within the dimension
    uint32_t step;
    const chm_ring* ring;
} line_step;

chm_status chm_emit_block(chm_plan_builder* builder, const chm_schedule_request* request,
                          uint32_t step, uint32_t source, uint32_t destination,
                          const chm_rect* block) {
    chm_transfer transfer = {.source = source,
                             .destination = destination,
                             .region = *block,
                             .kind = request->basic == chm_basic_reduce_scatter
                                         ? chm_transfer_reduce
                                         : chm_transfer_copy,
                             .phase = request->phase,
                             .step = step,
                             .slice = request->slice,
                             .after_operation = request->after_operation};
    return chm_plan_add(builder, &transfer);
}

// Rows are divided where there are enough of them, else the width.
static chm_rect block_part(const chm_rect* block, const chm_ring* ring) {
    chm_rect part = *block;
    bool rows = block->token_end - block->token_begin >= ring->parts;
    uint64_t begin = rows ? block->token_begin : block->width_begin;
    uint64_t length = (rows ? block->token_end : block->width_end) - begin;
    uint64_t first = begin + length * ring->part / ring->parts;
    uint64_t last = begin + length * (ring->part + 1) / ring->parts;
    *(rows ? &part.token_begin : &part.width_begin) = first;
    *(rows ? &part.token_end : &part.width_end) = last;
    return part;
}

static uint32_t around(uint32_t place, uint32_t offset, uint32_t extent, bool forward) {
    return (forward ? place + offset : place + extent - offset) % extent;
}

// The position along the dimension of the blocks that a member at `place` sends in this hop: in a
// reduce-scatter the one behind it first and its successor's last, in an all-gather its own first.
static uint32_t sent_place(const line_step* s, uint32_t place) {
    uint32_t back = s->request->basic == chm_basic_reduce_scatter ? s->hop + 1 : s->hop;
    return around(place, back, s->extent[s->dimension], !s->ring->forward);
}

static bool travels(const line_step* s, uint32_t member, uint32_t block) {
    const uint32_t* own = &s->position[member * 3];
    const uint32_t* its = &s->position[block * 3];
    for (uint32_t d = 0; d < s->dimension; ++d) {
        if (own[d] != its[d]) {
            return false;
        }
    }
    return its[s->dimension] == sent_place(s, own[s->dimension]);
}

static uint32_t next_member(const line_step* s, uint32_t member) {
    uint32_t wanted[3];
    for (uint32_t d = 0; d < 3; ++d) {
        wanted[d] = s->position[member * 3 + d];
    }
    wanted[s->dimension] =
        around(wanted[s->dimension], 1, s->extent[s->dimension], s->ring->forward);
    for (uint32_t i = 0; i < s->group->size; ++i) {
        const uint32_t* at = &s->position[i * 3];
        if (at[0] == wanted[0] && at[1] == wanted[1] && at[2] == wanted[2]) {
            return i;
        }
    }
    return member;
}

// Along how many later dimensions a reduce-scatter passes a block on behind this one.
static uint32_t later_travel(const line_step* s, uint32_t member, uint32_t block) {
    uint32_t dimensions = 0;
    for (uint32_t d = s->dimension + 1; d < 3; ++d) {
        dimensions += s->position[member * 3 + d] != s->position[block * 3 + d];
    }
    return dimensions;
}

// Sends the blocks that still have `later` dimensions to travel. Those with the longest way go
// first: what waits for them would else share ports with what nothing waits for.
static chm_status emit_line_step(chm_plan_builder* builder, const line_step* s, uint32_t later) {
    const chm_schedule_group* group = s->group;
    for (uint32_t member = 0; member < group->size; ++member) {
        uint32_t next = next_member(s, member);
        for (uint32_t block = 0; block < group->size; ++block) {
            if (!travels(s, member, block) || later_travel(s, member, block) != later) {
                continue;
            }
            chm_rect part = block_part(&group->blocks[block], s->ring);
            chm_status status = chm_emit_block(builder, s->request, s->step, group->dies[member],
                                               group->dies[next], &part);
            if (status != chm_ok) {
                return status;
            }
        }
    }
    return chm_ok;
}

static chm_status emit_group(chm_plan_builder* builder, const chm_schedule_request* request,
                             const chm_schedule_group* group, const chm_ring* rings,
                             uint32_t ring_count) {
    uint32_t extent[3];
    uint32_t* position = chm_arena_alloc(builder->arena, (size_t)group->size * 3, sizeof(uint32_t));
    if (position == NULL) {
        return chm_no_memory;
    }
    chm_schedule_shape(builder->plan->topology, group->dies, group->size, extent, position);
    line_step s = {.request = request, .group = group, .position = position, .extent = extent};
    for (uint32_t i = 0; i < 3; ++i) {
        s.dimension = request->basic == chm_basic_reduce_scatter ? i : 2 - i;
        for (s.hop = 0; s.hop + 1 < extent[s.dimension]; ++s.hop, ++s.step) {
            for (uint32_t turn = 0; turn < 3 * ring_count; ++turn) {
                s.ring = &rings[turn % ring_count];
                chm_status status = emit_line_step(builder, &s, 2 - turn / ring_count);
                if (status != chm_ok) {
                    return status;
                }
            }
        }
    }
    return chm_ok;
}

chm_status chm_emit_rings(chm_plan_builder* builder, const chm_schedule_request* request,
                          const chm_ring* rings, uint32_t ring_count) {
    chm_status status = chm_ok;
    for (uint32_t g = 0; g < request->group_count && status == chm_ok; ++g) {
        status = emit_group(builder, request, &request->groups[g], rings, ring_count);
    }
    return status;
}

chm_status chm_emit_ring(chm_plan_builder* builder, const chm_schedule_request* request) {
    const chm_ring ring = {.forward = true, .part = 0, .parts = 1};
    return chm_emit_rings(builder, request, &ring, 1);
}
