// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/planner.h"

// The lower bound of a redistribution on a topology: no plan among the participants is faster.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_bound_term {
    char
        name[64]; // "in-port of die_2_0", "out-port of die_0_0", "work", "cut columns 0..1 outward"
    uint64_t bandwidth_cycles;
    uint64_t latency_cycles;
} chm_bound_term;

typedef struct chm_bound {
    uint64_t bandwidth_cycles;   // of the largest term (sums of the largest per way-point section)
    uint64_t latency_cycles;     // what that term cannot avoid on top
    uint64_t lower_bound_cycles; // their sum
    chm_bound_term bound_by;
    chm_bound_term runner_up; // the largest term of another kind
} chm_bound;

// Bytes are flits at the platform's packet size, header included; every die has one port.
// Way-points (request operations that need complete rows, with routing after them) split the bound
// in sections whose terms add up; the best way-point layout the planner may choose is taken.
chm_status chm_bound_request(const chm_topology* topology, const chm_request* request,
                             chm_arena* scratch, chm_bound* bound);

#ifdef __cplusplus
}
#endif
