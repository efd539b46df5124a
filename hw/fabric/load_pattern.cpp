// SPDX-License-Identifier: Apache-2.0
#include "hw/base/random.h"
#include "hw/fabric/load.h"

namespace chimera::fabric {

namespace {

uint32_t uniform(uint64_t hash, uint32_t die, uint32_t dies) {
    return dies == 1 ? 0 : static_cast<uint32_t>((die + 1 + (hash >> 8) % (dies - 1)) % dies);
}

uint32_t number(const chm_topology& topology, const uint32_t xyz[3]) {
    return xyz[0] + topology.extent[0] * (xyz[1] + topology.extent[1] * xyz[2]);
}

} // namespace

uint32_t load_destination(const chm_topology& topology, load_pattern pattern, uint64_t seed,
                          uint32_t die, uint64_t index) {
    const uint32_t dies = topology.dies;
    const uint64_t hash = chm_hash3(seed ^ 0x77686572, die, index);
    uint32_t xyz[3];
    chm_topology_coordinates(&topology, die, xyz);
    switch (pattern) {
    case load_pattern::uniform: return uniform(hash, die, dies);
    case load_pattern::transpose:
        return xyz[1] + topology.extent[1] * (xyz[0] + topology.extent[0] * xyz[2]);
    case load_pattern::bitcomplement: return dies - 1 - die;
    case load_pattern::tornado:
        for (int d = 0; d < 3; ++d) {
            const uint32_t extent = topology.extent[d] > 0 ? topology.extent[d] : 1;
            xyz[d] = (xyz[d] + (extent + 1) / 2 - 1) % extent;
        }
        return number(topology, xyz);
    case load_pattern::shuffle:
        return die + 1 == dies ? die : static_cast<uint32_t>(uint64_t(2) * die % (dies - 1));
    case load_pattern::hotspot: return hash % 10 == 0 ? 0 : uniform(hash, die, dies);
    case load_pattern::neighbour:
        if (topology.extent[0] > 1) {
            xyz[0] = (xyz[0] + 1) % topology.extent[0];
            return number(topology, xyz);
        }
        return (die + 1) % dies;
    }
    return die;
}

} // namespace chimera::fabric
