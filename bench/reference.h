// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/base/arena.h"
#include "hw/golden/network/graph.h"
#include "platforms/platform.h"

// The figures of tests/reference and the graphs behind them.

namespace chimera::bench {

struct reference_row {
    std::string name;           // "tp_sp fused", or the name of a message set
    std::string platform;       // a shipped one
    uint64_t message_bytes = 0; // of a transition; 0 for a set
    uint64_t cycles = 0;        // of the flit level simulator
    std::string graph;          // file, to be scaled by message_bytes / graph_bytes
    uint64_t graph_bytes = 0;
};

// All rows of transitions.csv, and all of messages.csv, in the order of the files. `folder` is that
// of the reference, with a slash. Throw std::runtime_error where a file is missing or malformed.
std::vector<reference_row> reference_transitions(const std::string& folder);
std::vector<reference_row> reference_sets(const std::string& folder);

// Where ties between ways are broken at random the reference is one draw.
bool has_random_ties(const reference_row& row);

// A row's platform and graph, with the memory they live in. Throws std::runtime_error if one of
// them cannot be read.
class reference_case {
public:
    explicit reference_case(const reference_row& row);
    ~reference_case();
    reference_case(const reference_case&) = delete;
    reference_case& operator=(const reference_case&) = delete;

    const chm_topology& topology() const;
    const chm_graph& graph() const { return m_graph; }

private:
    void read_graph(const reference_row& row);
    void release();

    chm_platform_description* m_platform = nullptr;
    chm_arena m_arena{};
    std::vector<chm_graph_node> m_nodes; // byte counts scaled
    chm_graph m_graph{};
};

} // namespace chimera::bench
