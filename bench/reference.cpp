// SPDX-License-Identifier: Apache-2.0
#include "bench/reference.h"

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "platforms/platform.h"
#include "traces/graph.h"

namespace chimera::bench {

namespace {

std::vector<std::vector<std::string>> read_table(const std::string& path) {
    std::vector<std::vector<std::string>> rows;
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    std::string line, field;
    std::getline(file, line); // titles
    while (std::getline(file, line)) {
        rows.emplace_back();
        std::istringstream fields(line);
        while (std::getline(fields, field, ',')) {
            rows.back().push_back(field);
        }
        if (rows.back().size() < 5) {
            throw std::runtime_error(path + ": too few fields in '" + line + "'");
        }
    }
    return rows;
}

// Owns what the C readers report.
struct diagnostics {
    diagnostics() { chm_diagnostics_init(&text); }
    ~diagnostics() { chm_diagnostics_free(&text); }
    diagnostics(const diagnostics&) = delete;
    diagnostics& operator=(const diagnostics&) = delete;
    void require(chm_status status) const {
        if (status != chm_ok) {
            throw std::runtime_error(chm_diagnostics_text(&text));
        }
    }
    chm_diagnostics text;
};

} // namespace

std::vector<reference_row> reference_transitions(const std::string& folder) {
    std::vector<reference_row> rows;
    // The file that has the graph stands in one of the rows of its (transition, variant, platform).
    std::map<std::string, std::pair<std::string, uint64_t>> graphs;
    for (const auto& fields : read_table(folder + "transitions.csv")) {
        const std::string name = fields[0] + " " + fields[1];
        rows.push_back({name, fields[2], std::stoull(fields[3]), std::stoull(fields[4]), "", 0});
        if (fields.size() > 5) {
            graphs[name + fields[2]] = {folder + fields[5], rows.back().message_bytes};
        }
    }
    for (reference_row& row : rows) {
        const auto& graph = graphs.at(row.name + row.platform);
        row.graph = graph.first;
        row.graph_bytes = graph.second;
    }
    return rows;
}

std::vector<reference_row> reference_sets(const std::string& folder) {
    std::vector<reference_row> rows;
    for (const auto& fields : read_table(folder + "messages.csv")) {
        rows.push_back({fields[0], fields[1], 0, std::stoull(fields[4]),
                        folder + "messages/" + fields[0] + ".csv", 0});
    }
    return rows;
}

bool has_random_ties(const reference_row& row) {
    return row.platform.rfind("torus", 0) == 0;
}

reference_case::reference_case(const reference_row& row) {
    chm_arena_init(&m_arena);
    const std::string path = CHM_SOURCE_DIR "/platforms/" + row.platform + ".yaml";
    diagnostics faults;
    faults.require(chm_platform_read(path.c_str(), nullptr, 0, &m_platform, &faults.text));
    try {
        read_graph(row);
    } catch (...) {
        release();
        throw;
    }
}

reference_case::~reference_case() {
    release();
}

void reference_case::release() {
    chm_platform_free(m_platform);
    chm_arena_free(&m_arena);
}

const chm_topology& reference_case::topology() const {
    return m_platform->topology;
}

void reference_case::read_graph(const reference_row& row) {
    diagnostics faults;
    faults.require(chm_graph_read(row.graph.c_str(), m_platform->topology.dies, &m_arena, &m_graph,
                                  nullptr, &faults.text));
    if (row.message_bytes == row.graph_bytes) {
        return;
    }
    m_nodes.assign(m_graph.nodes, m_graph.nodes + m_graph.node_count);
    for (chm_graph_node& node : m_nodes) {
        node.bytes = node.bytes * row.message_bytes / row.graph_bytes;
    }
    m_graph.nodes = m_nodes.data();
}

} // namespace chimera::bench
