// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/port_group.h"

namespace chimera::fabric {

void port_group::set_client(network_client* client) {
    for (network_port* port : m_ports) {
        port->set_client(client);
    }
}

void port_group::wake(uint64_t now) {
    for (network_port* port : m_ports) {
        port->wake(now);
    }
}

uint32_t port_group::port_of(uint32_t destination, uint64_t message, uint64_t index) const {
    const chm_route_key key = {die(), destination, route_random(m_seed, message, index)};
    return chm_topology_port_out(&m_topology, &key);
}

const network_interface_statistics& port_group::statistics() const {
    network_interface_statistics sum;
    for (const network_port* port : m_ports) {
        const network_interface_statistics& one = port->statistics();
        sum.injected_packets += one.injected_packets;
        sum.injected_flits += one.injected_flits;
        sum.injected_payload_bytes += one.injected_payload_bytes;
        sum.injected_metadata_bytes += one.injected_metadata_bytes;
        sum.ejected_packets += one.ejected_packets;
        sum.ejected_flits += one.ejected_flits;
        sum.ejected_payload_bytes += one.ejected_payload_bytes;
        sum.ejected_metadata_bytes += one.ejected_metadata_bytes;
        sum.ejected_hops += one.ejected_hops;
        sum.ejected_byte_hops += one.ejected_byte_hops;
    }
    m_statistics = sum;
    return m_statistics;
}

} // namespace chimera::fabric
