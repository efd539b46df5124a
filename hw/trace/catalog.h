// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "hw/golden/fusion/workload.h"
#include "hw/golden/network/topology.h"

namespace chimera::trace {

// The machine that is looked at. What is pointed to must outlive whoever has a copy.
struct machine_shape {
    const chm_topology* topology = nullptr;
    const chm_workload* workload = nullptr; // null: a replay, whose dies have no engine
    uint64_t clock_khz = 1000000;
    uint32_t dma_channels = 1;

    // "all_reduce", "" where it has none.
    std::string operation_name(uint32_t seq) const;
};

// How a signal's value is to be read.
enum class meaning : uint8_t {
    flag,
    number,
    engine_state,
    host_state,
    channel_state,
    operation, // seq in the program; this and what follows may be none
    die,
    identifier
};

struct signal {
    uint32_t scope;
    std::string name;
    meaning read_as;
    uint32_t bits;
};

// Signals of one die, in their order; those of its DMA's channels follow.
enum die_signal : uint32_t {
    engine_state_signal,
    window_signal,
    in_flight_signal,
    runs_signal,
    oldest_run_signal,
    fused_signal,
    eliminated_signal,
    gating_signal,
    gating_operation_signal,
    host_state_signal,
    host_operation_signal,
    compute_signal,
    compute_operation_signal,
    first_dma_signal
};
enum dma_signal : uint32_t { arrived_packets_signal, first_channel_signal };
enum channel_signal : uint32_t {
    channel_state_signal,
    channel_destination_signal,
    channel_operation_signal,
    channel_transfer_signal,
    channel_signals
};
enum link_signal : uint32_t {
    busy_signal,
    link_source_signal,
    link_destination_signal,
    link_operation_signal,
    link_signals
};

// Every signal of a machine by its dotted name: what there is to select, and what a value change
// dump can show. Names have only [A-Za-z0-9_]; what else a platform's names have becomes _.
class catalog {
public:
    explicit catalog(const machine_shape& shape);

    const machine_shape& shape() const { return m_shape; }
    const std::vector<std::string>& scopes() const { return m_scopes; }
    const std::vector<signal>& signals() const { return m_signals; } // by scope, in order
    std::string path(const signal& item) const { return m_scopes[item.scope] + "." + item.name; }
    // A scope, or what a scope is below.
    bool knows(const std::string& path) const;

    const std::string& die_scope(uint32_t die) const { return m_die_scopes[die]; }
    const std::string& node_scope(uint32_t node) const { return m_node_scopes[node]; }

    // What an output port leads to: a node, or a die.
    const std::string& behind_output(uint32_t node, uint32_t port) const;

    // Places in signals(). Those of an engine and a program are not there in a replay.
    uint32_t of_die(uint32_t die, die_signal which) const { return m_first_of_die[die] + which; }
    uint32_t of_dma(uint32_t die, uint32_t which) const {
        return m_first_of_die[die] +
               (m_shape.workload != nullptr ? uint32_t{first_dma_signal} : 0) + which;
    }
    uint32_t of_channel(uint32_t die, uint32_t channel, channel_signal which) const {
        return of_dma(die, first_channel_signal + channel * channel_signals + which);
    }
    uint32_t of_link(uint32_t node, uint32_t out_port, link_signal which) const {
        return m_first_of_node[node] + out_port * link_signals + which;
    }
    // Flits in an input channel of a router.
    uint32_t of_buffer(uint32_t node, uint32_t in_port, uint32_t vc) const {
        return of_link(node, chm_node_outputs(m_shape.topology, node), busy_signal) +
               in_port * m_shape.topology->vcs + vc;
    }

private:
    uint32_t add_scope(const std::string& path);
    void add(uint32_t scope, const char* name, meaning read_as, uint32_t bits);
    void add_die(uint32_t die);
    void add_node(uint32_t node);
    std::string unique(const std::string& path);

    machine_shape m_shape;
    std::vector<std::string> m_scopes, m_die_scopes, m_node_scopes;
    std::set<std::string> m_taken;
    std::vector<signal> m_signals;
    std::vector<uint32_t> m_first_of_die, m_first_of_node;
};

} // namespace chimera::trace
