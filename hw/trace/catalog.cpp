// SPDX-License-Identifier: Apache-2.0
#include "hw/trace/catalog.h"

#include <algorithm>

#include "hw/trace/selection.h"

namespace chimera::trace {

namespace {

constexpr uint32_t state_bits = 4, number_bits = 32;

std::string valid(const std::string& name) {
    std::string made = name;
    for (char& c : made) {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        c = plain ? c : '_';
    }
    return made.empty() ? "_" : made;
}

} // namespace

std::string machine_shape::operation_name(uint32_t seq) const {
    if (workload == nullptr || seq >= workload->operation_count ||
        workload->operations[seq].name == nullptr) {
        return "";
    }
    return workload->operations[seq].name;
}

catalog::catalog(const machine_shape& shape) : m_shape(shape) {
    // The names of all dies and nodes first: those of links are made of them.
    for (uint32_t die = 0; die < shape.topology->dies; ++die) {
        m_die_scopes.push_back(unique(valid(shape.topology->die_names[die])));
    }
    for (uint32_t node = 0; node < shape.topology->nodes; ++node) {
        m_node_scopes.push_back(unique(valid(shape.topology->node_names[node])));
    }
    for (uint32_t die = 0; die < shape.topology->dies; ++die) {
        add_die(die);
    }
    for (uint32_t node = 0; node < shape.topology->nodes; ++node) {
        add_node(node);
    }
}

// Parallel links lead to the same place: they are numbered.
std::string catalog::unique(const std::string& path) {
    std::string made = path;
    for (uint32_t i = 2; !m_taken.insert(made).second; ++i) {
        made = path + "_" + std::to_string(i);
    }
    return made;
}

uint32_t catalog::add_scope(const std::string& path) {
    m_scopes.push_back(unique(path));
    return static_cast<uint32_t>(m_scopes.size() - 1);
}

void catalog::add(uint32_t scope, const char* name, meaning read_as, uint32_t bits) {
    m_signals.push_back({scope, name, read_as, bits});
}

void catalog::add_die(uint32_t die) {
    m_first_of_die.push_back(static_cast<uint32_t>(m_signals.size()));
    const std::string& name = m_die_scopes[die];
    if (m_shape.workload != nullptr) {
        const uint32_t engine = add_scope(name + ".engine");
        add(engine, "state", meaning::engine_state, state_bits);
        add(engine, "window", meaning::number, number_bits);
        add(engine, "in_flight", meaning::number, number_bits);
        add(engine, "runs", meaning::number, number_bits);
        add(engine, "oldest_run", meaning::operation, number_bits);
        add(engine, "fused", meaning::number, number_bits);
        add(engine, "eliminated", meaning::number, number_bits);
        add(engine, "gating", meaning::flag, 1);
        add(engine, "gating_operation", meaning::operation, number_bits);
        const uint32_t program = add_scope(name + ".program");
        add(program, "host", meaning::host_state, state_bits);
        add(program, "host_operation", meaning::operation, number_bits);
        add(program, "compute", meaning::flag, 1);
        add(program, "compute_operation", meaning::operation, number_bits);
    }
    const uint32_t dma = add_scope(name + ".dma");
    add(dma, "arrived_packets", meaning::number, number_bits);
    for (uint32_t i = 0; i < m_shape.dma_channels; ++i) {
        const std::string channel = "channel_" + std::to_string(i);
        add(dma, channel.c_str(), meaning::channel_state, state_bits);
        add(dma, (channel + "_destination").c_str(), meaning::die, number_bits);
        add(dma, (channel + "_operation").c_str(), meaning::operation, number_bits);
        add(dma, (channel + "_transfer").c_str(), meaning::identifier, number_bits);
    }
}

void catalog::add_node(uint32_t node) {
    const chm_topology& topology = *m_shape.topology;
    const std::string& name = m_node_scopes[node];
    m_first_of_node.push_back(static_cast<uint32_t>(m_signals.size()));
    for (uint32_t port = 0; port < chm_node_outputs(&topology, node); ++port) {
        const uint32_t scope = add_scope(name + ".to_" + behind_output(node, port));
        add(scope, "busy", meaning::flag, 1);
        add(scope, "source", meaning::die, number_bits);
        add(scope, "destination", meaning::die, number_bits);
        add(scope, "operation", meaning::operation, number_bits);
    }
    const uint32_t first_in = topology.first_in_link[node];
    const uint32_t links_in = topology.first_in_link[node + 1] - first_in;
    for (uint32_t port = 0; port < chm_node_inputs(&topology, node); ++port) {
        const std::string& from =
            port < links_in
                ? m_node_scopes[topology.links[topology.in_links[first_in + port]].from_node]
                : m_die_scopes[chm_node_port_die(&topology, node, port - links_in)];
        const uint32_t scope = add_scope(name + ".from_" + from);
        for (uint32_t vc = 0; vc < topology.vcs; ++vc) {
            add(scope, ("vc_" + std::to_string(vc) + "_flits").c_str(), meaning::number,
                number_bits);
        }
    }
}

const std::string& catalog::behind_output(uint32_t node, uint32_t port) const {
    const chm_topology& topology = *m_shape.topology;
    const uint32_t link = chm_node_output_link(&topology, node, port);
    if (link != UINT32_MAX) {
        return m_node_scopes[topology.links[link].to_node];
    }
    const uint32_t links_out = chm_node_outputs(&topology, node) - topology.node_port_count[node];
    return m_die_scopes[chm_node_port_die(&topology, node, port - links_out)];
}

bool catalog::knows(const std::string& path) const {
    selection one;
    one.scopes.push_back(path);
    return std::any_of(m_scopes.begin(), m_scopes.end(),
                       [&](const std::string& scope) { return one.selects(scope); });
}

} // namespace chimera::trace
