// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "hw/golden/network/topology.h"

namespace chimera::fabric {

// "ni_3_2" for "die_3_2"; of a die with several ports "ni_3_2_port_0" and so on.
inline std::string interface_name(const chm_topology& topology, uint32_t die, uint32_t port) {
    const char* name = topology.die_names[die];
    return std::string("ni_") + (std::strncmp(name, "die_", 4) == 0 ? name + 4 : name) +
           (chm_die_ports(&topology, die) > 1 ? "_port_" + std::to_string(port) : "");
}

// "router_0_0_to_router_1_0"; the second of two parallel links ends in "_2".
inline std::string link_name(const chm_topology& topology, uint32_t link) {
    const chm_link& named = topology.links[link];
    uint32_t number = 1;
    for (uint32_t i = topology.first_out_link[named.from_node];
         i < topology.first_out_link[named.from_node + 1]; ++i) {
        const uint32_t other = topology.out_links[i];
        number += other < link && topology.links[other].to_node == named.to_node ? 1 : 0;
    }
    return std::string(topology.node_names[named.from_node]) + "_to_" +
           topology.node_names[named.to_node] + (number > 1 ? "_" + std::to_string(number) : "");
}

// The kernel looks for a module that goes among those made last: in the order of making, thousands
// of them would take quadratic time.
template<typename T> void destroy_backwards(std::vector<std::unique_ptr<T>>& modules) {
    while (!modules.empty()) {
        modules.pop_back();
    }
}

} // namespace chimera::fabric
