// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/fabric/packet.h"
#include "hw/golden/network/topology.h"

namespace chimera::fabric {

// Where a packet goes from a node: asks the topology's routing function and turns its channel class
// into the first of its channels. At an ejection port the classes have no meaning and all channels
// serve; which of the ports of its die it is, the input says.
class routing_unit {
public:
    routing_unit(const chm_topology& topology, uint32_t node)
        : m_topology(topology), m_node(node),
          m_links_out(topology.first_out_link[node + 1] - topology.first_out_link[node]),
          m_class_width(topology.vcs / topology.vc_classes),
          m_one_port(topology.ports_per_die <= 1) {}

    // Output port and first channel of a packet that came in at `input`.
    void route(const packet& item, uint32_t input, uint32_t& output, uint16_t& first_vc) const {
        const chm_route_key key = {item.source, item.destination, item.random};
        const chm_hop hop = m_topology.route(&m_topology, m_node, &key);
        output = hop.port;
        if (hop.port < m_links_out) {
            first_vc = static_cast<uint16_t>(hop.vc_class * m_class_width);
        } else {
            first_vc = 0;
            output +=
                m_one_port ? 0 : chm_die_port_in(&m_topology, item.source, item.destination, input);
        }
    }

private:
    const chm_topology& m_topology;
    uint32_t m_node, m_links_out, m_class_width;
    bool m_one_port; // of every die
};

} // namespace chimera::fabric
