// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// Where the gating sends a token: the static, constructed routing of the expert programs. With data
// on, the row itself carries its route code (chm_routing_code), so that gating reads real data.
//
// Token t's copies go to dies (base + j) mod dies, j < copies = min(top_k, dies). base advances by
// `copies` each token, so that chm_routing_cycle = dies / gcd(dies, copies) consecutive tokens go
// round the dies a whole number of times, and by one more after each cycle, so that the sets of
// dies vary. Balance: the tokens of every cycle (c*i .. c*(i+1) - 1 for a cycle of c tokens), and
// so of any window of whole cycles, send exactly copies / gcd(dies, copies) copies to each die.

#ifdef __cplusplus
extern "C" {
#endif

enum { chm_max_top_k = 8 };

typedef struct chm_routing {
    uint32_t top_k; // copies asked per token, 1 .. chm_max_top_k
    uint32_t dies;  // dies over the routed dimensions
    double skew;    // this fraction of tokens, chosen by hash, has die 0 as its first choice
    uint64_t seed;  // of the skew
} chm_routing;

// The indices (0 .. dies-1, ascending, distinct) of the dies that get a copy of the row of `token`;
// returns their number, min(top_k, dies). Needs top_k >= 1 and dies >= 1 (chm_layout_check).
uint32_t chm_routing_targets(const chm_routing* routing, uint64_t token,
                             uint32_t targets[chm_max_top_k]);

// Tokens in one balanced cycle.
uint64_t chm_routing_cycle(const chm_routing* routing);

// What decides the targets of a token, as a number 1 .. 2 * dies that a row can carry.
uint32_t chm_routing_code(const chm_routing* routing, uint64_t token);

// The targets that a code stands for, as chm_routing_targets gives them. Any other number gives
// some valid set of targets.
uint32_t chm_routing_decode(const chm_routing* routing, uint32_t code,
                            uint32_t targets[chm_max_top_k]);

#ifdef __cplusplus
}
#endif
