// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "hw/golden/network/topology.h"

// A link or a die that fails for good at a time.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum chm_failure_kind { chm_failure_link, chm_failure_die } chm_failure_kind;

typedef struct chm_failure {
    chm_failure_kind kind;
    uint32_t first;  // link: a node at one end; die: the die
    uint32_t second; // link: the node at the other end
    uint64_t cycle;  // from which on nothing passes
} chm_failure;

// Reads "link:NODE-NODE@CYCLE" (every link between the two nodes, in both directions) or
// "die:DIE@CYCLE". chm_bad_input with a message that says what is allowed.
chm_status chm_failure_parse(chm_failure* failure, const chm_topology* topology, const char* text,
                             const chm_origin* origin, chm_diagnostics* diagnostics);

// Marks the links that fail with it: of a die, all links of its node if no other die hangs on that.
void chm_failure_mark(const chm_failure* failure, const chm_topology* topology,
                      uint8_t* dead /* [links] */);

// "link router_1_0-router_2_0" or "die_2_1".
void chm_failure_name(const chm_failure* failure, const chm_topology* topology, char* name,
                      size_t size);

#ifdef __cplusplus
}
#endif
