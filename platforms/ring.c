// SPDX-License-Identifier: Apache-2.0
#include "platforms/builder.h"

// A ring: a torus of one dimension, with its routing and its two channel classes.
chm_status chm_build_ring(chm_topology* topology, uint32_t dies, const chm_fabric_params* fabric,
                          chm_arena* arena) {
    const uint32_t extent[3] = {dies, 1, 1};
    return chm_build_torus(topology, extent, 1, fabric, arena);
}
