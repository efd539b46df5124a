// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_program.h"

#include <algorithm>

#include "hw/base/random.h"

namespace chimera::test {

random_program::random_program(uint64_t seed, const options& asked) : m_seed(seed), m_asked(asked) {
    m_idle = static_cast<uint32_t>(draw(m_asked.dies));
    make_groups();
    make_layouts();
    make_body();
    close_body();
    unroll();
    fill_program();
}

// Hashes of (seed, count): the same everywhere, no hidden state.
uint64_t random_program::draw(uint64_t below) {
    return chm_hash2(m_seed, ++m_drawn) % below;
}

// Three to five different sets of dies; an idle die is in none.
void random_program::make_groups() {
    size_t wanted = 3 + draw(3);
    uint32_t usable = 4 + static_cast<uint32_t>(draw(m_asked.dies - 4)); // up to dies - 1
    while (m_groups.size() < wanted) {
        std::vector<uint32_t> group;
        size_t size = 2 + draw(3);
        while (group.size() < size) {
            uint32_t die = (m_idle + 1 + static_cast<uint32_t>(draw(usable))) % m_asked.dies;
            if (die != m_idle && std::find(group.begin(), group.end(), die) == group.end()) {
                group.push_back(die);
            }
        }
        std::sort(group.begin(), group.end());
        // Four dies alone give eleven sets, so that five different ones are found.
        if (std::find(m_groups.begin(), m_groups.end(), group) == m_groups.end()) {
            m_groups.push_back(group);
        }
    }
    m_routed_size = static_cast<uint32_t>(m_groups[0].size());
}

void random_program::make_layouts() {
    static constexpr chm_placement_kind kinds[forms] = {
        chm_place_partial,   chm_place_shard,       chm_place_shard,
        chm_place_replicate, chm_place_routed_copy, chm_place_routed_partial};
    for (const auto& group : m_groups) {
        for (int as = 0; as < forms; ++as) {
            chm_layout layout{};
            layout.mesh.dimensions = 1;
            layout.mesh.extent[0] = static_cast<uint32_t>(group.size());
            layout.mesh.dies = group.data();
            layout.placement[0].kind = kinds[as];
            layout.placement[0].axis = as == columns ? chm_axis_width : chm_axis_tokens;
            m_layouts.push_back(layout);
        }
    }
    m_tensor = {m_asked.tokens, m_asked.width, 4};
    m_routing.top_k = 1 + static_cast<uint32_t>(draw(2));
    m_routing.dies = m_routed_size;
}

// One per group and per ordered pair of groups that hand over, each with a window of its own.
uint32_t random_program::communicator(size_t from, size_t to) {
    uint32_t layout = layout_of(from, complete);
    uint32_t other = from == to ? CHM_NONE : layout_of(to, complete);
    for (size_t i = 0; i < m_communicators.size(); ++i) {
        if (m_communicators[i].layout == layout && m_communicators[i].other_layout == other) {
            return static_cast<uint32_t>(i);
        }
    }
    static constexpr uint32_t windows[] = {1, 2, 3, 4, 6, 8, 8, 12};
    m_names.push_back("c" + std::to_string(m_communicators.size()));
    m_communicators.push_back({m_names.back().c_str(), layout, other, windows[draw(8)]});
    return static_cast<uint32_t>(m_communicators.size() - 1);
}

// A value may use the buffer of one that nobody reads any more and that is no operand of its own.
size_t random_program::add_value(size_t group, form as, bool is_input,
                                 const std::vector<read_template>& reads) {
    size_t value = m_value_templates.size();
    uint32_t buffer = static_cast<uint32_t>(value);
    for (size_t i = 0; i < m_freed.size() && !is_input; ++i) {
        bool is_operand = std::any_of(reads.begin(), reads.end(), [&](const read_template& read) {
            return m_value_templates[read.value].buffer == m_value_templates[m_freed[i]].buffer;
        });
        if (!is_operand && chance(30)) {
            buffer = m_value_templates[m_freed[i]].buffer;
            m_freed.erase(m_freed.begin() + static_cast<std::ptrdiff_t>(i));
            break;
        }
    }
    m_value_templates.push_back(
        {(is_input ? "u" : "v") + std::to_string(value), group, as, buffer, is_input});
    m_live.push_back(value);
    return value;
}

void random_program::unroll() {
    std::vector<size_t> current(m_value_templates.size(), none);
    for (uint32_t i = 0; i < m_asked.iterations; ++i) {
        auto declare = [&](size_t t, uint32_t producer) {
            const value_template& from = m_value_templates[t];
            m_names.push_back(from.name + (i == 0 ? "" : "@" + std::to_string(i + 1)));
            m_values.push_back({m_names.back().c_str(), 0, 0, layout_of(from.group, from.as),
                                2 * from.buffer + i % 2, producer});
            current[t] = m_values.size() - 1;
        };
        for (size_t t = 0; t < m_value_templates.size() && i == 0; ++t) {
            if (m_value_templates[t].is_input) {
                declare(t, CHM_NONE);
            }
        }
        for (const operation_template& from : m_body) {
            chm_operation operation = from.operation;
            operation.seq = static_cast<uint32_t>(m_operations.size());
            for (const read_template& read : from.reads) {
                operation.operands[operation.operand_count++] = {
                    static_cast<uint32_t>(current[read.value]),
                    layout_of(m_value_templates[read.value].group, read.as)};
            }
            operation.result = CHM_NONE;
            if (from.result != none) {
                declare(from.result, operation.seq);
                operation.result = static_cast<uint32_t>(current[from.result]);
            }
            m_operations.push_back(operation);
        }
    }
}

void random_program::fill_program() {
    static constexpr chm_lookahead ahead[] = {chm_lookahead_none, chm_lookahead_readers};
    uint64_t kind = draw(8);
    m_program.name = "random";
    m_program.message_bytes = m_tensor.tokens * m_tensor.width * m_tensor.element_bytes;
    m_program.lookahead = kind < 2 ? ahead[kind] : chm_lookahead_full;
    m_program.operations = m_operations.data();
    m_program.operation_count = static_cast<uint32_t>(m_operations.size());
    chm_tables& tables = m_program.tables;
    tables.tensors = &m_tensor;
    tables.tensor_count = 1;
    tables.layouts = m_layouts.data();
    tables.layout_count = static_cast<uint32_t>(m_layouts.size());
    tables.routings = &m_routing;
    tables.routing_count = 1;
    tables.communicators = m_communicators.data();
    tables.communicator_count = static_cast<uint32_t>(m_communicators.size());
    tables.values = m_values.data();
    tables.value_count = static_cast<uint32_t>(m_values.size());
}

} // namespace chimera::test
