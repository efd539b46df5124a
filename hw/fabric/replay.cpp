// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/replay.h"

#include <algorithm>

#include "hw/base/checked.h"
#include "hw/fabric/replay_client.h"
#include "hw/fabric/train.h"

namespace chimera::fabric {

replay::replay(const sc_core::sc_module_name& name, fabric& network, const chm_graph& graph)
    : sc_core::sc_module(name), m_network(network), m_graph(graph),
      m_wakeup("wakeup", network.clock_khz()), m_nodes(graph.node_count),
      m_unfinished(graph.node_count) {
    for (uint32_t die = 0; die < network.topology().dies; ++die) {
        m_clients.push_back(std::make_unique<die_client>(*this, die));
        network.interface(die).set_client(m_clients.back().get());
    }
    index_dependents();
    SC_METHOD(activate);
    sensitive << m_wakeup.event();
    dont_initialize();
    if (!m_first.empty()) {
        m_wakeup.at(0);
    }
}

replay::~replay() = default;

void replay::set_observer(uint32_t die, trace::observer* observer) {
    m_clients[die]->set_observer(observer);
    m_observed = m_observed || observer != nullptr;
}

void replay::index_dependents() {
    m_first_dependent.assign(m_graph.node_count + 1, 0);
    for (uint32_t node = 0; node < m_graph.node_count; ++node) {
        for (uint64_t i = m_graph.first_after[node]; i < m_graph.first_after[node + 1]; ++i) {
            ++m_first_dependent[m_graph.after[i] + 1];
            ++m_nodes[node].waits;
        }
        if (m_nodes[node].waits == 0) {
            m_first.push_back(node);
        }
    }
    for (uint32_t node = 0; node < m_graph.node_count; ++node) {
        m_first_dependent[node + 1] += m_first_dependent[node];
    }
    m_dependents.resize(m_first_dependent[m_graph.node_count]);
    std::vector<uint64_t> next(m_first_dependent.begin(), m_first_dependent.end() - 1);
    for (uint32_t node = 0; node < m_graph.node_count; ++node) {
        for (uint64_t i = m_graph.first_after[node]; i < m_graph.first_after[node + 1]; ++i) {
            m_dependents[next[m_graph.after[i]]++] = node;
        }
    }
}

void replay::activate() {
    const uint64_t now = m_wakeup.fired();
    for (uint32_t node : m_first) {
        begin(node, now);
    }
    m_first = {};
    while (!m_starts.empty() && m_starts.top().first <= now) {
        const uint32_t node = m_starts.top().second;
        m_starts.pop();
        begin(node, now);
    }
    if (!m_starts.empty()) {
        m_wakeup.at(m_starts.top().first);
    }
}

void replay::begin(uint32_t node, uint64_t now) {
    const chm_graph_node& item = m_graph.nodes[node];
    m_nodes[node].issued = now;
    if (item.kind == chm_graph_compute) {
        m_last = std::max(m_last, now);
        complete(node, now + item.cycles);
        return;
    }
    const uint64_t mtu = m_network.topology().mtu_bytes;
    const uint64_t packets = std::max<uint64_t>(1, chm_ceil_div_u64(item.bytes, mtu));
    m_nodes[node].packets = packets;
    const bool counted = packets < shortest_train || m_network.loosely_timed() != nullptr;
    m_nodes[node].coming = counted ? static_cast<uint32_t>(packets) : 0;
    m_clients[item.die]->queue(node);
    m_network.interface(item.die).wake(now);
}

// Ids below 2^32 are numbers of messages; the low half of others is what the random way of the
// first packet is hashed of, so that parts of one message can be nodes of their own.
uint64_t replay::message_of(uint32_t node) const {
    const uint64_t id = m_graph.ids != nullptr ? m_graph.ids[node] : node;
    return id <= UINT32_MAX ? id << 32 : id & UINT32_MAX;
}

void replay::arrived(uint32_t node, uint32_t packets, uint64_t now) {
    m_last = std::max(m_last, now);
    if ((m_nodes[node].packets -= packets) == 0) {
        complete(node, now);
    }
}

void replay::complete(uint32_t node, uint64_t cycle) {
    m_nodes[node].done = cycle;
    --m_unfinished;
    for (uint64_t i = m_first_dependent[node]; i < m_first_dependent[node + 1]; ++i) {
        const uint32_t dependent = m_dependents[i];
        node_state& state = m_nodes[dependent];
        state.done = std::max(state.done, cycle);
        if (--state.waits == 0) {
            m_starts.push({state.done + 1, dependent});
            m_wakeup.at(state.done + 1);
        }
    }
}

void replay::describe_unfinished(std::string& text) const {
    size_t lines = 0;
    for (uint32_t node = 0; node < m_graph.node_count && lines < 16; ++node) {
        const node_state& state = m_nodes[node];
        if (state.waits > 0) {
            text += "node " + std::to_string(node) + " waits for " + std::to_string(state.waits) +
                    " others\n";
            ++lines;
        } else if (state.packets > 0) {
            text += "message " + std::to_string(node) + " lacks " + std::to_string(state.packets) +
                    " packets\n";
            ++lines;
        }
    }
}

replay_result replay::result() const {
    replay_result result;
    const fabric_statistics statistics = m_network.statistics();
    result.cycles = m_graph.node_count > 0 ? m_last + 1 : 0;
    result.packet_hops = statistics.packet_hops;
    result.byte_hops = statistics.byte_hops;
    result.packets = statistics.ejected_packets;
    result.payload_bytes = statistics.injected_payload_bytes;
    result.activations = statistics.activations;
    result.links = m_network.link_faults();
    result.returned =
        m_network.failures() == nullptr ? 0 : m_network.failures()->statistics().returned;
    double sum = 0;
    for (uint32_t node = 0; node < m_graph.node_count; ++node) {
        const node_state& state = m_nodes[node];
        if (m_graph.nodes[node].kind != chm_graph_send) {
            continue;
        }
        const uint64_t latency = state.done - state.issued;
        result.latency_min = result.messages == 0 ? latency : std::min(result.latency_min, latency);
        result.latency_max = std::max(result.latency_max, latency);
        sum += static_cast<double>(latency);
        ++result.messages;
    }
    result.latency_mean = result.messages > 0 ? sum / static_cast<double>(result.messages) : 0;
    return result;
}

} // namespace chimera::fabric
