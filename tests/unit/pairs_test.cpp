// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "hw/base/yaml.h"
#include "hw/golden/explain/pairs.h"
#include "platforms/platform.h"

namespace {

// N = 4, M = 1 MiB: the paper's volumes per device times N, in bytes. U = M.
constexpr uint64_t M = 1 << 20;
constexpr uint64_t scatter = 3 * M;      // R-S, A-G: N * (N-1) M / N
constexpr uint64_t exchange = 3 * M / 4; // A2A between axes: all but the diagonal of N x N blocks
constexpr uint64_t dispatch = 3 * M / 2; // A2A of k = 2 copies, (N-1)/N of them elsewhere
constexpr uint64_t shards = M, whole = 4 * M; // P2P of shards, of replicas

class pairs : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        chm_diagnostics_init(&m_diagnostics);
        chm_arena_init(&m_arena);
        std::string path = std::string(CHM_SOURCE_DIR) + "/platforms/" + GetParam() + ".yaml";
        ASSERT_EQ(chm_platform_read(path.c_str(), nullptr, 0, &m_platform, &m_diagnostics), chm_ok);
        m_costs = chm_costs_from(&m_platform->parameters);
        m_options.costs = &m_costs;
        ASSERT_EQ(chm_pairs_derive(&m_platform->topology, &m_options, M, &m_arena, &m_table,
                                   &m_diagnostics),
                  chm_ok)
            << chm_diagnostics_text(&m_diagnostics);
    }
    void TearDown() override {
        chm_platform_free(m_platform);
        chm_arena_free(&m_arena);
        chm_diagnostics_free(&m_diagnostics);
    }

    const chm_pair_row* find(chm_collective_kind first, chm_collective_kind second,
                             const char* form, uint64_t before, uint64_t after) {
        for (uint32_t i = 0; i < m_table.count; ++i) {
            const chm_pair_row* row = &m_table.rows[i];
            if (row->first == first && row->second == second && std::strcmp(row->form, form) == 0 &&
                row->bytes_before == before && row->bytes_after == after) {
                return row;
            }
        }
        return nullptr;
    }

    chm_platform_description* m_platform = nullptr;
    chm_costs m_costs{};
    chm_plan_options m_options{};
    chm_arena m_arena;
    chm_diagnostics m_diagnostics;
    chm_pair_table m_table{};
};

TEST_P(pairs, all_25_type_and_none_costs_more_than_its_parts) {
    std::set<std::pair<int, int>> seen;
    for (uint32_t i = 0; i < m_table.count; ++i) {
        const chm_pair_row& row = m_table.rows[i];
        seen.insert({row.first, row.second});
        EXPECT_LE(row.bytes_after, row.bytes_before);
        EXPECT_GT(std::strlen(row.reason), 0u);
        bool moves = row.bytes_after > 0;
        uint32_t chosen = 0;
        uint64_t least_cost = UINT64_MAX;
        for (uint32_t c = 0; c < row.candidates.count; ++c) {
            const chm_candidate& candidate = row.candidates.items[c];
            chosen += candidate.chosen;
            least_cost = std::min(least_cost, candidate.cost_cycles);
            EXPECT_GE(candidate.payload_bytes, row.bytes_after);
        }
        for (uint32_t c = 0; c < row.candidates.count; ++c) {
            const chm_candidate& candidate = row.candidates.items[c];
            if (candidate.chosen) {
                EXPECT_EQ(candidate.cost_cycles, least_cost);
                EXPECT_EQ(candidate.estimated_cycles, row.estimated_cycles);
            }
        }
        EXPECT_LE(chosen, 1u);
        EXPECT_TRUE(!moves || chosen == 1) << row.form;
    }
    EXPECT_EQ(seen.size(), 25u);
}

TEST_P(pairs, have_the_published_forms_and_closed_form_bytes) {
    const chm_collective_kind rs = chm_reduce_scatter, ag = chm_all_gather, a2a = chm_all_to_all,
                              p2p = chm_point_to_point, m2ms = chm_many_to_many;
    EXPECT_TRUE(find(p2p, a2a, "M2MS", whole + dispatch, 2 * M)); // k copies to the experts' dies
    EXPECT_TRUE(find(ag, a2a, "A2A", scatter + exchange, exchange));
    EXPECT_TRUE(find(ag, a2a, "A2A", scatter + dispatch, dispatch));
    EXPECT_TRUE(
        find(ag, rs, "nothing", 2 * scatter, 0)); // gather, then scatter along the same axis
    EXPECT_TRUE(find(ag, rs, "A2A", 2 * scatter, exchange)); // along the other
    EXPECT_TRUE(find(rs, a2a, "R-S", scatter + exchange, scatter));
    EXPECT_TRUE(find(rs, ag, "R-S; A-G", 2 * scatter, 2 * scatter));
    EXPECT_TRUE(find(a2a, ag, "A-G", exchange + scatter, scatter));
    EXPECT_TRUE(find(a2a, a2a, "nothing", 2 * exchange, 0));
    EXPECT_TRUE(find(a2a, a2a, "A2A", exchange + dispatch, dispatch));
    EXPECT_TRUE(
        find(p2p, p2p, "P2P", 2 * shards, shards) || // groups may overlap on small platforms
        m_platform->topology.dies < 12);
    EXPECT_TRUE(find(p2p, rs, "M2MS", whole + scatter, shards)); // replicas, then a scatter
    EXPECT_TRUE(find(ag, p2p, "P2P; A-G", scatter + whole, shards + scatter));
    EXPECT_TRUE(find(rs, p2p, "R-S; P2P", scatter + shards, scatter + shards));
    EXPECT_TRUE(find(m2ms, a2a, "P2P", shards + exchange, shards));
    // Two dimensions: 2 M along the first (two pairs sum M each), M along the other; both at once
    // (4-1) M as well. A gather is the same backwards.
    EXPECT_TRUE(find(rs, rs, "R-S", 3 * M, 3 * M));
    EXPECT_TRUE(find(ag, ag, "A-G", 3 * M, 3 * M));
}

INSTANTIATE_TEST_SUITE_P(platforms, pairs,
                         ::testing::Values("mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"),
                         [](const auto& p) { return std::string(p.param); });

class mesh_pairs : public pairs {};

// At the receiver of an M2MS with reduction four addends of every element arrive over the cut, one
// from each source die, where R-S sends one sum: the cut carries four times the bytes.
TEST_P(mesh_pairs, reduction_at_the_receiver_is_rejected_on_the_cut) {
    const chm_pair_row* row = find(chm_reduce_scatter, chm_point_to_point, "R-S; P2P",
                                   scatter + shards, scatter + shards);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(std::strncmp(row->chosen, "R-S", 3), 0) << row->chosen;
    bool rejected = false;
    for (uint32_t i = 0; i < row->candidates.count; ++i) {
        const chm_candidate& c = row->candidates.items[i];
        if (std::strstr(c.form, "M2MS+reduce") != nullptr) {
            rejected = true;
            EXPECT_FALSE(c.chosen);
            EXPECT_GT(c.estimated_cycles, row->estimated_cycles);
        }
    }
    EXPECT_TRUE(rejected);
    chm_text text;
    chm_text_init(&text);
    chm_pairs_text(&m_table, &text);
    std::string all = chm_text_get(&text);
    EXPECT_NE(all.find("P2P + A2A -> M2MS"), std::string::npos);
    EXPECT_NE(all.find("rejected: M2MS+reduce"), std::string::npos);
    chm_text_free(&text);
}

TEST_P(mesh_pairs, json_has_a_row_for_each) {
    chm_text text;
    chm_text_init(&text);
    chm_json json;
    chm_json_begin(&json, &text);
    chm_pairs_json(&m_table, &json);
    ASSERT_EQ(chm_json_finish(&json), chm_ok);
    const chm_yaml_node* root = nullptr;
    ASSERT_EQ(chm_yaml_read_text("pairs", text.data, text.length, &m_arena, &root, &m_diagnostics),
              chm_ok)
        << chm_diagnostics_text(&m_diagnostics);
    const chm_yaml_node* rows = chm_yaml_get(root, "pairs");
    ASSERT_NE(rows, nullptr);
    EXPECT_EQ(rows->count, m_table.count);
    EXPECT_STREQ(chm_yaml_get(&rows->items[0], "first")->text, "R-S");
    chm_text_free(&text);
}

TEST_P(mesh_pairs, small_platforms_and_messages_are_refused) {
    chm_topology small{};
    uint32_t extent[3] = {3, 2, 1};
    ASSERT_EQ(chm_build_mesh(&small, extent, 2, &m_platform->parameters.fabric, &m_arena), chm_ok);
    chm_pair_table none{};
    EXPECT_EQ(chm_pairs_derive(&small, &m_options, M, &m_arena, &none, &m_diagnostics),
              chm_unsupported);
    EXPECT_EQ(
        chm_pairs_derive(&m_platform->topology, &m_options, 1023, &m_arena, &none, &m_diagnostics),
        chm_bad_argument);
    EXPECT_EQ(m_diagnostics.errors, 2u);
}

INSTANTIATE_TEST_SUITE_P(mesh, mesh_pairs, ::testing::Values("mesh_5x5"),
                         [](const auto& p) { return std::string(p.param); });

} // namespace
