// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "hw/golden/fusion/descriptor.h"

namespace chimera::test {

// Placements in short: R, T (shard tokens), W (shard width), P (partial), C (routed copy), Q
// (routed partial); one letter per mesh dimension.
struct mesh_spec {
    std::vector<uint32_t> extent;
    std::vector<uint32_t> dies;
};

// Builds the tables that descriptors refer to, by hand. Indices are those of the tables.
class table_builder {
public:
    uint32_t tensor(uint64_t tokens, uint64_t width, uint32_t element_bytes = 4) {
        m_tensors.push_back({tokens, width, element_bytes});
        return static_cast<uint32_t>(m_tensors.size() - 1);
    }

    uint32_t routing(uint32_t top_k, uint32_t dies) {
        m_routings.push_back({top_k, dies, 0.0, 1});
        return static_cast<uint32_t>(m_routings.size() - 1);
    }

    uint32_t layout(const mesh_spec& mesh, const std::string& placements) {
        m_dies.push_back(mesh.dies);
        chm_layout l{};
        l.mesh.dimensions = static_cast<uint32_t>(mesh.extent.size());
        l.mesh.dies = m_dies.back().data();
        uint32_t order[2] = {0, 0};
        for (size_t d = 0; d < mesh.extent.size(); ++d) {
            l.mesh.extent[d] = mesh.extent[d];
            l.placement[d] = placement(placements.at(d), order);
        }
        m_layouts.push_back(l);
        return static_cast<uint32_t>(m_layouts.size() - 1);
    }

    uint32_t value(uint32_t tensor_index, uint32_t layout_index, uint32_t producer = CHM_NONE,
                   uint32_t routing_index = CHM_NONE) {
        uint32_t id = static_cast<uint32_t>(m_values.size());
        m_names.push_back("v" + std::to_string(id));
        m_values.push_back(
            {m_names.back().c_str(), tensor_index, routing_index, layout_index, id, producer});
        return id;
    }

    uint32_t communicator(uint32_t layout_index, uint32_t window_depth,
                          uint32_t other_layout = CHM_NONE) {
        uint32_t id = static_cast<uint32_t>(m_communicators.size());
        m_names.push_back("c" + std::to_string(id));
        m_communicators.push_back(
            {m_names.back().c_str(), layout_index, other_layout, window_depth});
        return id;
    }

    uint32_t reader(uint32_t value_index, uint32_t layout_index, uint32_t seq, uint32_t distance) {
        m_readers.push_back({value_index, layout_index, seq, distance});
        return static_cast<uint32_t>(m_readers.size() - 1);
    }

    uint32_t available(uint32_t layout_index) {
        m_available.push_back(layout_index);
        return static_cast<uint32_t>(m_available.size() - 1);
    }

    // Valid until the builder changes.
    const chm_tables* tables() {
        m_tables = chm_tables{};
        m_tables.tensors = m_tensors.data();
        m_tables.tensor_count = static_cast<uint32_t>(m_tensors.size());
        m_tables.layouts = m_layouts.data();
        m_tables.layout_count = static_cast<uint32_t>(m_layouts.size());
        m_tables.routings = m_routings.data();
        m_tables.routing_count = static_cast<uint32_t>(m_routings.size());
        m_tables.communicators = m_communicators.data();
        m_tables.communicator_count = static_cast<uint32_t>(m_communicators.size());
        m_tables.values = m_values.data();
        m_tables.value_count = static_cast<uint32_t>(m_values.size());
        m_tables.readers = m_readers.data();
        m_tables.reader_count = static_cast<uint32_t>(m_readers.size());
        m_tables.available = m_available.data();
        m_tables.available_count = static_cast<uint32_t>(m_available.size());
        return &m_tables;
    }

private:
    static chm_placement placement(char letter, uint32_t order[2]) {
        switch (letter) {
        case 'T': return {chm_place_shard, chm_axis_tokens, order[0]++};
        case 'W': return {chm_place_shard, chm_axis_width, order[1]++};
        case 'P': return {chm_place_partial, chm_axis_tokens, 0};
        case 'C': return {chm_place_routed_copy, chm_axis_tokens, 0};
        case 'Q': return {chm_place_routed_partial, chm_axis_tokens, 0};
        default: return {chm_place_replicate, chm_axis_tokens, 0};
        }
    }

    std::vector<chm_tensor> m_tensors;
    std::vector<chm_layout> m_layouts;
    std::vector<chm_routing> m_routings;
    std::vector<chm_communicator> m_communicators;
    std::vector<chm_value> m_values;
    std::vector<chm_reader> m_readers;
    std::vector<uint32_t> m_available;
    std::deque<std::vector<uint32_t>> m_dies; // stable addresses
    std::deque<std::string> m_names;
    chm_tables m_tables{};
};

} // namespace chimera::test
