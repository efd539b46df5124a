// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// Where the gating sends a token: the static, constructed routing of the expert programs. With data
// on, the row itself carries its route code (chm_routing_code), so that gating reads real data.

#ifdef __cplusplus
extern "C" {
#endif

enum { chm_max_top_k = 8 };

typedef struct chm_routing {
    uint32_t top_k; // copies asked per token, 1 .. chm_max_top_k
    uint32_t dies;  // dies over the routed dimensions
    double skew;    // 0: exactly balanced; 1: every token's first choice is die 0
    uint64_t seed;  // of the skew
} chm_routing;

// The indices (0 .. dies-1, ascending, distinct) of the dies that get a copy of the row of `token`;
// returns their number, at most min(top_k, dies). Balanced (skew 0): every run of dies / gcd
// consecutive tokens sends the same number to each die.
uint32_t chm_routing_targets(const chm_routing* routing, uint64_t token,
                             uint32_t targets[chm_max_top_k]);

#ifdef __cplusplus
}
#endif
