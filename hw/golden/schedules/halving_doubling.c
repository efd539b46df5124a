// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/schedules/emit.h"

// Recursive halving (reduce-scatter) and doubling (all-gather) in groups of a power of two. A
// member exchanges with the one whose rank differs in one bit, highest bit first when halving: it
// sends the blocks of the other's half. Doubling is the mirror image, lowest bit first, and sends
// the blocks gathered so far.

static chm_status emit_exchange(chm_plan_builder* builder, const chm_schedule_request* request,
                                const chm_schedule_group* group, uint32_t bit, uint32_t step) {
    bool halving = request->basic == chm_basic_reduce_scatter;
    for (uint32_t member = 0; member < group->size; ++member) {
        uint32_t partner = member ^ bit;
        // Halving: blocks that agree with the partner from this bit up. Doubling: with oneself.
        uint32_t owner = (halving ? partner : member) / bit;
        for (uint32_t i = bit; i-- > 0;) {
            // When halving, what the partner passes on next goes first: the blocks that differ from
            // its own in the highest bit.
            uint32_t block = owner * bit + (halving ? i ^ (partner % bit) : bit - 1 - i);
            chm_status status = chm_emit_block(builder, request, step, group->dies[member],
                                               group->dies[partner], &group->blocks[block]);
            if (status != chm_ok) {
                return status;
            }
        }
    }
    return chm_ok;
}

chm_status chm_emit_halving_doubling(chm_plan_builder* builder,
                                     const chm_schedule_request* request) {
    for (uint32_t g = 0; g < request->group_count; ++g) {
        const chm_schedule_group* group = &request->groups[g];
        uint32_t rounds = 0;
        while ((1u << rounds) < group->size) {
            ++rounds;
        }
        for (uint32_t step = 0; step < rounds; ++step) {
            bool halving = request->basic == chm_basic_reduce_scatter;
            uint32_t bit = 1u << (halving ? rounds - 1 - step : step);
            chm_status status = emit_exchange(builder, request, group, bit, step);
            if (status != chm_ok) {
                return status;
            }
        }
    }
    return chm_ok;
}
