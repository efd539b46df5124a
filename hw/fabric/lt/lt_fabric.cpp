// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/lt/lt_fabric.h"

#include <string>

#include "hw/fabric/module_names.h"

namespace chimera::fabric {

namespace {
constexpr uint32_t most_random_bits = 8; // chunk_head::random
}

lt_fabric::lt_fabric(const chm_topology& topology, const fabric_params& params,
                     fabric_shared& shared)
    : m_turns("turns", chm_clock_khz(topology.clock_ghz), lt_round_cycles(topology, params),
              shared.statistics.activations),
      m_context{topology,
                params,
                m_turns,
                m_chunks,
                m_heads,
                shared,
                lt_clock(chm_clock_khz(topology.clock_ghz))} {
    if (topology.random_bits > most_random_bits) {
        shared.faults += "routing uses " + std::to_string(topology.random_bits) +
                         " random bits; allowed with fidelity lt: at most " +
                         std::to_string(most_random_bits) + "\n";
    }
    for (uint32_t node = 0; node < topology.nodes; ++node) {
        if (chm_node_inputs(&topology, node) > lt_leaving::most_inputs) {
            shared.faults += std::string(topology.node_names[node]) +
                             ": more than 2^20 inputs; allowed with fidelity lt: at most that\n";
        }
    }
    m_routers.reserve(topology.nodes);
    for (uint32_t node = 0; node < topology.nodes; ++node) {
        m_routers.push_back(std::make_unique<lt_router>(
            sc_core::sc_module_name(topology.node_names[node]), m_context, node));
    }
    m_interfaces.reserve(topology.first_die_port[topology.dies]);
    for (uint32_t die = 0; die < topology.dies; ++die) {
        for (uint32_t port = 0; port < chm_die_ports(&topology, die); ++port) {
            m_interfaces.push_back(std::make_unique<lt_interface>(
                sc_core::sc_module_name(interface_name(topology, die, port).c_str()), m_context,
                die, port));
        }
    }
    bind_links();
}

lt_fabric::~lt_fabric() {
    destroy_backwards(m_interfaces);
    destroy_backwards(m_routers);
}

void lt_fabric::bind_links() {
    const chm_topology& topology = m_context.topology;
    for (uint32_t id = 0; id < topology.link_count; ++id) {
        const chm_link& link = topology.links[id];
        m_routers[link.from_node]->out[link.from_port].bind(
            m_routers[link.to_node]->in[link.to_port]);
    }
    for (const auto& interface : m_interfaces) {
        const uint32_t die = interface->die();
        lt_router& node = *m_routers[topology.die_node[die]];
        interface->out.bind(node.in[chm_die_injection_port(&topology, die) + interface->port()]);
        node.out[chm_die_ejection_port(&topology, die) + interface->port()].bind(interface->in);
    }
}

} // namespace chimera::fabric
