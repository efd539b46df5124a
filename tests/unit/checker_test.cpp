// SPDX-License-Identifier: Apache-2.0
// Plans against the independent element-level checker (tests/support/checker.h): over random
// layouts on 1- to 3-dimensional meshes, uneven sizes and overlapping groups, every plan delivers
// exactly what its demands say, whatever order its dependencies allow, and no bound is above what a
// plan takes.
#include <gtest/gtest.h>

#include "hw/golden/bound/bound.h"
#include "tests/support/built_topology.h"
#include "tests/support/checker.h"
#include "tests/support/layouts.h"
#include "tests/support/random_layout.h"

namespace {

using namespace chimera;
using checker::addend_set;
using checker::owned_layout;

// Everything a request points to.
struct request_case {
    std::vector<std::unique_ptr<owned_layout>> layouts; // the first is the source
    std::vector<const chm_layout*> demands;
    chm_routing routing{};
    std::vector<chm_inner_operation> operations;
    chm_request request{};

    void finish() {
        for (size_t i = 1; i < layouts.size(); ++i) {
            demands.push_back(&layouts[i]->layout);
        }
        request.from = &layouts[0]->layout;
        request.demands = demands.data();
        request.demand_count = static_cast<uint32_t>(demands.size());
        request.operations = operations.data();
        request.operation_count = static_cast<uint32_t>(operations.size());
        request.routing = routing.dies != 0 ? &routing : nullptr;
    }
};

// The die ids of each token's experts, from the routing and the raw mesh of a routed layout whose
// dimensions are all routed (so that the routed index is the rank).
checker::route_table routes(const chm_layout& routed, const chm_routing& routing, uint64_t tokens) {
    checker::route_table table(tokens);
    for (uint64_t t = 0; t < tokens; ++t) {
        uint32_t targets[chm_max_top_k];
        uint32_t count = chm_routing_targets(&routing, t, targets);
        for (uint32_t i = 0; i < count; ++i) {
            table[t].push_back(routed.mesh.dies[targets[i]]);
        }
    }
    return table;
}

class planned {
public:
    planned(const chm_topology* topology, const chm_request& request, uint64_t staging_bytes,
            chm_schedule_kind forced = chm_schedule_auto)
        : m_request(request) {
        chm_arena_init(&m_arena);
        chm_diagnostics_init(&m_diagnostics);
        chm_parameters parameters;
        chm_parameters_default(&parameters);
        chm_costs costs = chm_costs_from(&parameters);
        chm_plan_options options{&costs, forced, forced, forced, staging_bytes};
        m_status = chm_plan_request(topology, &request, &options, &m_arena, &m_plan, nullptr,
                                    &m_diagnostics);
        if (m_status == chm_ok) {
            EXPECT_EQ(chm_bound_request(topology, &request, &m_arena, &m_bound), chm_ok);
        }
    }
    planned(const planned&) = delete;
    ~planned() {
        chm_diagnostics_free(&m_diagnostics);
        chm_arena_free(&m_arena);
    }

    chm_status status() const { return m_status; }
    const char* text() const { return chm_diagnostics_text(&m_diagnostics); }
    chm_plan& plan() { return m_plan; }
    const chm_bound& bound() const { return m_bound; }

    // Executes and compares with every demand; "" or the first fault.
    std::string fault(const checker::route_table* routed, std::mt19937_64& random) const {
        addend_set all = (addend_set{1} << checker::addend_count(*m_request.from)) - 1;
        checker::state before = checker::held(*m_request.from, m_request.tensor, all, routed);
        checker::state after;
        std::string said = checker::execute(m_plan, before, all, routed, random, after);
        uint32_t writes = 0;
        for (uint32_t i = 0; i < m_request.operation_count; ++i) {
            writes += m_request.operations[i].is_gating ? 0 : 1;
        }
        for (uint32_t i = 0; said.empty() && i < m_request.demand_count; ++i) {
            checker::state demand = checker::held(*m_request.demands[i], m_request.tensor,
                                                  all + writes * checker::one_operation, routed);
            said = checker::missing(after, demand);
        }
        return said;
    }

    std::string describe() const {
        char text[256];
        std::string all = chm_layout_format(m_request.from, text, sizeof text);
        for (uint32_t i = 0; i < m_request.demand_count; ++i) {
            all += std::string(" -> ") + chm_layout_format(m_request.demands[i], text, sizeof text);
        }
        return all;
    }

private:
    const chm_request& m_request;
    chm_arena m_arena;
    chm_diagnostics m_diagnostics;
    chm_plan m_plan{};
    chm_bound m_bound{};
    chm_status m_status;
};

std::vector<test::built_topology> platforms() {
    std::vector<test::built_topology> all;
    all.push_back(test::built_topology::mesh({3, 3}));
    all.push_back(test::built_topology::torus({4, 3}));
    all.push_back(test::built_topology::torus({2, 2, 2}));
    all.push_back(test::built_topology::fat_tree(2, 5));
    return all;
}

chm_tensor random_tensor(std::mt19937_64& random) {
    // From one row up, so that blocks are uneven and some are empty.
    return {1 + random() % 23, 1 + random() % 7, 4};
}

// A layout whose dimensions are all routed.
std::unique_ptr<owned_layout> routed_layout(std::mt19937_64& random, uint32_t dies,
                                            chm_placement_kind kind) {
    auto layout = checker::random_layout(random, {dies, 6});
    for (uint32_t d = 0; d < layout->layout.mesh.dimensions; ++d) {
        layout->layout.placement[d] = {kind, chm_axis_tokens, 0};
    }
    return layout;
}

class checker_test : public ::testing::TestWithParam<int> {
protected:
    std::mt19937_64 m_random{static_cast<uint64_t>(GetParam()) * 7919 + 1};
};

TEST_P(checker_test, plans_deliver_exactly_what_is_demanded) {
    for (const test::built_topology& platform : platforms()) {
        for (int round = 0; round < 30; ++round) {
            request_case c;
            c.request.tensor = random_tensor(m_random);
            checker::layout_choice source{platform->dies, std::min(platform->dies, 12u)};
            source.allow_partial = m_random() % 2 == 0;
            c.layouts.push_back(checker::random_layout(m_random, source));
            for (uint64_t i = 0; i < 1 + (m_random() % 4 == 0); ++i) {
                c.layouts.push_back(checker::random_layout(m_random, {platform->dies, 8}));
            }
            c.request.ordered_sum = m_random() % 4 == 0;
            c.finish();
            planned p(platform.get(), c.request, m_random() % 3 == 0 ? 64 : 0);
            ASSERT_EQ(p.status(), chm_ok) << p.text() << p.describe();
            ASSERT_EQ(p.fault(nullptr, m_random), "") << p.describe();
            EXPECT_LE(p.bound().lower_bound_cycles, p.plan().estimated_cycles)
                << p.bound().bound_by.name << ": " << p.describe();
        }
    }
}

TEST_P(checker_test, every_schedule_that_applies_delivers) {
    test::built_topology platform = test::built_topology::mesh({4, 3});
    for (int kind = chm_schedule_ring; kind < chm_schedule_count; ++kind) {
        for (int round = 0; round < 12; ++round) {
            request_case c;
            c.request.tensor = random_tensor(m_random);
            checker::layout_choice source{platform->dies, 8};
            source.allow_partial = true;
            c.layouts.push_back(checker::random_layout(m_random, source));
            c.layouts.push_back(checker::random_layout(m_random, {platform->dies, 8}));
            c.finish();
            planned p(platform.get(), c.request, 0, static_cast<chm_schedule_kind>(kind));
            if (p.status() == chm_unsupported) {
                continue; // a schedule that does not apply to these groups
            }
            ASSERT_EQ(p.status(), chm_ok) << p.text();
            ASSERT_EQ(p.fault(nullptr, m_random), "")
                << chm_schedule_name(static_cast<chm_schedule_kind>(kind)) << " " << p.describe();
        }
    }
}

TEST_P(checker_test, dispatch_reaches_the_dies_of_every_expert) {
    for (const test::built_topology& platform : platforms()) {
        for (int round = 0; round < 15; ++round) {
            request_case c;
            c.request.tensor = random_tensor(m_random);
            checker::layout_choice source{platform->dies, 6};
            source.allow_partial = m_random() % 2 == 0;
            source.allow_width = false;
            c.layouts.push_back(checker::random_layout(m_random, source));
            c.layouts.push_back(routed_layout(m_random, platform->dies, chm_place_routed_copy));
            const chm_layout& routed = c.layouts[1]->layout;
            c.routing = {1 + static_cast<uint32_t>(m_random() % 3), chm_mesh_size(&routed.mesh),
                         m_random() % 2 == 0 ? 0.0 : 0.5, m_random()};
            if (m_random() % 2 == 0) {
                c.operations.push_back({7, true, nullptr, 0, false});
            }
            c.finish();
            planned p(platform.get(), c.request, m_random() % 3 == 0 ? 64 : 0);
            ASSERT_EQ(p.status(), chm_ok) << p.text() << p.describe();
            checker::route_table table = routes(routed, c.routing, c.request.tensor.tokens);
            ASSERT_EQ(p.fault(&table, m_random), "") << p.describe();
            EXPECT_LE(p.bound().lower_bound_cycles, p.plan().estimated_cycles)
                << p.bound().bound_by.name << ": " << p.describe();
        }
    }
}

TEST_P(checker_test, combine_brings_every_addend_back_once) {
    for (const test::built_topology& platform : platforms()) {
        for (int round = 0; round < 15; ++round) {
            request_case c;
            c.request.tensor = random_tensor(m_random);
            c.layouts.push_back(routed_layout(m_random, platform->dies, chm_place_routed_partial));
            checker::layout_choice target{platform->dies, 6};
            target.allow_width = false;
            c.layouts.push_back(checker::random_layout(m_random, target));
            const chm_layout& routed = c.layouts[0]->layout;
            c.routing = {1 + static_cast<uint32_t>(m_random() % 3), chm_mesh_size(&routed.mesh),
                         0.0, 1};
            c.finish();
            planned p(platform.get(), c.request, 0);
            ASSERT_EQ(p.status(), chm_ok) << p.text() << p.describe();
            checker::route_table table = routes(routed, c.routing, c.request.tensor.tokens);
            // Full sets differ by row here: as many addends as the row has experts.
            addend_set all = (addend_set{1} << table[0].size()) - 1;
            checker::state before = checker::held(routed, c.request.tensor, all, &table);
            checker::state after;
            ASSERT_EQ(checker::execute(p.plan(), before, all, &table, m_random, after), "")
                << p.describe();
            ASSERT_EQ(checker::missing(after, checker::held(c.layouts[1]->layout, c.request.tensor,
                                                            all, &table)),
                      "")
                << p.describe();
        }
    }
}

TEST_P(checker_test, operations_of_every_class_run_once_where_rows_are_complete) {
    for (const test::built_topology& platform : platforms()) {
        for (int round = 0; round < 15; ++round) {
            request_case c;
            c.request.tensor = random_tensor(m_random);
            checker::layout_choice source{platform->dies, 8};
            source.allow_partial = m_random() % 2 == 0;
            source.allow_width = !source.allow_partial;
            c.layouts.push_back(checker::random_layout(m_random, source));
            c.layouts.push_back(checker::random_layout(m_random, {platform->dies, 8}));
            bool element_wise = m_random() % 2 == 0;
            c.operations.push_back({3, false, nullptr, 0, element_wise});
            if (m_random() % 2 == 0) {
                c.operations.push_back({4, false, nullptr, 0, element_wise});
            }
            c.finish();
            planned p(platform.get(), c.request, m_random() % 4 == 0 ? 64 : 0);
            ASSERT_EQ(p.status(), chm_ok) << p.text() << p.describe();
            ASSERT_EQ(p.fault(nullptr, m_random), "") << p.describe();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, checker_test, ::testing::Range(0, 12));

// The checker itself must be able to say no: a plan that lost a transfer, or a dependency, is
// refused.
TEST(checker_faults, a_lost_transfer_and_a_lost_dependency_are_found) {
    test::built_topology platform = test::built_topology::mesh({2, 2});
    test::built_layout from({4}, {test::partial()}), to({4}, {test::replicate()});
    const chm_layout* demand = to.get();
    chm_request request{};
    request.tensor = {16, 4, 4};
    request.from = from.get();
    request.demands = &demand;
    request.demand_count = 1;
    std::mt19937_64 random(1);

    planned whole(platform.get(), request, 0, chm_schedule_ring);
    ASSERT_EQ(whole.status(), chm_ok) << whole.text();
    ASSERT_EQ(whole.fault(nullptr, random), "");

    chm_plan& lost = whole.plan();
    uint32_t transfers = lost.transfer_count--;
    EXPECT_NE(whole.fault(nullptr, random), "") << "the last transfer is not needed";
    lost.transfer_count = transfers;

    bool found = false;
    for (uint32_t i = 0; i < transfers; ++i) {
        lost.transfers[i].dependency_count = 0;
    }
    for (int order = 0; order < 50 && !found; ++order) {
        found = !whole.fault(nullptr, random).empty();
    }
    EXPECT_TRUE(found) << "no order showed the missing dependencies";
}

} // namespace
