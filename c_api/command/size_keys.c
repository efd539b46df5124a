// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "size.h"

#define RESOURCE(name, zero, centre, halvings, doublings, swept)                                   \
    { name, size_resource, zero, centre, halvings, doublings, swept, false }
#define DELAY(name, centre, halvings, doublings, swept)                                            \
    { name, size_delay, NULL, centre, halvings, doublings, swept, false }

// The one statement of what is varied and in what steps. Each step is a run or two: as many as it
// takes to see a knee on the shipped programs at 64 KiB to 1 MiB.
const size_key size_keys[] = {
    RESOURCE("window_depth", NULL, 8, 3, 2, true),
    RESOURCE("staging_bytes", NULL, 262144, 4, 2, true),
    RESOURCE("chunk_bytes", "auto", 65536, 4, 4, true),
    RESOURCE("dma_channels", NULL, 4, 2, 2, true),
    DELAY("fetch_latency_cycles", 20, 2, 4, true),
    RESOURCE("fetch_bytes_per_cycle", "free", 64, 4, 2, true),
    DELAY("fuse_cycles_per_pair", 4, 2, 5, true),
    RESOURCE("plan_transfers_per_cycle", "free", 1, 2, 2, true),
    RESOURCE("issue_per_cycle", "free", 1, 2, 2, true),
    RESOURCE("reduce_bytes_per_cycle", "free", 256, 4, 3, true),
    RESOURCE("ports_per_die", NULL, 1, 1, 2, true),
    RESOURCE("flit_bytes", NULL, 50, 2, 2, true),
    DELAY("link_cycles_per_flit", 1, 2, 3, true),
    DELAY("link_latency_cycles", 100, 3, 2, true),
    DELAY("enqueue_cycles_per_descriptor", 16, 2, 3, false),
    DELAY("dma_setup_cycles", 8, 2, 4, false),
    RESOURCE("dma_read_ahead_packets", NULL, 16, 4, 2, false),
    RESOURCE("gating_rows_per_cycle", "free", 1, 2, 3, false),
    RESOURCE("memory_bandwidth_bytes_per_cycle", "free", 256, 3, 2, false),
    DELAY("memory_latency_cycles", 100, 3, 2, false),
    RESOURCE("array_rows", NULL, 256, 2, 2, false),
    RESOURCE("array_columns", NULL, 256, 2, 2, false),
    RESOURCE("ring_entries", NULL, 64, 3, 1, false),
    RESOURCE("mtu_bytes", NULL, 256, 2, 3, false),
    RESOURCE("buffers_per_tensor", NULL, 2, 1, 2, false),
    {"vcs", size_resource, NULL, 4, 2, 2, false, true},
    {"vc_depth_flits", size_resource, NULL, 318, 4, 1, false, true},
};

_Static_assert(sizeof size_keys / sizeof size_keys[0] <= size_most_keys, "no room for all keys");

const size_t size_key_count = sizeof size_keys / sizeof size_keys[0];

const size_key* size_find_key(const char* name) {
    for (size_t i = 0; i < size_key_count; ++i) {
        if (strcmp(size_keys[i].name, name) == 0) {
            return &size_keys[i];
        }
    }
    return NULL;
}
