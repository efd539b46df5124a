// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/use_table.h"

#include <algorithm>

namespace chimera::memory {

use_table::use_table(const chm_workload& workload)
    : m_workload(workload),
      m_members(static_cast<size_t>(workload.tables.layout_count) * workload.dies, 0),
      m_uses(workload.dies, std::vector<uint32_t>(workload.tables.value_count, 0)),
      m_previous(workload.tables.value_count, CHM_NONE) {
    for (uint32_t layout = 0; layout < workload.tables.layout_count; ++layout) {
        const chm_die_mesh& mesh = workload.tables.layouts[layout].mesh;
        const uint32_t size = chm_mesh_size(&mesh);
        for (uint32_t rank = 0; rank < size; ++rank) {
            if (mesh.dies[rank] < workload.dies) {
                m_members[static_cast<size_t>(layout) * workload.dies + mesh.dies[rank]] = 1;
            }
        }
    }
    count_uses();
    order_buffers();
}

void use_table::count_uses() {
    for (uint32_t die = 0; die < m_workload.dies; ++die) {
        const chm_die_stream& stream = m_workload.streams[die];
        for (uint32_t i = 0; i < stream.count; ++i) {
            const chm_stream_entry& entry = stream.entries[i];
            const chm_operation& operation = m_workload.operations[entry.seq];
            if (entry.kind == chm_stream_wait || operation.kind == chm_operation_wait) {
                continue; // a host looks at the flag, not at the data
            }
            for_each_use(operation, die, [&](uint32_t value) { ++m_uses[die][value]; });
        }
    }
}

void use_table::order_buffers() {
    const chm_tables& tables = m_workload.tables;
    std::vector<uint32_t> order(tables.value_count);
    for (uint32_t value = 0; value < tables.value_count; ++value) {
        order[value] = value;
    }
    // Inputs of the program were there first, then in the order of their producers.
    auto position = [&](uint32_t value) {
        const uint32_t producer = tables.values[value].producer;
        return producer == CHM_NONE ? 0 : static_cast<uint64_t>(producer) + 1;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return position(a) < position(b); });
    std::vector<std::pair<uint32_t, uint32_t>> last; // buffer, value
    for (uint32_t value : order) {
        const uint32_t buffer = tables.values[value].buffer;
        if (buffer == CHM_NONE) {
            continue; // a buffer of its own
        }
        auto found = std::find_if(last.begin(), last.end(),
                                  [&](const auto& item) { return item.first == buffer; });
        if (found == last.end()) {
            last.emplace_back(buffer, value);
        } else {
            m_previous[value] = found->second;
            found->second = value;
        }
    }
}

uint32_t use_table::uses_by(const chm_operation& operation, uint32_t value, uint32_t die) const {
    uint32_t uses = 0;
    for_each_use(operation, die, [&](uint32_t used) { uses += used == value; });
    return uses;
}

uint64_t use_table::layout_bytes(uint32_t value, const chm_layout& layout, uint32_t die) const {
    const uint32_t rank = chm_mesh_rank(&layout.mesh, die);
    if (rank == CHM_NO_RANK) {
        return 0;
    }
    const chm_tables& tables = m_workload.tables;
    const chm_value& entry = tables.values[value];
    const chm_routing* routing =
        entry.routing == CHM_NONE ? nullptr : &tables.routings[entry.routing];
    return chm_layout_bytes(&layout, &tables.tensors[entry.tensor], routing, rank);
}

} // namespace chimera::memory
