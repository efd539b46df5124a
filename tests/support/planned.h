// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hw/golden/planner/planner.h"
#include "tests/support/built_topology.h"
#include "tests/support/layouts.h"

namespace chimera::test {

inline chm_costs default_costs() {
    chm_parameters parameters;
    chm_parameters_default(&parameters);
    return chm_costs_from(&parameters);
}

// A request and its plan, with everything they live in.
class planned {
public:
    planned(const chm_topology& topology, const chm_request& request,
            chm_plan_options options = {}) {
        chm_costs costs = default_costs();
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        chm_arena_init(&m_arena);
        if (options.costs == nullptr) {
            options.costs = &costs;
        }
        status =
            chm_plan_request(&topology, &request, &options, &m_arena, &plan, &m_list, &diagnostics);
        faults = chm_diagnostics_text(&diagnostics);
        chm_diagnostics_free(&diagnostics);
    }
    ~planned() { chm_arena_free(&m_arena); }
    planned(const planned&) = delete;
    planned& operator=(const planned&) = delete;

    std::vector<chm_candidate> candidates() const {
        return {m_list.items, m_list.items + m_list.count};
    }
    const chm_candidate* chosen() const {
        for (uint32_t i = 0; i < m_list.count; ++i) {
            if (m_list.items[i].chosen) {
                return &m_list.items[i];
            }
        }
        return nullptr;
    }
    // The cheapest candidate of a form, null if there is none.
    const chm_candidate* best_of(const std::string& form) const {
        const chm_candidate* best = nullptr;
        for (uint32_t i = 0; i < m_list.count; ++i) {
            const chm_candidate* c = &m_list.items[i];
            if (c->form == form &&
                (best == nullptr || c->estimated_cycles < best->estimated_cycles)) {
                best = c;
            }
        }
        return best;
    }

    chm_status status = chm_ok;
    std::string faults;
    chm_plan plan{};

private:
    chm_arena m_arena{};
    chm_candidate_list m_list{};
};

// A request with one demand or several; layouts stay the caller's.
class built_request {
public:
    built_request(const chm_tensor& tensor, const built_layout& from,
                  const std::vector<const built_layout*>& demands) {
        for (const auto* demand : demands) {
            m_demands.push_back(demand->get());
        }
        m_request.tensor = tensor;
        m_request.from = from.get();
        m_request.demands = m_demands.data();
        m_request.demand_count = static_cast<uint32_t>(m_demands.size());
    }
    built_request(const built_request&) = delete;
    built_request& operator=(const built_request&) = delete;

    built_request& route(const chm_routing& routing) {
        m_routing = routing;
        m_request.routing = &m_routing;
        return *this;
    }
    built_request& operation(uint32_t seq, bool is_gating, bool element_wise = false) {
        chm_inner_operation added = {};
        added.seq = seq;
        added.is_gating = is_gating;
        added.element_wise = element_wise;
        m_operations.push_back(added);
        m_request.operations = m_operations.data();
        m_request.operation_count = static_cast<uint32_t>(m_operations.size());
        return *this;
    }
    // The last operation's other operands are on the dies of this layout only.
    built_request& available(const built_layout& layout) {
        m_available = {layout.get()};
        m_operations.back().available = m_available.data();
        m_operations.back().available_count = 1;
        return *this;
    }
    // The next-to-last demand is of the value behind `operations` of the operations.
    built_request& kept(uint32_t operations) {
        m_behind.assign(m_demands.size(), static_cast<uint32_t>(m_operations.size()));
        m_behind[m_demands.size() - 2] = operations;
        m_request.demand_operations = m_behind.data();
        return *this;
    }
    built_request& ordered() {
        m_request.ordered_sum = true;
        return *this;
    }
    const chm_request& operator*() const { return m_request; }

private:
    std::vector<const chm_layout*> m_demands, m_available;
    std::vector<chm_inner_operation> m_operations;
    std::vector<uint32_t> m_behind;
    chm_routing m_routing{};
    chm_request m_request{};
};

} // namespace chimera::test
