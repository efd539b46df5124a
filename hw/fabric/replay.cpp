// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/replay.h"

#include <algorithm>

#include "hw/base/checked.h"

namespace chimera::fabric {

// The injection FIFO of one die: cuts messages into packets of at most mtu_bytes as they are
// pulled.
class replay::die_client : public network_client {
public:
    die_client(replay& owner, uint32_t die) : m_owner(owner), m_die(die) {}

    void queue(uint32_t node) { m_queue.push(node); }

    packet* next_packet(uint64_t) override {
        if (m_queue.empty()) {
            return nullptr;
        }
        const uint32_t node = m_queue.front();
        const chm_graph_node& message = m_owner.m_graph.nodes[node];
        packet* item = m_owner.m_network.packets().take();
        const uint64_t mtu = m_owner.m_network.topology().mtu_bytes;
        item->source = m_die;
        item->destination = message.destination;
        item->message = m_owner.message_of(node);
        item->tag.chunk = node;
        item->index = m_index++;
        item->payload_bytes = static_cast<uint32_t>(std::min(mtu, message.bytes - m_offset));
        item->train = train_of((message.bytes - m_offset) / mtu);
        m_index += item->train - 1;
        m_offset += uint64_t(item->train) * item->payload_bytes;
        if (m_offset == message.bytes) {
            item->last = true;
            m_queue.pop();
            m_offset = 0;
            m_index = 0;
        }
        return item;
    }

    void packet_arrived(packet* item, uint64_t now) override {
        const auto node = static_cast<uint32_t>(item->tag.chunk);
        const uint32_t packets = item->train;
        m_owner.m_network.packets().give(item);
        m_owner.arrived(node, packets, now);
    }

    bool takes_chunks() const override { return true; }

    bool next_chunk(uint64_t, const chunk_limit& limit, chunk& item) override {
        if (m_queue.empty()) {
            return false;
        }
        const uint32_t node = m_queue.front();
        const chm_graph_node& message = m_owner.m_graph.nodes[node];
        const uint64_t mtu = m_owner.m_network.topology().mtu_bytes;
        const uint64_t left =
            std::max<uint64_t>(1, chm_ceil_div_u64(message.bytes - m_offset, mtu));
        item.packets = static_cast<uint32_t>(std::min(left, limit.packets(m_index)));
        item.source = m_die;
        item.destination = message.destination;
        item.message = m_owner.message_of(node);
        item.tag = node;
        item.index = m_index;
        item.last = item.packets == left;
        item.payload_bytes = std::min(item.packets * mtu, message.bytes - m_offset);
        m_offset += item.payload_bytes;
        m_index += item.packets;
        if (item.last) {
            m_queue.pop();
            m_offset = 0;
            m_index = 0;
        }
        return true;
    }

    void chunk_arrived(const chunk& item, uint64_t now) override {
        m_owner.arrived(item.tag, item.packets, now);
    }

private:
    // Packets to hand over as one, of so many full ones. Few are no train, but are sent ahead.
    uint32_t train_of(uint64_t full) const {
        return full > 1 && m_owner.m_network.trains()
                   ? static_cast<uint32_t>(std::min<uint64_t>(full, UINT32_MAX))
                   : 1;
    }

    replay& m_owner;
    uint32_t m_die;
    ring_queue<uint32_t> m_queue;
    uint64_t m_offset = 0; // bytes of the front message already cut
    uint32_t m_index = 0;
};

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
    m_nodes[node].packets = std::max<uint64_t>(1, chm_ceil_div_u64(item.bytes, mtu));
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

namespace {

std::string graph_faults(const chm_topology& topology, const chm_graph& graph) {
    for (uint32_t node = 0; node < graph.node_count; ++node) {
        const chm_graph_node& item = graph.nodes[node];
        if (item.die >= topology.dies ||
            (item.kind == chm_graph_send && item.destination >= topology.dies)) {
            return "node " + std::to_string(node) + ": die " +
                   std::to_string(item.die >= topology.dies ? item.die : item.destination) +
                   " is not on the platform; allowed are 0 .. " +
                   std::to_string(topology.dies - 1) + "\n";
        }
    }
    return "";
}

} // namespace

replay_result run_replay(const chm_topology& topology, const fabric_params& params,
                         const chm_graph& graph) {
    replay_result result;
    result.text = graph_faults(topology, graph);
    params.validate(result.text);
    if (!result.text.empty()) {
        result.status = chm_bad_argument;
        return result;
    }
    kernel::context context;
    kernel::context::entry inside(context);
    replay* player = nullptr;
    fabric* network = nullptr;
    kernel::run_result run = context.build([&] {
        network = &context.own(std::make_unique<fabric>("fabric", topology, params));
        player = &context.own(std::make_unique<replay>("replay", *network, graph));
    });
    if (run.status == chm_ok) {
        run = run_watched(context, *network, *player);
    }
    if (run.status == chm_ok) {
        return player->result();
    }
    result.status = run.status;
    result.text = run.text;
    return result;
}

} // namespace chimera::fabric
