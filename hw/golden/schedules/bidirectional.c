// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/schedules/emit.h"

// Two rings per physical dimension in opposite directions, each carrying one half of every block.

chm_status chm_emit_bidirectional(chm_plan_builder* builder, const chm_schedule_request* request) {
    const chm_ring rings[2] = {{.forward = true, .part = 0, .parts = 2},
                               {.forward = false, .part = 1, .parts = 2}};
    return chm_emit_rings(builder, request, rings, 2);
}
