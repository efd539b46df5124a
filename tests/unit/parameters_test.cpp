// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/golden/parameters.h"

using ::testing::HasSubstr;
using ::testing::StartsWith;

class parameters : public ::testing::Test {
protected:
    void SetUp() override {
        chm_diagnostics_init(&m_diagnostics);
        chm_parameters_default(&m_parameters);
    }
    void TearDown() override { chm_diagnostics_free(&m_diagnostics); }
    chm_status set(const char* key, const char* value) {
        chm_origin origin = {"--set", 0, 0};
        return chm_parameters_set(&m_parameters, key, value, &origin, &m_diagnostics);
    }
    std::string text() const { return chm_diagnostics_text(&m_diagnostics); }

    chm_parameters m_parameters{};
    chm_diagnostics m_diagnostics{};
};

TEST_F(parameters, defaults_are_those_of_the_documentation) {
    EXPECT_EQ(m_parameters.fabric.clock_ghz, 1);
    EXPECT_EQ(m_parameters.fabric.flit_bytes, 50u);
    EXPECT_EQ(m_parameters.fabric.vc_depth_flits, 318u);
    EXPECT_EQ(m_parameters.dma.channels, 4u);
    EXPECT_TRUE(m_parameters.dma.reduce_overlapped);
    EXPECT_EQ(m_parameters.engine.window_depth, 8u);
    EXPECT_EQ(m_parameters.engine.staging_bytes, 262144u);
    EXPECT_EQ(m_parameters.transfer.capacity_factor, 1.25);
    EXPECT_EQ(chm_parameters_check(&m_parameters, nullptr, &m_diagnostics), chm_ok) << text();
}

TEST_F(parameters, every_default_is_in_range_and_every_name_is_unique) {
    std::set<std::string> names;
    for (uint32_t i = 0; i < chm_parameter_table_count; ++i) {
        for (size_t k = 0; k < chm_parameter_tables[i].count; ++k) {
            const chm_key& key = chm_parameter_tables[i].keys[k];
            EXPECT_TRUE(names.insert(key.name).second) << key.name;
            char value[64];
            chm_key_format(&key, &m_parameters, value, sizeof value);
            EXPECT_EQ(set(key.name, value), chm_ok) << text();
        }
    }
    EXPECT_EQ(names.size(), 52u) << "every field of the structs has its key";
}

TEST_F(parameters, reference_costs_are_free_and_can_be_undone) {
    ASSERT_EQ(set("costs", "reference"), chm_ok);
    EXPECT_EQ(m_parameters.dma.setup_cycles, 0u);
    EXPECT_FALSE(m_parameters.dma.reduce_overlapped);
    EXPECT_EQ(m_parameters.engine.fuse_cycles_per_pair, 0u);
    EXPECT_EQ(m_parameters.transfer.row_id_bytes, 0u);
    EXPECT_EQ(m_parameters.engine.window_depth, 8u) << "no cost: stays";
    ASSERT_EQ(set("costs", "default"), chm_ok);
    EXPECT_EQ(m_parameters.dma.setup_cycles, 8u);
    EXPECT_TRUE(m_parameters.dma.reduce_overlapped);
    EXPECT_EQ(m_parameters.transfer.row_id_bytes, 4u);
}

TEST_F(parameters, refuses_by_name) {
    EXPECT_EQ(set("costs", "free"), chm_bad_input);
    EXPECT_EQ(text(), "--set: key 'costs': got 'free'; allowed: default, reference\n");
    EXPECT_EQ(set("mtu", "256"), chm_bad_input);
    EXPECT_THAT(text(), HasSubstr("--set: unknown key 'mtu' (value '256'); allowed: costs, "
                                  "clock_ghz, flit_bytes, mtu_bytes, "));
    EXPECT_THAT(text(), HasSubstr(", buffers_per_tensor\n"));
    EXPECT_EQ(set("vcs", "9223372036854775808"), chm_bad_input);
    EXPECT_THAT(text(),
                HasSubstr("key 'vcs': got '9223372036854775808'; allowed: integer 1 .. 64"));
}

TEST_F(parameters, only_packets_can_be_lost) {
    m_parameters.fabric.corrupt_probability = 0.01;
    EXPECT_EQ(chm_parameters_check(&m_parameters, nullptr, &m_diagnostics), chm_ok) << text();
    m_parameters.fabric.fidelity = chm_fidelity_lt;
    EXPECT_EQ(chm_parameters_check(&m_parameters, nullptr, &m_diagnostics), chm_bad_input);
    EXPECT_EQ(text(), "key 'corrupt_probability': allowed: 0 with fidelity lt, which has no "
                      "packets to lose\n");
}

TEST_F(parameters, checks_across_keys_all_at_once) {
    m_parameters.engine.window_depth = 100;
    m_parameters.fabric.vc_depth_flits = 6; // a packet of 256 bytes has 1 + 6 flits
    EXPECT_EQ(chm_parameters_check(&m_parameters, nullptr, &m_diagnostics), chm_bad_input);
    EXPECT_EQ(m_diagnostics.errors, 3u);
    EXPECT_THAT(text(), StartsWith("key 'window_depth': got '100'; allowed: at most "
                                   "window_depth_max, 62\n"));
    EXPECT_THAT(text(), HasSubstr("'ring_entries': got '64'; allowed: at least window_depth + 2, "
                                  "102\n"));
    EXPECT_THAT(text(), HasSubstr("'vc_depth_flits': got '6'; allowed: at least a packet of "
                                  "mtu_bytes, 7 flits\n"));
}
