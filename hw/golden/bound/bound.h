// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/planner/planner.h"

// The lower bound of a redistribution on a topology: no plan among the participants is faster.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_bound_term {
    // "in-port of die_2_0", "out-port of die_0_0", "work", "cut columns 0..1 outward",
    // "latency to die_2_0" (bandwidth: the flits of the smallest message)
    char name[64];
    uint64_t bandwidth_cycles;
    uint64_t latency_cycles;
} chm_bound_term;

typedef struct chm_bound {
    uint64_t bandwidth_cycles;   // of the largest term (each summed over way-point sections)
    uint64_t latency_cycles;     // what that term cannot avoid on top
    uint64_t lower_bound_cycles; // their sum
    chm_bound_term bound_by;
    chm_bound_term runner_up; // the largest term of another kind
} chm_bound;

// Bytes are flits at the platform's packet size, header included. Of a die's ports those count by
// which some route between participants leaves it, or arrives: with a port per link, a die in the
// corner of the participants has fewer than one in their middle. Where
// rows of the tensor are not multiples of the packet size, the cheapest packets that their pieces
// allow stand in, so that the bound stays below what any plan does. Way-points (operations that
// need complete rows, routed demands) split the way in sections; each term (a port, a cut, the
// work) adds up over them, so that plans that overlap sections are bounded too; the best way-point
// layout the planner may choose is taken. The largest term is reported, its name being "nothing"
// where no byte must move. chm_bad_argument: no demand, a die the topology does not have, routed
// layouts without routing. chm_unsupported: routing with more than 12 random bits. chm_overflow:
// traffic beyond 64 bits.
chm_status chm_bound_request(const chm_topology* topology, const chm_request* request,
                             chm_arena* scratch, chm_bound* bound);

#ifdef __cplusplus
}
#endif
