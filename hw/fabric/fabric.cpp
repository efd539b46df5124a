// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/fabric.h"

#include <utility>

#include "hw/fabric/module_names.h"
#include "hw/fabric/waiting_circle.h"

namespace chimera::fabric {

bool fabric_params::validate(std::string& faults) const {
    size_t before = faults.size();
    if (!(stall_probability >= 0 && stall_probability <= 1)) {
        faults += "stall_probability: allowed are 0 .. 1\n";
    }
    if (fidelity == chm_fidelity_lt && stall_probability == 1) {
        faults += "stall_probability: allowed are 0 .. 1, 1 excluded, with fidelity lt\n";
    }
    if (!(window_round_trips >= 0)) {
        faults += "window_round_trips: allowed are 0 (no limit) and more\n";
    }
    for (const auto& [name, value] : {std::pair("drop_probability", drop_probability),
                                      std::pair("corrupt_probability", corrupt_probability)}) {
        if (!(value >= 0 && value <= 1)) {
            faults += std::string(name) + ": allowed are 0 .. 1\n";
        } else if (value > 0 && fidelity == chm_fidelity_lt) {
            faults += std::string(name) + ": allowed is 0 with fidelity lt\n";
        }
    }
    if (!failures.empty() && fidelity == chm_fidelity_lt) {
        faults += "failures: allowed are none with fidelity lt\n";
    }
    if (retry_timeout_cycles == 0) {
        faults += "retry_timeout_cycles: allowed are 1 and more\n";
    }
    if (watchdog_cycles == 0) {
        faults += "watchdog_cycles: allowed are 1 and more\n";
    }
    return faults.size() == before;
}

fabric::fabric(const sc_core::sc_module_name& name, const chm_topology& topology,
               const fabric_params& params)
    : sc_core::sc_module(name), m_intact(topology), m_routed(topology), m_params(params),
      m_clock_khz(chm_clock_khz(topology.clock_ghz)), m_shared(params.buffer_bytes) {
    if (params.fidelity == chm_fidelity_lt) {
        m_lt = std::make_unique<lt_fabric>(m_topology, m_params, m_shared);
        make_places();
        return;
    }
    if (!m_params.failures.empty()) {
        m_outage = std::make_unique<outage>("outage", m_routed, m_params, m_shared);
        m_shared.failures = m_outage.get();
    }
    make_routers();
    make_interfaces();
    make_places();
    make_fault_links();
    bind_links();
}

// Last made, first destroyed: the kernel's registries look for what goes from their end.
fabric::~fabric() {
    destroy_backwards(m_fault_links);
    destroy_backwards(m_interfaces);
    destroy_backwards(m_routers);
    m_outage.reset();
}

void fabric::set_observer(uint32_t node, trace::observer* observer) {
    if (m_lt) {
        m_lt->node_router(node).set_observer(observer);
    } else {
        m_routers[node]->set_observer(observer);
    }
}

void fabric::settle(uint64_t now) {
    for (const auto& router : m_routers) {
        router->settle(now);
    }
}

void fabric::make_routers() {
    m_routers.reserve(m_topology.nodes);
    for (uint32_t node = 0; node < m_topology.nodes; ++node) {
        m_routers.push_back(
            std::make_unique<router>(sc_core::sc_module_name(m_topology.node_names[node]),
                                     m_topology, m_params, node, &m_shared));
    }
}

void fabric::make_interfaces() {
    m_interfaces.reserve(m_topology.first_die_port[m_topology.dies]);
    for (uint32_t die = 0; die < m_topology.dies; ++die) {
        for (uint32_t port = 0; port < chm_die_ports(&m_topology, die); ++port) {
            m_interfaces.push_back(std::make_unique<network_interface>(
                sc_core::sc_module_name(interface_name(m_topology, die, port).c_str()), m_topology,
                m_params, die, &m_shared, port));
        }
    }
}

void fabric::make_places() {
    const uint32_t* first = m_topology.first_die_port;
    const auto at = [this](uint32_t port) -> network_port& {
        return m_lt ? static_cast<network_port&>(m_lt->interface(port)) : *m_interfaces[port];
    };
    m_places.reserve(m_topology.dies);
    for (uint32_t die = 0; die < m_topology.dies; ++die) {
        if (first[die + 1] - first[die] == 1) {
            m_places.push_back(&at(first[die]));
            continue;
        }
        m_groups.push_back(std::make_unique<port_group>(m_intact, m_params.seed));
        for (uint32_t port = first[die]; port < first[die + 1]; ++port) {
            m_groups.back()->add(at(port));
        }
        m_places.push_back(m_groups.back().get());
    }
}

void fabric::make_fault_links() {
    m_fault_links.resize(m_topology.link_count);
    for (uint32_t id = 0; id < m_topology.link_count; ++id) {
        if (m_params.lossy() ||
            (m_outage != nullptr && m_outage->link_fails_at(id) != outage::never)) {
            m_fault_links[id] = std::make_unique<fault_link>(
                sc_core::sc_module_name(link_name(m_topology, id).c_str()), m_topology, m_params,
                id, m_outage.get());
        }
    }
}

void fabric::bind_links() {
    for (uint32_t id = 0; id < m_topology.link_count; ++id) {
        const chm_link& link = m_topology.links[id];
        link_initiator_socket& from = m_routers[link.from_node]->out[link.from_port];
        link_target_socket& to = m_routers[link.to_node]->in[link.to_port];
        if (m_fault_links[id] == nullptr) {
            from.bind(to);
        } else {
            from.bind(m_fault_links[id]->in);
            m_fault_links[id]->out.bind(to);
        }
    }
    for (const auto& interface : m_interfaces) {
        const uint32_t die = interface->die();
        router& node = *m_routers[m_topology.die_node[die]];
        interface->out.bind(node.in[chm_die_injection_port(&m_topology, die) + interface->port()]);
        node.out[chm_die_ejection_port(&m_topology, die) + interface->port()].bind(interface->in);
    }
}

uint64_t fabric::link_busy_cycles(uint32_t link) const {
    const chm_link& item = m_topology.links[link];
    if (m_lt) {
        return m_lt->node_router(item.from_node).busy_cycles(item.from_port);
    }
    const uint64_t again =
        m_fault_links[link] == nullptr ? 0 : m_fault_links[link]->core().statistics().replay_cycles;
    return m_routers[item.from_node]->core().busy_cycles(item.from_port) + again;
}

link_fault_statistics fabric::link_faults() const {
    link_fault_statistics all;
    for (const auto& link : m_fault_links) {
        if (link == nullptr) {
            continue;
        }
        const link_fault_statistics& one = link->core().statistics();
        all.dropped += one.dropped;
        all.corrupted += one.corrupted;
        all.replayed += one.replayed;
        all.replay_cycles += one.replay_cycles;
    }
    return all;
}

uint64_t fabric::in_flight() const {
    return m_shared.in_flight();
}

uint64_t fabric::movements() const {
    // The packets of a train are counted when it has gone; meanwhile they move all the time.
    const uint64_t now = sc_core::sc_time_stamp().value();
    return m_shared.grants + m_shared.statistics.injected_packets +
           m_shared.statistics.ejected_packets + m_shared.left_packets +
           (m_shared.trains_sending > 0 ? now : 0);
}

std::string fabric::describe_stuck(size_t limit) const {
    std::string text = describe_circle(m_topology, m_routers);
    size_t lines = 0;
    for (const auto& router : m_routers) {
        router->core().describe_stuck([&](const packet& item, const std::string& where) {
            if (lines++ < limit) {
                text += std::string(router->name()) + ": packet " + std::to_string(item.message) +
                        "." + std::to_string(item.index) + " from die " +
                        std::to_string(item.source) + " to die " +
                        std::to_string(item.destination) + " at " + where + "\n";
            }
        });
    }
    for (const auto& link : m_fault_links) {
        lines += link != nullptr && lines < limit && link->describe_stuck(text) ? 1 : 0;
    }
    for (const auto& interface : m_interfaces) {
        if (interface->holds_packet() && lines++ < limit) {
            interface->describe_stuck(text);
        }
    }
    if (lines > limit) {
        text += "and " + std::to_string(lines - limit) + " more\n";
    }
    return text;
}

bool fabric::idle() const {
    for (const auto& router : m_routers) {
        if (!router->core().empty()) {
            return false;
        }
    }
    for (const auto& link : m_fault_links) {
        if (link != nullptr && !link->core().empty()) {
            return false;
        }
    }
    for (const auto& interface : m_interfaces) {
        if (!interface->credits_complete()) {
            return false;
        }
    }
    return in_flight() == 0;
}

} // namespace chimera::fabric
