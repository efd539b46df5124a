// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/schedules/emit.h"

// As direct, but in round k member i sends to member i + k, so that every member receives from one
// sender at a time.

chm_status chm_emit_staggered(chm_plan_builder* builder, const chm_schedule_request* request) {
    bool reduce = request->basic == chm_basic_reduce_scatter;
    for (uint32_t g = 0; g < request->group_count; ++g) {
        const chm_schedule_group* group = &request->groups[g];
        for (uint32_t round = 1; round < group->size; ++round) {
            for (uint32_t i = 0; i < group->size; ++i) {
                uint32_t j = (i + round) % group->size;
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
