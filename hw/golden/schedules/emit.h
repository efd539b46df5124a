// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/schedules/schedule.h"

// Private to hw/golden/schedules: one emitter per file, and what they share.

#ifdef __cplusplus
extern "C" {
#endif

chm_status chm_emit_ring(chm_plan_builder* builder, const chm_schedule_request* request);
chm_status chm_emit_bidirectional(chm_plan_builder* builder, const chm_schedule_request* request);
chm_status chm_emit_halving_doubling(chm_plan_builder* builder,
                                     const chm_schedule_request* request);
chm_status chm_emit_direct(chm_plan_builder* builder, const chm_schedule_request* request);
chm_status chm_emit_staggered(chm_plan_builder* builder, const chm_schedule_request* request);
chm_status chm_emit_grid(chm_plan_builder* builder, const chm_schedule_request* request);

// Adds one block's transfer of the request: reduce for reduce-scatter, copy for all-gather.
chm_status chm_emit_block(chm_plan_builder* builder, const chm_schedule_request* request,
                          uint32_t step, uint32_t source, uint32_t destination,
                          const chm_rect* block);

// The rings of a request: one per physical dimension and line of dies. Part `part` of `parts` of
// every block travels; `forward` is towards higher positions.
typedef struct chm_ring {
    bool forward;
    uint32_t part, parts;
} chm_ring;

// Runs the rings step by step, side by side.
chm_status chm_emit_rings(chm_plan_builder* builder, const chm_schedule_request* request,
                          const chm_ring* rings, uint32_t ring_count);

#ifdef __cplusplus
}
#endif
