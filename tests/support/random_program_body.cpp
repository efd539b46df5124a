// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_program.h"

#include <algorithm>

// The body of a random program, operation by operation.

namespace chimera::test {

namespace {

chm_operation operation_of(chm_operation_kind kind, const char* name) {
    chm_operation operation{};
    operation.kind = kind;
    operation.name = name;
    operation.result = operation.communicator = operation.waiting_die = CHM_NONE;
    return operation;
}

} // namespace

// The latest values are read most, so that lines grow long.
size_t random_program::pick_live() {
    size_t last = m_live.size() - 1;
    return chance(60) ? m_live[last] : m_live[draw(m_live.size())];
}

void random_program::retire(size_t value) {
    auto at = std::find(m_live.begin(), m_live.end(), value);
    if (at != m_live.end()) {
        m_live.erase(at);
        if (!m_value_templates[value].is_input) {
            m_freed.push_back(value);
        }
    }
}

void random_program::make_body() {
    while (m_body.size() < m_asked.operations) {
        if (m_live.empty() || chance(15)) {
            start_line();
            continue;
        }
        size_t value = pick_live();
        form as = m_value_templates[value].as;
        uint64_t what = draw(100);
        if (as == weighted) {
            extend(value);
        } else if (as == routed || (as != partial && what < 15)) {
            put_opaque(value);
        } else if (what < 25) {
            put_wait(value);
        } else if (as == complete && what < 35) {
            put_join(value);
        } else if (as != partial && what < 50) {
            chm_operation_class op_class =
                as == columns || chance(20) ? chm_class_element_wise : chm_class_row_wise;
            put_movable(value, as == complete && chance(30) ? rows : as, op_class);
        } else {
            extend(value);
        }
    }
}

// What is left is read, so that its data is checked; a few values are left unread.
void random_program::close_body() {
    std::vector<size_t> left = m_live;
    for (size_t value : left) {
        const value_template& from = m_value_templates[value];
        if (from.as != partial && from.as != weighted && !from.is_input && chance(80)) {
            put_opaque(value);
        }
    }
}

void random_program::start_line() {
    static constexpr form starts[] = {partial, partial, partial, rows, columns, complete};
    form as = starts[draw(6)];
    size_t value = add_value(draw(m_groups.size()), as, true, {});
    extend(value);
}

void random_program::extend_with(size_t value, form read_as, chm_collective_kind kind, size_t group,
                                 form as) {
    operation_template made{};
    made.operation = operation_of(chm_operation_collective, chm_collective_name(kind));
    made.operation.collective = kind;
    made.operation.ordered_sum =
        (kind == chm_reduce_scatter || kind == chm_all_reduce) && chance(8);
    made.operation.communicator = communicator(m_value_templates[value].group, group);
    made.reads.push_back({value, read_as});
    made.result = add_value(group, as, false, made.reads);
    m_body.push_back(made);
    if (chance(60)) {
        retire(value);
    }
}

void random_program::extend(size_t value) {
    const value_template from = m_value_templates[value];
    bool scatters = chance(50);
    if (from.as == weighted) { // back to the owners of the rows
        extend_with(value, weighted, chm_all_to_all, from.group, rows);
    } else if (from.as == partial) {
        extend_with(value, partial, scatters ? chm_reduce_scatter : chm_all_reduce, from.group,
                    !scatters    ? complete
                    : chance(50) ? rows
                                 : columns);
    } else if (from.as != columns && m_groups[from.group].size() == m_routed_size && chance(30)) {
        dispatch(value);
    } else if (chance(40)) {
        hand_over(value);
    } else if (from.as == complete) {
        extend_with(value, rows, chm_all_gather, from.group, complete); // of a slice
    } else if (chance(60)) {
        extend_with(value, from.as, chm_all_gather, from.group, complete);
    } else {
        extend_with(value, from.as, chm_all_to_all, from.group, from.as == rows ? columns : rows);
    }
}

void random_program::hand_over(size_t value) {
    const value_template from = m_value_templates[value];
    size_t to = (from.group + 1 + draw(m_groups.size() - 1)) % m_groups.size();
    if (m_groups[to].size() == m_groups[from.group].size() && chance(50)) {
        extend_with(value, from.as, chm_point_to_point, to, from.as);
    } else {
        extend_with(value, from.as, chm_many_to_many, to, chance(70) ? rows : columns);
    }
}

// Gating, then the dispatch to the experts.
void random_program::dispatch(size_t value) {
    size_t gated = put_movable(value, m_value_templates[value].as, chm_class_transparent);
    extend_with(gated, m_value_templates[gated].as, chm_all_to_all, m_value_templates[gated].group,
                routed);
}

// Up to two other values of the first one's group that can be read in the same way.
void random_program::add_side_operands(std::vector<read_template>& reads, form as) {
    size_t group = m_value_templates[reads[0].value].group;
    for (size_t value : m_live) {
        const value_template& from = m_value_templates[value];
        bool twice = std::any_of(reads.begin(), reads.end(),
                                 [&](const read_template& read) { return read.value == value; });
        if (reads.size() < 3 && !twice && from.group == group &&
            (from.as == as || from.as == complete) && as != routed && chance(40)) {
            reads.push_back({value, as});
        }
    }
}

size_t random_program::put_movable(size_t value, form as, chm_operation_class op_class) {
    operation_template made{};
    made.operation = operation_of(chm_operation_compute, chm_class_name(op_class));
    made.operation.op_class = op_class;
    made.operation.cycles = draw(50);
    made.reads.push_back({value, as});
    if (op_class != chm_class_transparent) {
        add_side_operands(made.reads, as);
    }
    made.result = add_value(m_value_templates[value].group, as, false, made.reads);
    m_body.push_back(made);
    if (chance(70)) {
        retire(value);
    }
    return made.result;
}

// Reads values of one group and may start another line; what it writes needs no rows (columns) of
// other dies.
void random_program::put_opaque(size_t value) {
    const value_template from = m_value_templates[value];
    operation_template made{};
    made.operation = operation_of(chm_operation_compute, "opaque");
    made.operation.cycles = draw(200);
    form as = from.as == complete && chance(40) ? rows : from.as;
    made.reads.push_back({value, as});
    add_side_operands(made.reads, as);
    made.result = none;
    if (chance(as == routed ? 70 : 50)) { // experts weight what they make
        static constexpr form of_complete[] = {partial, partial, rows, complete};
        form result = as == complete ? of_complete[draw(4)] : as == routed ? weighted : as;
        made.result = add_value(from.group, result, false, made.reads);
    }
    m_body.push_back(made);
    if (chance(70)) {
        retire(value);
    }
}

// Adds what is gathered from shards of another value, which often nobody else reads.
void random_program::put_join(size_t value) {
    size_t group = m_value_templates[value].group;
    form shards = chance(70) ? columns : rows;
    size_t other = add_value(group, shards, true, {});
    extend_with(other, shards, chm_all_gather, group, complete);
    size_t gathered = m_body.back().result;
    operation_template made{};
    made.operation = operation_of(chm_operation_compute, chm_class_name(chm_class_linear));
    made.operation.op_class = chm_class_linear;
    made.operation.cycles = draw(50);
    made.reads = {{value, complete}, {gathered, complete}};
    if (chance(30)) { // additions are written in any order
        std::swap(made.reads[0], made.reads[1]);
    }
    made.result = add_value(group, complete, false, made.reads);
    m_body.push_back(made);
    if (chance(80)) {
        retire(gathered);
    }
    if (chance(70)) {
        retire(value);
    }
}

void random_program::put_wait(size_t value) {
    const value_template& from = m_value_templates[value];
    const std::vector<uint32_t>& group = m_groups[from.group];
    operation_template made{};
    made.operation = operation_of(chm_operation_wait, "wait");
    made.operation.communicator = communicator(from.group, from.group);
    if (chance(70)) {
        made.operation.waiting_die = group[draw(group.size())];
    }
    made.reads.push_back({value, from.as});
    made.result = none;
    m_body.push_back(made);
}

} // namespace chimera::test
