// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "hw/golden/network/topology.h"

namespace chimera::test {

// Deadlock freedom (Dally and Seitz): a packet that holds channel (link, class) waits for the next
// one on its way. If no cycle of such waits exists over all pairs and choices, and ejection never
// blocks, nothing can lock.
class dependency_graph {
public:
    explicit dependency_graph(const chm_topology& t)
        : m_next(static_cast<size_t>(t.link_count) * t.vc_classes) {
        for (uint32_t s = 0; s < t.dies; ++s) {
            for (uint32_t d = 0; d < t.dies; ++d) {
                for (uint64_t random = 0; random < 1u << t.random_bits; ++random) {
                    add(t, {s, d, random});
                }
            }
        }
    }

    bool acyclic() const {
        std::vector<int> waits_for(m_next.size());
        for (const auto& next : m_next) {
            for (uint32_t channel : next) {
                waits_for[channel]++;
            }
        }
        std::vector<uint32_t> free;
        for (uint32_t channel = 0; channel < m_next.size(); ++channel) {
            if (waits_for[channel] == 0) {
                free.push_back(channel);
            }
        }
        size_t removed = 0;
        while (!free.empty()) {
            uint32_t channel = free.back();
            free.pop_back();
            removed++;
            for (uint32_t next : m_next[channel]) {
                if (--waits_for[next] == 0) {
                    free.push_back(next);
                }
            }
        }
        return removed == m_next.size();
    }

private:
    void add(const chm_topology& t, const chm_route_key& key) {
        uint32_t held = UINT32_MAX;
        uint32_t node = t.die_node[key.source];
        for (;;) {
            chm_hop hop = t.route(&t, node, &key);
            uint32_t link = chm_node_output_link(&t, node, hop.port);
            if (link == UINT32_MAX) {
                return;
            }
            uint32_t wanted = link * t.vc_classes + hop.vc_class;
            if (held != UINT32_MAX) {
                m_next[held].insert(wanted);
            }
            held = wanted;
            node = t.links[link].to_node;
        }
    }

    std::vector<std::set<uint32_t>> m_next;
};

} // namespace chimera::test
