// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/golden/network/graph.h"

namespace chimera::test {

// Builds a chm_graph node by node.
class message_graph {
public:
    uint32_t send(uint32_t die, uint32_t destination, uint64_t bytes,
                  const std::vector<uint32_t>& after = {}) {
        return add({chm_graph_send, die, destination, bytes, 0}, after);
    }
    uint32_t compute(uint32_t die, uint64_t cycles, const std::vector<uint32_t>& after = {}) {
        return add({chm_graph_compute, die, 0, 0, cycles}, after);
    }

    // All of `dies` send `bytes` to all others, staggered.
    static message_graph all_to_all(uint32_t dies, uint64_t bytes, bool to_self = false) {
        message_graph graph;
        for (uint32_t die = 0; die < dies; ++die) {
            for (uint32_t i = to_self ? 0 : 1; i < dies; ++i) {
                graph.send(die, (die + i) % dies, bytes);
            }
        }
        return graph;
    }

    const chm_graph& get() {
        m_graph = {m_nodes.data(), static_cast<uint32_t>(m_nodes.size()), m_first.data(),
                   m_after.data(), nullptr};
        return m_graph;
    }

private:
    uint32_t add(const chm_graph_node& node, const std::vector<uint32_t>& after) {
        m_nodes.push_back(node);
        m_after.insert(m_after.end(), after.begin(), after.end());
        m_first.push_back(m_after.size());
        return static_cast<uint32_t>(m_nodes.size() - 1);
    }

    std::vector<chm_graph_node> m_nodes;
    std::vector<uint64_t> m_first{0};
    std::vector<uint32_t> m_after;
    chm_graph m_graph = {};
};

} // namespace chimera::test
