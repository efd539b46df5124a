// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/golden/network/graph.h"

namespace chimera::dma {

// What something has waited for: nodes of a graph_builder, ascending.
using cause = std::vector<uint32_t>;

// Makes a message graph of what happens in a run, with the times at which it happened. Plain
// object.
//
// A cause is *usable at* cycle t if its last node has arrived or ended at t - 1: what waits for it
// then starts at t (graph.h). A compute without messages of its own fills what is missing.
class graph_builder {
public:
    // A send that `die` issues at `issue`, at which `after` must be usable; bytes come with
    // extend(). `route` is what its first packet's random way is hashed of.
    uint32_t send(uint32_t die, uint32_t destination, const cause& after, uint64_t issue,
                  uint32_t route);
    void extend(uint32_t node, uint64_t bytes) { m_nodes[node].bytes += bytes; }
    // A packet of a send has arrived; the last one counts.
    void arrived(uint32_t node, uint64_t now);

    // A compute of `die` after `after` that ends at `end`.
    uint32_t compute(uint32_t die, const cause& after, uint64_t end);

    // `what`, made usable at cycle t and not before.
    cause usable_at(uint32_t die, const cause& what, uint64_t t);

    // Adds what `other` waited for. Long ones are joined by a compute of no cycles where that
    // changes no time.
    void unite(uint32_t die, cause& what, const cause& other);

    // The work that waited for `what` is over at cycle t. Since the result of a replay is its last
    // arrival or compute *start*, plus 1, a compute may have to be added for that.
    void conclude(uint32_t die, const cause& what, uint64_t t);

    uint64_t ends(const cause& what) const; // the cycle of its last node; 0 if it has none

    // False if a cause was not over when it was used: a fault of the model.
    bool causal() const { return m_causal; }

    // The graph in order of issue; ids ascend with it. With `random_routes` an id's low half is
    // what routes are hashed of. It lives as long as the builder, and nothing is added after it.
    const chm_graph& finish(bool random_routes);

    // Of a node of the finished graph: the cycle at which it arrived or ended.
    uint64_t end(uint32_t id) const { return m_ends[id]; }

private:
    struct event {
        uint64_t issue = 0, end = 0;
        uint64_t bytes = 0; // or cycles
        uint64_t first_after = 0;
        uint32_t after_count = 0;
        uint32_t die = 0, destination = 0;
        uint32_t route = 0;
        bool sends = false;
    };

    uint32_t add(const event& item, const cause& after);
    void join(uint32_t die, cause& what);

    std::vector<event> m_nodes;
    std::vector<uint32_t> m_after;
    bool m_causal = true;

    chm_graph m_graph = {};
    std::vector<chm_graph_node> m_items;
    std::vector<uint64_t> m_first, m_ids, m_ends;
    std::vector<uint32_t> m_sorted_after;
};

} // namespace chimera::dma
