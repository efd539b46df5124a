// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "hw/dma/dma_run.h"
#include "hw/dma/graph_builder.h"
#include "hw/fabric/packet.h"
#include "hw/golden/network/topology.h"
#include "hw/memory/value_watcher.h"

namespace chimera::dma {

// Records a run of the machine as a message graph whose replay, on the same platform with the same
// seed, puts every packet on the network at the same cycle. Told by DMA, engine, host and array of
// all dies what happens, before they act on it; changes nothing.
//
// A node is a stretch of a message's packets that left the die one right behind the other. It waits
// for what its message waited for: the messages that brought its data, the destination's ready
// credit, what the host and the buffers waited for. Everything else that took time (adding, set-up,
// operations, host, engine) is a compute between the last of these and the cycle at which the
// message could go. From there on the FIFO of its port orders the stretches as the DMA's
// arbitration did, so a stretch also waits for what had become ready last of those that left before
// it.
class run_recorder : public memory::value_watcher {
public:
    explicit run_recorder(const chm_topology& topology);

    // Engine and DMA, of a run on a die.
    void issued(uint32_t die, uint32_t seq, uint64_t now);
    void opened(uint32_t die, const run_setup& setup, uint64_t now);
    void input_ready(uint32_t die, uint32_t seq, uint32_t value);
    void buffers_ready(uint32_t die, uint32_t seq, uint64_t now);
    void operation_begins(uint32_t die, uint32_t seq, uint32_t index,
                          const chm_operation& operation);
    void operation_done(uint32_t die, uint32_t seq, uint32_t index, uint64_t now);
    void credited(uint32_t die, uint32_t seq, uint32_t from, const fabric::packet_tag& tag);
    void applied(uint32_t die, uint32_t seq, uint32_t incoming, uint64_t now);
    void sent(uint32_t die, uint32_t seq, uint32_t outgoing);
    void delivered(uint32_t die, uint32_t seq, uint64_t now);
    void brought(uint32_t die, uint32_t seq, uint32_t value);
    void finished(uint32_t die, uint32_t seq);

    void computed(uint32_t die, const chm_operation& operation, uint64_t now) override;
    void host_waited(uint32_t die, const chm_operation& operation) override;

    // Messages and their packets. A posted message can go at `ready`.
    void posted(uint32_t die, uint32_t outgoing, uint32_t destination,
                const fabric::packet_tag& tag, uint64_t ready);
    void credit_posted(uint32_t die, uint32_t destination, const fabric::packet_tag& tag,
                       uint64_t ready);
    void pulled(const fabric::packet& item, uint32_t port, uint64_t now);
    void nothing_to_pull(uint32_t die, uint32_t port) { m_dies[die].ports[port].unbroken = false; }
    void arrived(const fabric::packet& item, uint64_t now);

    // Once the run has ended, after which nothing is recorded: the graph, null if it does not hold
    // together (a fault of the model).
    const chm_graph* finish();
    // Cycle at which a node of it arrived or ended.
    uint64_t end(uint32_t node) const { return m_graph.end(node); }

private:
    using message_key = std::array<uint64_t, 3>; // source and destination, seq, chunk
    struct message {
        cause after; // usable at `ready`
        uint64_t ready = 0;
        std::vector<std::pair<uint32_t, uint32_t>> stretches; // first packet, node
    };
    struct recorded_run {
        const die_program* program = nullptr;
        uint64_t issued = 0, opened = 0;
        cause issue, all; // all: what has arrived and been done
        std::vector<cause> in, out, operations;
        std::map<uint32_t, cause> credits; // [die they came from]
        std::vector<cause> left;           // [outgoing] what it left after
    };
    // The stretch that is leaving, and what had become ready last.
    struct port_state {
        bool unbroken = false;
        uint32_t stretch = 0, next_index = 0, last_destination = 0;
        fabric::packet_tag last_tag;
        cause latest;
        uint64_t latest_ready = 0;
    };
    struct die_state {
        std::map<uint32_t, recorded_run> runs; // [seq]
        std::map<uint32_t, cause> values;      // [value] what brought it
        cause host, array; // what the host, and the array's last compute, waited for
        cause freed;       // what last ended its uses of buffers and staging
        std::vector<port_state> ports;
        // The end of its work.
        cause completion;
        uint64_t completed = 0;
    };

    static message_key key_of(uint32_t source, uint32_t destination, const fabric::packet_tag& tag);
    recorded_run& run_of(uint32_t die, uint32_t seq) { return m_dies[die].runs[seq]; }
    void post(uint32_t die, uint32_t destination, const fabric::packet_tag& tag, const cause& after,
              uint64_t ready);
    void begin_stretch(const fabric::packet& item, port_state& port, uint64_t now);
    cause take_arrived(const message_key& key, uint32_t die);
    void complete(uint32_t die, const cause& after, uint64_t now);

    graph_builder m_graph;
    const chm_graph* m_finished = nullptr;
    bool m_random_routes;
    std::vector<die_state> m_dies;
    std::map<message_key, message> m_messages;
};

} // namespace chimera::dma
