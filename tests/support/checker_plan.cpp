// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "tests/support/checker.h"

namespace chimera::checker {

namespace {

bool overlap(const chm_rect& a, const chm_rect& b) {
    return std::max(a.token_begin, b.token_begin) < std::min(a.token_end, b.token_end) &&
           std::max(a.width_begin, b.width_begin) < std::min(a.width_end, b.width_end);
}

// One execution: what each die has in input and in work, and which transfers are where.
class execution {
public:
    execution(const chm_plan& plan, const state& from, addend_set all, const route_table* routed)
        : m_plan(plan), m_input(from), m_all(all), m_routed(routed),
          m_sent(plan.transfer_count, false), m_landed(plan.transfer_count, false),
          m_payload(plan.transfer_count) {
        for (uint32_t i = 0; i < plan.operation_count; ++i) {
            m_operated.emplace_back(plan.operations[i].block_count, false);
        }
    }

    std::string run(std::mt19937_64& random, state& applied);

private:
    enum class move { send, land, operate };
    struct choice {
        move what;
        uint32_t index; // transfer, or operation
        uint32_t block; // of the operation
    };

    bool landed_before(const chm_plan_operation& operation, uint32_t die) const;
    bool previous_slice_sent(const chm_plan_operation& operation, uint32_t die) const;
    bool may_operate(uint32_t operation, uint32_t block) const;
    std::string operate(uint32_t operation, uint32_t block);
    bool operated(uint32_t operation, uint32_t die) const;
    std::vector<choice> choices() const;
    bool may_send(uint32_t id) const;
    bool may_land(uint32_t id) const;
    std::string send(uint32_t id);
    std::string land(uint32_t id);
    bool carries(const chm_transfer& t, uint64_t token) const;

    const chm_plan& m_plan;
    state m_input, m_work;
    addend_set m_all;
    const route_table* m_routed;
    std::vector<bool> m_sent, m_landed;
    std::vector<std::vector<bool>> m_operated; // [operation][block]
    std::vector<holding> m_payload;
};

bool execution::carries(const chm_transfer& t, uint64_t token) const {
    if (t.route == chm_route_none) {
        return true;
    }
    const std::vector<uint32_t>& dies = (*m_routed)[token];
    auto in = [&](uint32_t die) { return std::find(dies.begin(), dies.end(), die) != dies.end(); };
    switch (t.route) {
    case chm_route_direct: return in(t.destination);
    case chm_route_combine: return in(t.source);
    default: break;
    }
    // The choice of the first target is the plan's own; that it is one target, the same for sender
    // and forwarder, and that every target is reached, is what the end state shows.
    uint32_t first =
        chm_plan_first_target(dies.data(), static_cast<uint32_t>(dies.size()), t.origin, token);
    if (t.route == chm_route_first) {
        return t.destination == first;
    }
    return t.source == first && in(t.destination);
}

bool execution::landed_before(const chm_plan_operation& operation, uint32_t die) const {
    for (uint32_t id = 0; id < m_plan.transfer_count; ++id) {
        const chm_transfer& t = m_plan.transfers[id];
        if (t.slice != operation.slice || t.phase >= operation.after_phase ||
            t.kind == chm_transfer_credit) {
            continue;
        }
        // What leaves must have left: the operation writes where it may be read from.
        if ((t.destination == die && !m_landed[id]) || (t.source == die && !m_sent[id])) {
            return false;
        }
    }
    return true;
}

bool execution::previous_slice_sent(const chm_plan_operation& operation, uint32_t die) const {
    for (uint32_t id = 0; id < m_plan.transfer_count; ++id) {
        const chm_transfer& t = m_plan.transfers[id];
        if (t.source == die && t.slice + m_plan.slices_at_once <= operation.slice && !m_sent[id]) {
            return false;
        }
    }
    return true;
}

bool execution::operated(uint32_t operation, uint32_t die) const {
    const chm_plan_operation& o = m_plan.operations[operation];
    for (uint32_t b = 0; b < o.block_count; ++b) {
        if (o.blocks[b].die == die && !m_operated[operation][b]) {
            return false;
        }
    }
    return true;
}

// Operations run in index order on a die.
bool execution::may_operate(uint32_t operation, uint32_t block) const {
    const chm_plan_operation& o = m_plan.operations[operation];
    uint32_t die = o.blocks[block].die;
    if (m_operated[operation][block] || !landed_before(o, die) || !previous_slice_sent(o, die)) {
        return false;
    }
    for (uint32_t before = 0; before < operation; ++before) {
        if (!operated(before, die)) {
            return false;
        }
    }
    return true;
}

std::string execution::operate(uint32_t operation, uint32_t block) {
    const chm_plan_operation& o = m_plan.operations[operation];
    const chm_block& b = o.blocks[block];
    m_operated[operation][block] = true;
    for (uint64_t token = b.rect.token_begin; token < b.rect.token_end; ++token) {
        for (uint64_t w = b.rect.width_begin; w < b.rect.width_end; ++w) {
            uint64_t element = token * m_plan.tensor.width + w;
            const holding& work = m_work[b.die];
            const holding& input = m_input[b.die];
            auto at = work.find(element);
            bool here = at != work.end() || (at = input.find(element)) != input.end();
            if (!here || (at->second & (one_operation - 1)) != m_all) {
                return "operation " + std::to_string(operation) + " works on element " +
                       std::to_string(element) + " that is not complete on die " +
                       std::to_string(b.die);
            }
            if (!o.reads_only) {
                m_work[b.die][element] = at->second + one_operation;
            }
        }
    }
    return "";
}

bool execution::may_send(uint32_t id) const {
    const chm_transfer& t = m_plan.transfers[id];
    if (m_sent[id]) {
        return false;
    }
    for (uint32_t i = 0; i < t.dependency_count; ++i) {
        uint32_t on = m_plan.dependencies[t.first_dependency + i];
        const chm_transfer& d = m_plan.transfers[on];
        if (!(d.destination == t.source ? m_landed[on] : m_sent[on])) {
            return false;
        }
    }
    return t.after_operation == 0 || operated(t.after_operation - 1, t.source);
}

bool puts(const chm_transfer& t) {
    return t.kind != chm_transfer_credit && t.kind != chm_transfer_routed;
}

// Where something is added into a region of a die, what goes there lands in ascending id order.
bool execution::may_land(uint32_t id) const {
    const chm_transfer& t = m_plan.transfers[id];
    if (!m_sent[id] || m_landed[id]) {
        return false;
    }
    for (uint32_t other = 0; other < id && puts(t); ++other) {
        const chm_transfer& o = m_plan.transfers[other];
        bool adds = o.kind != chm_transfer_copy || t.kind != chm_transfer_copy;
        if (o.destination == t.destination && puts(o) && adds && !m_landed[other] &&
            overlap(o.region, t.region)) {
            return false;
        }
    }
    return true;
}

std::string execution::send(uint32_t id) {
    const chm_transfer& t = m_plan.transfers[id];
    m_sent[id] = true;
    if (t.kind == chm_transfer_credit) {
        return "";
    }
    const state& from = t.from_work ? m_work : m_input;
    for (uint64_t token = t.region.token_begin; token < t.region.token_end; ++token) {
        if (!carries(t, token)) {
            continue;
        }
        for (uint64_t w = t.region.width_begin; w < t.region.width_end; ++w) {
            uint64_t element = token * m_plan.tensor.width + w;
            auto die = from.find(t.source);
            if (die == from.end() || die->second.count(element) == 0) {
                return "transfer " + std::to_string(id) + " reads element " +
                       std::to_string(element) + " that die " + std::to_string(t.source) +
                       " does not have in " + (t.from_work ? "work" : "input");
            }
            m_payload[id][element] = die->second.at(element);
        }
    }
    return "";
}

std::string execution::land(uint32_t id) {
    const chm_transfer& t = m_plan.transfers[id];
    m_landed[id] = true;
    holding& work = m_work[t.destination];
    for (const auto& [element, set] : m_payload[id]) {
        bool reduce = t.kind == chm_transfer_reduce || t.kind == chm_transfer_routed_reduce;
        addend_set base = 0;
        if (reduce && work.count(element) != 0) {
            base = work.at(element);
        } else if (reduce && m_input[t.destination].count(element) != 0) {
            base = m_input[t.destination].at(element);
        }
        if ((base & set) != 0) {
            return "transfer " + std::to_string(id) + " adds addends " + std::to_string(set) +
                   " of element " + std::to_string(element) + " twice at die " +
                   std::to_string(t.destination);
        }
        work[element] = base | set;
    }
    return "";
}

std::vector<execution::choice> execution::choices() const {
    std::vector<choice> found;
    for (uint32_t id = 0; id < m_plan.transfer_count; ++id) {
        if (may_send(id)) {
            found.push_back({move::send, id, 0});
        } else if (may_land(id)) {
            found.push_back({move::land, id, 0});
        }
    }
    for (uint32_t i = 0; i < m_plan.operation_count; ++i) {
        for (uint32_t b = 0; b < m_plan.operations[i].block_count; ++b) {
            if (may_operate(i, b)) {
                found.push_back({move::operate, i, b});
            }
        }
    }
    return found;
}

std::string execution::run(std::mt19937_64& random, state& applied) {
    for (std::vector<choice> next = choices(); !next.empty(); next = choices()) {
        choice c = next[random() % next.size()];
        std::string fault = c.what == move::send   ? send(c.index)
                            : c.what == move::land ? land(c.index)
                                                   : operate(c.index, c.block);
        if (!fault.empty()) {
            return fault;
        }
    }
    for (uint32_t id = 0; id < m_plan.transfer_count; ++id) {
        if (!m_landed[id]) {
            return "the plan's dependencies deadlock at transfer " + std::to_string(id);
        }
    }
    for (uint32_t i = 0; i < m_plan.operation_count; ++i) {
        for (uint32_t b = 0; b < m_plan.operations[i].block_count; ++b) {
            if (!m_operated[i][b]) {
                return "operation " + std::to_string(i) + " never runs on block " +
                       std::to_string(b);
            }
        }
    }
    applied = m_input;
    for (auto& [die, work] : m_work) {
        for (auto& [element, set] : work) {
            applied[die][element] = set;
        }
    }
    return "";
}

} // namespace

std::string execute(const chm_plan& plan, const state& from, addend_set all,
                    const route_table* routed, std::mt19937_64& random, state& applied) {
    return execution(plan, from, all, routed).run(random, applied);
}

} // namespace chimera::checker
