// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include <systemc>

#include "hw/fabric/fabric.h"
#include "hw/fabric/watchdog.h"
#include "hw/golden/network/graph.h"
#include "hw/kernel/wakeup.h"
#include "hw/trace/tracer.h"

namespace chimera::fabric {

struct replay_result {
    chm_status status = chm_ok;
    std::string text;         // of a failure
    uint64_t cycles = 0;      // last arrival or compute start, plus 1
    uint64_t packet_hops = 0; // links between routers passed, summed over packets
    uint64_t byte_hops = 0;   // payload bytes times such links
    uint64_t messages = 0, packets = 0, payload_bytes = 0;
    uint64_t latency_min = 0, latency_max = 0; // cycles from issue to arrival of a message
    double latency_mean = 0;
    uint64_t activations = 0; // kernel events of the fabric's modules
    uint64_t trace_late = 0;  // told to a trace too late for its place: 0, or a fault
    link_fault_statistics links;
    uint64_t returned = 0; // packets that a failure cut off and that were sent again
};

// Executes a message graph straight through the network interfaces: no DMA, no reservation, one
// injection FIFO per port of a die. A send is issued, and a compute starts, one cycle after the
// last of what it waits for (at cycle 0 if that is nothing); a compute lasts `cycles` and occupies
// nothing. Sends that are issued together enter the FIFO in order of their index. Dependencies are
// tracked for the whole graph, not per die, so that barriers without messages work.
class replay : public sc_core::sc_module, public watched_work {
public:
    SC_HAS_PROCESS(replay);

    // Becomes the client of every interface of `network`. Both must outlive the module; every die
    // of the graph must exist.
    replay(const sc_core::sc_module_name& name, fabric& network, const chm_graph& graph);
    ~replay() override;

    // Who is told of a die's messages; null: nobody. The observed send no trains.
    void set_observer(uint32_t die, trace::observer* observer);

    replay_result result() const;
    // Cycle a node arrived (send) or ended (compute); valid when finished.
    uint64_t done_at(uint32_t node) const { return m_nodes[node].done; }

    bool finished() const override { return m_unfinished == 0; }
    bool timed_work_pending() const override { return !m_starts.empty() || !m_first.empty(); }
    void describe_unfinished(std::string& text) const override;

private:
    class die_client;
    struct node_state {
        uint64_t issued = 0;  // cycle it is issued or starts
        uint64_t done = 0;    // latest of what it waits for, then its own end
        uint64_t packets = 0; // not yet arrived
        uint32_t waits = 0;   // for so many nodes
        uint32_t coming = 0;  // packets not announced yet, if too few for a train or in chunks
    };
    using start = std::pair<uint64_t, uint32_t>; // cycle, node

    void index_dependents();
    void activate();
    void begin(uint32_t node, uint64_t now);
    void complete(uint32_t node, uint64_t cycle);
    uint64_t message_of(uint32_t node) const;
    bool is_awaited(uint32_t node) const {
        return m_observed || m_first_dependent[node] != m_first_dependent[node + 1];
    }
    void arrived(uint32_t node, uint32_t packets, uint64_t now);

    fabric& m_network;
    const chm_graph& m_graph;
    kernel::wakeup m_wakeup;
    std::vector<std::unique_ptr<die_client>> m_clients;
    std::vector<node_state> m_nodes;
    std::vector<uint64_t> m_first_dependent; // [nodes + 1]
    std::vector<uint32_t> m_dependents;
    std::vector<uint32_t> m_first; // nodes that wait for nothing, until cycle 0 has come
    std::priority_queue<start, std::vector<start>, std::greater<>> m_starts;
    bool m_observed = false; // by anyone
    uint64_t m_unfinished;
    uint64_t m_last = 0; // last arrival or compute start
};

// A whole replay in a context of its own. Dies out of range give chm_bad_argument, a graph that
// cannot finish chm_deadlock; text says what is wrong. Takes the process-wide kernel lock. `traced`
// says what to write meanwhile, if it is not null; faults as tracer::start has them.
replay_result run_replay(const chm_topology& topology, const fabric_params& params,
                         const chm_graph& graph, const trace::trace_request* traced = nullptr);

} // namespace chimera::fabric
