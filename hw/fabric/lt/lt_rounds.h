// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace chimera::fabric {

// Which nodes have asked for a turn in which cycle: a set of nodes per cycle, read in ascending
// order. Few cycles are pending at a time; sets are used again.
class lt_rounds {
public:
    bool empty() const { return m_rounds.empty(); }
    uint64_t next() const { return m_rounds.back().cycle; }

    void add(uint64_t cycle, uint32_t node) {
        auto at = m_rounds.end();
        while (at != m_rounds.begin() && (at - 1)->cycle < cycle) {
            --at;
        }
        if (at == m_rounds.begin() || (at - 1)->cycle != cycle) {
            at = m_rounds.insert(at, {cycle, fresh()}) + 1;
        }
        std::vector<uint64_t>& nodes = (at - 1)->nodes;
        if (node / 64 >= nodes.size()) {
            nodes.resize(node / 64 + 1);
        }
        nodes[node / 64] |= uint64_t(1) << node % 64;
    }

    // Calls `visit` for the nodes of the next cycle and forgets them.
    template<typename visitor> void take(const visitor& visit) {
        std::vector<uint64_t> nodes = std::move(m_rounds.back().nodes);
        m_rounds.pop_back();
        for (size_t word = 0; word < nodes.size(); ++word) {
            for (uint64_t left = nodes[word]; left != 0; left &= left - 1) {
                visit(static_cast<uint32_t>(64 * word) +
                      static_cast<uint32_t>(__builtin_ctzll(left)));
            }
        }
        std::fill(nodes.begin(), nodes.end(), 0);
        m_spare.push_back(std::move(nodes));
    }

private:
    struct round {
        uint64_t cycle;
        std::vector<uint64_t> nodes; // a bit each
    };

    std::vector<uint64_t> fresh() {
        std::vector<uint64_t> nodes;
        if (!m_spare.empty()) {
            nodes = std::move(m_spare.back());
            m_spare.pop_back();
        }
        return nodes;
    }

    std::vector<round> m_rounds; // the next one last
    std::vector<std::vector<uint64_t>> m_spare;
};

} // namespace chimera::fabric
