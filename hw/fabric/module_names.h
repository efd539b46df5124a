// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "hw/golden/network/topology.h"

namespace chimera::fabric {

// "ni_3_2" for "die_3_2".
inline std::string interface_name(const chm_topology& topology, uint32_t die) {
    const char* name = topology.die_names[die];
    return std::string("ni_") + (std::strncmp(name, "die_", 4) == 0 ? name + 4 : name);
}

// The kernel looks for a module that goes among those made last: in the order of making, thousands
// of them would take quadratic time.
template<typename T> void destroy_backwards(std::vector<std::unique_ptr<T>>& modules) {
    while (!modules.empty()) {
        modules.pop_back();
    }
}

} // namespace chimera::fabric
