// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/schedules/emit.h"

// Every member sends to every other in rank order: its addend of the other's block
// (reduce-scatter), or its own block (all-gather).

chm_status chm_emit_direct(chm_plan_builder* builder, const chm_schedule_request* request) {
    bool reduce = request->basic == chm_basic_reduce_scatter;
    for (uint32_t g = 0; g < request->group_count; ++g) {
        const chm_schedule_group* group = &request->groups[g];
        for (uint32_t i = 0; i < group->size; ++i) {
            for (uint32_t j = 0; j < group->size; ++j) {
                chm_status status = chm_emit_block(builder, request, 0, group->dies[i],
                                                   group->dies[j], &group->blocks[reduce ? j : i]);
                if (status != chm_ok) {
                    return status;
                }
            }
        }
    }
    return chm_ok;
}
