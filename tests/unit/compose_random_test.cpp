// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "hw/golden/bound/bound.h"
#include "hw/golden/explain/form.h"
#include "hw/golden/fusion/window.h"
#include "hw/golden/planner/planner.h"
#include "platforms/platform.h"
#include "tests/support/plan_interpreter.h"
#include "tests/support/random_lines.h"

using chimera::test::random_lines;

namespace {

class compose_random : public ::testing::Test {
protected:
    void SetUp() override {
        chm_diagnostics_init(&m_diagnostics);
        std::string path = std::string(CHM_SOURCE_DIR) + "/platforms/torus_2x2x2.yaml";
        ASSERT_EQ(chm_platform_read(path.c_str(), nullptr, 0, &m_platform, &m_diagnostics), chm_ok);
        m_costs = chm_costs_from(&m_platform->parameters);
        m_options.costs = &m_costs;
    }
    void TearDown() override {
        chm_platform_free(m_platform);
        chm_diagnostics_free(&m_diagnostics);
    }

    // Composes and plans a decided run. The collectives as written are one way to deliver what the
    // run must, so the least sends of the whole are never more than the sum of theirs.
    void check(const chm_tables* tables, const chm_run& run) {
        if (run.members[0].kind == chm_descriptor_marker && run.count == 1) {
            return; // compute's own work
        }
        chm_arena arena;
        chm_arena_init(&arena);
        chm_composition composition;
        ASSERT_EQ(chm_compose(tables, &run, &arena, &composition, &m_diagnostics), chm_ok);
        uint64_t as_written = 0;
        for (uint32_t i = 0; i < run.count; ++i) {
            as_written += chm_volume_as_written(tables, &run.members[i]);
        }
        uint64_t least = chm_request_volume(&composition.request);
        EXPECT_LE(least, as_written);
        chm_plan plan;
        ASSERT_EQ(chm_plan_request(&m_platform->topology, &composition.request, &m_options, &arena,
                                   &plan, nullptr, &m_diagnostics),
                  chm_ok)
            << chm_diagnostics_text(&m_diagnostics);
        EXPECT_GE(plan.payload_bytes, least);
        EXPECT_GE(plan.operation_count, composition.request.operation_count);
        execute(composition.request, plan);
        chm_bound bound;
        ASSERT_EQ(chm_bound_request(&m_platform->topology, &composition.request, &arena, &bound),
                  chm_ok);
        EXPECT_LE(bound.lower_bound_cycles, plan.estimated_cycles) << bound.bound_by.name;
        m_side_demands += composition.request.demand_count > 1;
        m_moved += composition.moved;
        m_saved += least < as_written;
        m_fused += run.count > 1;
        chm_arena_free(&arena);
    }

    // Element by element, by the independent definitions. Addends that stay addends are no sums.
    void execute(const chm_request& request, const chm_plan& plan) {
        for (uint32_t d = 0; d < request.demand_count; ++d) {
            if (chm_layout_is_partial(request.demands[d]) ||
                (chm_layout_is_routed(request.from) && !chm_layout_is_partial(request.from))) {
                return;
            }
            bool kept = false;
            for (uint32_t i = request.demand_operations[d]; i < request.operation_count; ++i) {
                kept = kept || !request.operations[i].is_gating;
            }
            m_kept += kept;
        }
        ++m_executed;
        EXPECT_EQ(chimera::test::plan_interpreter(request, plan, m_executed).run(), "");
    }

    void take(chm_window* window, const chm_tables* tables) {
        chm_decided_run decided;
        while (!HasFatalFailure() && chm_window_pop(window, &decided)) {
            check(tables, *decided.run);
        }
    }

    chm_platform_description* m_platform = nullptr;
    chm_costs m_costs{};
    chm_plan_options m_options{};
    chm_diagnostics m_diagnostics;
    uint32_t m_fused = 0, m_saved = 0, m_side_demands = 0, m_moved = 0;
    uint32_t m_kept = 0, m_executed = 0;
};

TEST_F(compose_random, every_decided_run_has_a_plan_and_needs_no_more_than_its_parts) {
    for (uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        random_lines lines(seed, 8, 60);
        std::unique_ptr<chm_window, void (*)(chm_window*)> window(chm_window_create(lines.tables()),
                                                                  chm_window_free);
        for (const chm_descriptor& d : lines.list()) {
            ASSERT_EQ(chm_window_push(window.get(), &d), chm_ok);
            take(window.get(), lines.tables());
        }
        chm_window_drain(window.get());
        take(window.get(), lines.tables());
    }
    EXPECT_GT(m_fused, 1000u);
    EXPECT_GT(m_saved, 500u);
    EXPECT_GT(m_side_demands, 50u);
    EXPECT_GT(m_moved, 50u);
    EXPECT_GT(m_kept, 10u);
    EXPECT_GT(m_executed, 1000u);
}

} // namespace
