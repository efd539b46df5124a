// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <gtest/gtest.h>

#include "tests/support/built_topology.h"
#include "tests/support/fabric_run.h"
#include "tests/support/message_graph.h"

using chimera::test::built_topology;
using chimera::test::fabric_run;
using chimera::test::message_graph;

namespace {

// Long messages that have the network for themselves (trains) and others that cross them, with
// dependencies.
message_graph traffic(uint32_t dies) {
    message_graph graph;
    for (uint32_t die = 0; die < dies; ++die) {
        const uint32_t first = graph.send(die, (die + 1) % dies, 40000);
        const uint32_t work = graph.compute(die, 50 * die, {first});
        graph.send(die, (die + dies / 2 + 1) % dies, 3000 + 500 * die, {work});
    }
    return graph;
}

std::vector<uint64_t> times(const fabric_run& run, uint32_t nodes) {
    std::vector<uint64_t> result;
    for (uint32_t node = 0; node < nodes; ++node) {
        result.push_back(const_cast<fabric_run&>(run).player().done_at(node));
    }
    return result;
}

// Eight replays that go on in steps of their own, in turn: two topologies, both fidelities, trains
// on and off. Every message arrives when it does in a replay that is alone, and trains change none.
TEST(fabric_interleaved, replays_run_as_they_run_alone) {
    built_topology mesh = built_topology::mesh({4, 3});
    built_topology torus = built_topology::torus({4, 4});
    const chm_topology* const topologies[] = {&*mesh, &*torus};
    std::vector<std::unique_ptr<fabric_run>> together;
    std::vector<std::vector<uint64_t>> alone;
    std::vector<message_graph> graphs;
    for (const chm_topology* topology : topologies) {
        graphs.push_back(traffic(topology->dies));
    }
    for (size_t t = 0; t < 2; ++t) {
        for (chm_fidelity fidelity : {chm_fidelity_at, chm_fidelity_lt}) {
            for (bool trains : {true, false}) {
                chimera::fabric::fabric_params params;
                params.fidelity = fidelity;
                params.trains = trains;
                const chm_graph& graph = graphs[t].get();
                fabric_run single(*topologies[t], params, graph);
                const auto result = single.run();
                ASSERT_EQ(result.status, chm_ok) << result.text;
                alone.push_back(times(single, graph.node_count));
                together.push_back(std::make_unique<fabric_run>(*topologies[t], params, graph));
            }
        }
    }
    for (size_t i = 0; i < alone.size(); i += 2) {
        EXPECT_EQ(alone[i], alone[i + 1]) << "trains change times";
    }
    size_t running = together.size();
    for (uint64_t round = 1; running != 0 && round < 1000; ++round) {
        running = 0;
        for (size_t i = 0; i < together.size(); ++i) {
            const auto result = together[i]->run(round * (20011 + 3000 * i));
            ASSERT_EQ(result.status, chm_ok) << result.text;
            EXPECT_TRUE(round > 2 || !together[i]->finished());
            running += !together[i]->finished();
        }
    }
    EXPECT_EQ(running, 0u);
    for (size_t i = 0; i < together.size(); ++i) {
        EXPECT_EQ(times(*together[i], static_cast<uint32_t>(alone[i].size())), alone[i]) << i;
    }
}

} // namespace
