// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/fabric/packet.h"
#include "hw/golden/network/topology.h"

namespace chimera::fabric {

// Where a packet goes from a node: asks the topology's routing function and turns its channel class
// into the first of its channels. At an ejection port the classes have no meaning and all channels
// serve.
class routing_unit {
public:
    routing_unit(const chm_topology& topology, uint32_t node)
        : m_topology(topology), m_node(node),
          m_links_out(topology.first_out_link[node + 1] - topology.first_out_link[node]),
          m_class_width(topology.vcs / topology.vc_classes) {}

    // Output port and first channel of a packet.
    void route(const packet& item, uint32_t& output, uint16_t& first_vc) const {
        const chm_route_key key = {item.source, item.destination, item.random};
        const chm_hop hop = m_topology.route(&m_topology, m_node, &key);
        output = hop.port;
        first_vc = static_cast<uint16_t>(hop.port < m_links_out ? hop.vc_class * m_class_width : 0);
    }

private:
    const chm_topology& m_topology;
    uint32_t m_node, m_links_out, m_class_width;
};

} // namespace chimera::fabric
