// SPDX-License-Identifier: Apache-2.0
#include "tests/support/plan_interpreter.h"

#include "tests/support/plan_definitions.h"

namespace chimera::test {

plan_interpreter::plan_interpreter(const chm_request& request, const chm_plan& plan,
                                   std::uint64_t order_seed)
    : m_request(request), m_plan(plan), m_random(order_seed), m_sent(plan.transfer_count),
      m_applied(plan.transfer_count), m_payload(plan.transfer_count) {
    fill_input();
}

void plan_interpreter::fault(const std::string& what) {
    if (m_fault.empty()) {
        m_fault = what;
    }
}

std::vector<std::uint32_t> plan_interpreter::targets(const chm_layout& layout,
                                                     std::uint64_t token) const {
    auto found = target_indices(m_request, token);
    for (auto& index : found) {
        index = layout.mesh.dies[index];
    }
    return found;
}

// All addends of an element of this row.
std::uint64_t plan_interpreter::full(std::uint64_t token) const {
    if (has_kind(*m_request.from, chm_place_routed_partial)) {
        std::uint64_t all = 0;
        for (auto index : target_indices(m_request, token)) {
            all |= std::uint64_t{1} << index;
        }
        return all;
    }
    auto count = addend_of(*m_request.from, 0).second;
    return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

unsigned plan_interpreter::final_version() const {
    unsigned writes = 0;
    for (std::uint32_t i = 0; i < m_request.operation_count; ++i) {
        writes += !m_request.operations[i].is_gating;
    }
    return writes;
}

// Writing operations up to the value that a demand is of.
unsigned plan_interpreter::version_of(std::uint32_t demand) const {
    if (m_request.demand_operations == nullptr) {
        return final_version();
    }
    unsigned writes = 0;
    for (std::uint32_t i = 0; i < m_request.demand_operations[demand]; ++i) {
        writes += !m_request.operations[i].is_gating;
    }
    return writes;
}

void plan_interpreter::fill_input() {
    const chm_layout& from = *m_request.from;
    for (std::uint32_t r = 0; r < ranks_of(from); ++r) {
        for_each_element(block_of(from, m_request.tensor, r), [&](auto t, auto c) {
            if (rank_has(m_request, from, r, t, c)) {
                m_dies[from.mesh.dies[r]].input[key(t, c)] = {
                    std::uint64_t{1} << addend_of(from, r).first, 0};
            }
        });
    }
}

bool plan_interpreter::sendable(std::uint32_t id) const {
    const auto& t = m_plan.transfers[id];
    if (m_sent[id]) {
        return false;
    }
    for (std::uint32_t i = 0; i < t.dependency_count; ++i) {
        auto before = m_plan.dependencies[t.first_dependency + i];
        const auto& b = m_plan.transfers[before];
        if (b.destination == t.source ? !m_applied[before] : !m_sent[before]) {
            return false;
        }
    }
    auto die = m_dies.find(t.source);
    auto done = die == m_dies.end() ? 0 : die->second.operations_done;
    return t.after_operation <= done;
}

bool plan_interpreter::applicable(std::uint32_t id) const {
    const auto& t = m_plan.transfers[id];
    if (!m_sent[id] || m_applied[id]) {
        return false;
    }
    auto reduces = [](const chm_transfer& x) {
        return x.kind == chm_transfer_reduce || x.kind == chm_transfer_routed_reduce;
    };
    auto puts = [&](const chm_transfer& x) { return reduces(x) || x.kind == chm_transfer_copy; };
    for (std::uint32_t i = 0; i < id; ++i) { // into a region with a reduction: in id order
        const auto& b = m_plan.transfers[i];
        bool ordered = puts(t) && puts(b) && (reduces(t) || reduces(b));
        if (ordered && !m_applied[i] && b.destination == t.destination &&
            overlap(b.region, t.region)) {
            return false;
        }
    }
    return true;
}

bool plan_interpreter::runnable(std::uint32_t die) const {
    auto state = m_dies.find(die);
    auto next = state == m_dies.end() ? 0 : state->second.operations_done;
    if (next >= m_plan.operation_count) {
        return false;
    }
    const auto& op = m_plan.operations[next];
    for (std::uint32_t i = 0; i < m_plan.transfer_count; ++i) {
        const auto& t = m_plan.transfers[i];
        if (t.destination == die && t.slice == op.slice && t.phase < op.after_phase &&
            !m_applied[i]) {
            return false;
        }
        bool before = t.slice == op.slice && t.phase < op.after_phase;
        if (t.source == die && (before || t.slice + m_plan.slices_at_once <= op.slice) &&
            !m_sent[i]) {
            return false;
        }
    }
    return true;
}

bool plan_interpreter::carries(const chm_transfer& t, std::uint64_t token) const {
    if (t.route == chm_route_none) {
        return true;
    }
    const chm_layout& layout =
        t.kind == chm_transfer_routed_reduce ? *m_request.from : *m_plan.routed;
    auto to = targets(layout, token);
    return chm_plan_route(&t, token, to.data(), static_cast<std::uint32_t>(to.size()));
}

void plan_interpreter::send(std::uint32_t id) {
    const auto& t = m_plan.transfers[id];
    m_sent[id] = true;
    for (std::uint32_t i = 0; i < t.dependency_count; ++i) {
        auto before = m_plan.dependencies[t.first_dependency + i];
        const auto& b = m_plan.transfers[before];
        if (before >= id || (b.destination != t.source && b.source != t.source)) {
            fault("transfer " + std::to_string(id) + " depends on one its source cannot see");
        }
    }
    if (t.source == t.destination || (t.kind != chm_transfer_credit && chm_rect_empty(&t.region))) {
        fault("transfer " + std::to_string(id) + " goes nowhere");
    }
    if (t.kind == chm_transfer_credit) {
        return;
    }
    auto& die = m_dies[t.source];
    const grid* source = t.from_work ? &die.work : &die.input;
    if (t.route == chm_route_forward && t.source != t.origin) {
        source = nullptr;
    }
    for_each_element(t.region, [&](auto token, auto column) {
        if (!carries(t, token)) {
            return;
        }
        auto k = key(token, column);
        if (source == nullptr) {
            for (const auto& [from, rows] : die.slots) {
                auto found = rows.find(k);
                if (m_plan.transfers[from].origin == t.origin && found != rows.end()) {
                    m_payload[id][k] = found->second;
                    return;
                }
            }
            fault("transfer " + std::to_string(id) + " forwards a row it has not got");
            return;
        }
        auto found = source->find(k);
        if (found == source->end()) {
            fault("transfer " + std::to_string(id) + " sends what its source does not hold");
            return;
        }
        m_payload[id][k] = found->second;
    });
}

bool plan_interpreter::staged(std::uint32_t die, const chm_rect& region) const {
    for (std::uint32_t d = 0; d < m_request.demand_count; ++d) {
        const chm_layout& demand = *m_request.demands[d];
        for (std::uint32_t r = 0; r < ranks_of(demand) && !routed(demand); ++r) {
            auto block = block_of(demand, m_request.tensor, r);
            if (demand.mesh.dies[r] == die && chm_rect_contains(&block, &region)) {
                return false;
            }
        }
    }
    return true;
}

// Nothing comes into staging before what slices_at_once earlier slices left there has gone.
void plan_interpreter::check_staging(std::uint32_t id) {
    const auto& t = m_plan.transfers[id];
    if (t.slice == 0 || t.kind == chm_transfer_credit || t.kind == chm_transfer_routed ||
        !staged(t.destination, t.region)) {
        return;
    }
    for (std::uint32_t i = 0; i < m_plan.transfer_count; ++i) {
        const auto& b = m_plan.transfers[i];
        if (b.slice + m_plan.slices_at_once > t.slice || b.kind == chm_transfer_credit) {
            continue;
        }
        bool in = b.destination == t.destination && b.kind != chm_transfer_routed &&
                  staged(b.destination, b.region) && !m_applied[i];
        bool out =
            b.source == t.destination && b.from_work && staged(b.source, b.region) && !m_sent[i];
        if (in || out) {
            fault("transfer " + std::to_string(id) + " overruns staging still used by " +
                  std::to_string(i));
        }
    }
}

void plan_interpreter::apply(std::uint32_t id) {
    const auto& t = m_plan.transfers[id];
    m_applied[id] = true;
    check_staging(id);
    auto& die = m_dies[t.destination];
    if (t.kind == chm_transfer_routed) {
        die.slots[id] = m_payload[id];
        return;
    }
    bool sums = t.kind == chm_transfer_reduce || t.kind == chm_transfer_routed_reduce;
    if (t.kind == chm_transfer_routed_reduce) { // rows without an arriving addend are its own
        for_each_element(t.region, [&](auto token, auto column) {
            auto k = key(token, column);
            if (die.work.count(k) == 0 && die.input.count(k) != 0) {
                die.work[k] = die.input[k];
            }
        });
    }
    for (const auto& [k, value] : m_payload[id]) {
        auto had = die.work.find(k);
        auto own = die.input.find(k);
        element_value before;
        if (had != die.work.end()) {
            before = had->second;
        } else if (own != die.input.end()) {
            before = own->second;
        }
        if (sums && (before.addends & value.addends) != 0) {
            fault("transfer " + std::to_string(id) + " adds an addend twice");
        }
        die.work[k] = sums ? element_value{before.addends | value.addends, value.version} : value;
    }
}

void plan_interpreter::operate(std::uint32_t id) {
    auto& die = m_dies[id];
    const auto& op = m_plan.operations[die.operations_done++];
    unsigned writes_before = 0;
    bool needs_rows = true;
    for (std::uint32_t i = 0; i < m_request.operation_count; ++i) {
        if (m_request.operations[i].seq == op.seq) {
            needs_rows = !m_request.operations[i].element_wise;
            break;
        }
        writes_before += !m_request.operations[i].is_gating;
    }
    for (std::uint32_t b = 0; b < op.block_count; ++b) {
        if (op.blocks[b].die != id) {
            continue;
        }
        const auto& rect = op.blocks[b].rect;
        if (needs_rows && (rect.width_begin != 0 || rect.width_end != m_request.tensor.width)) {
            fault("operation works on incomplete rows");
        }
        for_each_element(rect, [&](auto token, auto column) {
            auto k = key(token, column);
            auto found = die.work.find(k);
            auto value = found != die.work.end() ? found->second : die.input[k];
            if (value.addends != full(token) || value.version != writes_before) {
                fault("operation reads an incomplete value");
            }
            if (!op.reads_only) {
                die.before[value.version][k] = value;
                die.work[k] = {value.addends, value.version + 1};
            }
        });
    }
}

std::string plan_interpreter::run() {
    // Dies that only operate take part too.
    for (std::uint32_t o = 0; o < m_plan.operation_count; ++o) {
        for (std::uint32_t b = 0; b < m_plan.operations[o].block_count; ++b) {
            m_dies[m_plan.operations[o].blocks[b].die];
        }
    }
    for (std::uint32_t i = 0; i < m_plan.transfer_count; ++i) {
        m_dies[m_plan.transfers[i].source];
        m_dies[m_plan.transfers[i].destination];
    }
    for (;;) {
        std::vector<std::pair<int, std::uint32_t>> possible;
        for (std::uint32_t i = 0; i < m_plan.transfer_count; ++i) {
            if (sendable(i)) {
                possible.emplace_back(0, i);
            } else if (applicable(i)) {
                possible.emplace_back(1, i);
            }
        }
        for (const auto& [die, state] : m_dies) {
            if (runnable(die)) {
                possible.emplace_back(2, die);
            }
        }
        if (possible.empty() || !m_fault.empty()) {
            break;
        }
        auto [what, id] = possible[m_random.below(possible.size())];
        what == 0 ? send(id) : what == 1 ? apply(id) : operate(id);
    }
    if (m_fault.empty() &&
        std::find(m_applied.begin(), m_applied.end(), false) != m_applied.end()) {
        fault("the plan cannot complete");
    }
    for (std::uint32_t d = 0; d < m_request.demand_count && m_fault.empty(); ++d) {
        const chm_layout& demand = *m_request.demands[d];
        if (version_of(d) < final_version()) {
            check_kept(demand, version_of(d));
        } else {
            routed(demand) ? check_routed(demand) : check_demand(demand);
        }
    }
    return m_fault;
}

} // namespace chimera::test
