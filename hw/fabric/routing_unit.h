// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/fabric/packet.h"
#include "hw/golden/network/topology.h"

namespace chimera::fabric {

// Where a packet goes from a node: asks the topology's routing function and turns its channel class
// into a range of channels. At an ejection port the classes have no meaning and all channels serve.
class routing_unit {
public:
    routing_unit(const chm_topology& topology, uint32_t node)
        : m_topology(topology), m_node(node) {}

    // Sets output, first_vc and vc_limit of the packet.
    void route(packet& item) const {
        const chm_route_key key = {item.source, item.destination, item.random};
        const chm_hop hop = m_topology.route(&m_topology, m_node, &key);
        const uint32_t width = m_topology.vcs / m_topology.vc_classes;
        const bool ejection = chm_node_output_link(&m_topology, m_node, hop.port) == UINT32_MAX;
        item.output = hop.port;
        item.first_vc = ejection ? 0 : hop.vc_class * width;
        item.vc_limit = ejection ? m_topology.vcs : item.first_vc + width;
    }

private:
    const chm_topology& m_topology;
    uint32_t m_node;
};

} // namespace chimera::fabric
