// SPDX-License-Identifier: Apache-2.0
#include "tests/support/abstract_machine.h"

#include <algorithm>
#include <map>

#include "hw/base/random.h"

namespace chimera::test {

abstract_machine::abstract_machine(const chm_workload& workload, uint64_t seed,
                                   compute_order computes)
    : m_workload(workload), m_seed(seed), m_computes(computes), m_dies(workload.dies),
      m_done(workload.operation_count) {
    for (uint32_t seq = 0; seq < workload.operation_count; ++seq) {
        const chm_operation& operation = workload.operations[seq];
        std::vector<bool> group(workload.dies);
        auto add = [&](uint32_t layout) {
            const chm_die_mesh& mesh = workload.tables.layouts[layout].mesh;
            for (uint32_t rank = 0; rank < chm_mesh_size(&mesh); ++rank) {
                group[mesh.dies[rank]] = true;
            }
        };
        add(operation.operands[0].layout);
        if (operation.result != CHM_NONE) {
            add(workload.tables.values[operation.result].layout);
        }
        m_groups.push_back(group);
    }
    for (die_state& die : m_dies) {
        die.window = chm_window_create(&workload.tables);
    }
}

abstract_machine::~abstract_machine() {
    for (die_state& die : m_dies) {
        chm_window_free(die.window);
    }
}

bool abstract_machine::is_compute(uint32_t seq) const {
    return m_workload.operations[seq].kind == chm_operation_compute &&
           !m_workload.has_descriptor[seq];
}

bool abstract_machine::takes_part(uint32_t seq, uint32_t die) const {
    return m_groups[seq][die];
}

void abstract_machine::collect(uint32_t die) {
    chm_decided_run decided;
    while (chm_window_pop(m_dies[die].window, &decided)) {
        issued_run run{{}, decided.run->key};
        for (uint32_t i = 0; i < decided.run->count; ++i) {
            run.members.push_back(decided.run->members[i].seq);
        }
        m_dies[die].runs.push_back(run);
    }
}

bool abstract_machine::step_host(uint32_t die) {
    die_state& state = m_dies[die];
    const chm_die_stream& stream = m_workload.streams[die];
    if (state.at == stream.count) {
        bool last = !state.drained;
        if (last) {
            chm_window_drain(state.window);
            collect(die);
            state.drained = true;
        }
        return last;
    }
    const chm_stream_entry& entry = stream.entries[state.at];
    if (entry.kind == chm_stream_descriptor) {
        chm_window_push(state.window, &m_workload.descriptors[entry.seq]);
        collect(die);
    } else if (entry.kind == chm_stream_wait) {
        uint32_t value = m_workload.operations[entry.seq].operands[0].value;
        uint32_t producer = m_workload.tables.values[value].producer;
        if (producer != CHM_NONE && !m_done[producer]) {
            return false;
        }
        m_done[entry.seq] = true;
    }
    ++state.at;
    return true;
}

// Operands are there, and all who read (or wrote) what the result overwrites are done.
bool abstract_machine::is_ready(uint32_t seq, const std::vector<uint32_t>& run) const {
    auto done = [&](uint32_t other) {
        return m_done[other] || std::find(run.begin(), run.end(), other) != run.end();
    };
    const chm_operation& operation = m_workload.operations[seq];
    const chm_value* values = m_workload.tables.values;
    for (uint32_t i = 0; i < operation.operand_count; ++i) {
        uint32_t producer = values[operation.operands[i].value].producer;
        if (producer != CHM_NONE && !done(producer)) {
            return false;
        }
    }
    for (uint32_t earlier = 0; operation.result != CHM_NONE && earlier < seq; ++earlier) {
        const chm_operation& other = m_workload.operations[earlier];
        uint32_t buffer = values[operation.result].buffer;
        bool touches = other.result != CHM_NONE && values[other.result].buffer == buffer;
        for (uint32_t i = 0; i < other.operand_count; ++i) {
            touches = touches || values[other.operands[i].value].buffer == buffer;
        }
        // Not `done`: a run cannot write where a member of its own still has to read.
        if (touches && !m_done[earlier]) {
            return false;
        }
    }
    return true;
}

// Carries out the run at the head of this die's engine if it is at the head of all that take part.
bool abstract_machine::step_engine(uint32_t die) {
    die_state& state = m_dies[die];
    if (state.head == state.runs.size()) {
        return false;
    }
    const issued_run run = state.runs[state.head];
    bool all_done = std::all_of(run.members.begin(), run.members.end(),
                                [&](uint32_t seq) { return m_done[seq]; });
    bool member = std::any_of(run.members.begin(), run.members.end(),
                              [&](uint32_t seq) { return takes_part(seq, die); });
    if (all_done || !member) {
        ++state.head;
        return true;
    }
    for (uint32_t other = 0; other < m_workload.dies; ++other) {
        bool part = std::any_of(run.members.begin(), run.members.end(),
                                [&](uint32_t seq) { return takes_part(seq, other); });
        const die_state& there = m_dies[other];
        size_t head = there.head;
        auto observes = [&](const issued_run& r) {
            return std::none_of(r.members.begin(), r.members.end(),
                                [&](uint32_t seq) { return takes_part(seq, other); });
        };
        while (part && head < there.runs.size() && observes(there.runs[head])) {
            ++head;
        }
        if (part && (head == there.runs.size() || !(there.runs[head] == run))) {
            return false;
        }
    }
    for (uint32_t seq : run.members) {
        if (!is_ready(seq, run.members)) {
            return false;
        }
    }
    for (uint32_t seq : run.members) {
        m_done[seq] = true;
    }
    m_fused += run.members.size() > 1;
    ++state.head;
    return true;
}

// True if a die still has an earlier compute to do.
bool abstract_machine::is_behind(uint32_t seq) const {
    for (uint32_t earlier = 0; earlier < seq; ++earlier) {
        for (uint32_t die = 0; die < m_workload.dies && is_compute(earlier); ++die) {
            if (!m_done[earlier] && takes_part(earlier, die) && takes_part(seq, die)) {
                return true;
            }
        }
    }
    return false;
}

bool abstract_machine::step_computes() {
    bool moved = false;
    for (uint32_t seq = 0; seq < m_workload.operation_count; ++seq) {
        bool waits = m_computes == compute_order::in_order && is_behind(seq);
        if (is_compute(seq) && !m_done[seq] && !waits && is_ready(seq, {})) {
            m_done[seq] = true;
            moved = true;
        }
    }
    return moved;
}

// Whoever sees a descriptor sees it in the same run, in the same place.
std::string abstract_machine::compare_decisions() const {
    std::map<uint32_t, std::pair<uint32_t, const issued_run*>> first;
    for (uint32_t die = 0; die < m_workload.dies; ++die) {
        for (const issued_run& run : m_dies[die].runs) {
            for (uint32_t seq : run.members) {
                auto [at, inserted] = first.insert({seq, {die, &run}});
                if (!inserted && !(*at->second.second == run)) {
                    return "dies " + std::to_string(at->second.first) + " and " +
                           std::to_string(die) + " decide differently on operation " +
                           std::to_string(seq);
                }
            }
        }
    }
    return "";
}

std::string abstract_machine::unfinished() const {
    std::string text;
    for (uint32_t seq = 0; seq < m_workload.operation_count; ++seq) {
        if (!m_done[seq] && m_workload.operations[seq].kind != chm_operation_wait) {
            text += (text.empty() ? "operations that never ran: " : " ") + std::to_string(seq);
        }
    }
    return text;
}

std::string abstract_machine::run() {
    bool moved = true;
    for (uint64_t round = 0; moved; ++round) {
        moved = step_computes();
        for (uint32_t i = 0; i < m_workload.dies; ++i) {
            uint32_t die = (i + static_cast<uint32_t>(round)) % m_workload.dies;
            bool host_first = chm_chance(chm_hash3(m_seed, round, die), 0.5);
            bool a = host_first ? step_host(die) : step_engine(die);
            bool idle = chm_chance(chm_hash3(m_seed + 1, round, die), 0.3);
            bool b = idle ? false : host_first ? step_engine(die) : step_host(die);
            moved = moved || a || b || idle;
        }
        // An idle round counts as progress only while somebody could still move.
        if (round > 64 + 4u * m_workload.dies * m_workload.operation_count) {
            break;
        }
    }
    std::string fault = compare_decisions();
    return fault.empty() ? unfinished() : fault;
}

} // namespace chimera::test
