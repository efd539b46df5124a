// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "platforms/platform.h"
#include "tests/support/built_topology.h"

namespace {

class platform : public testing::Test {
protected:
    platform() { chm_diagnostics_init(&m_diagnostics); }
    ~platform() override {
        chm_platform_free(m_platform);
        chm_diagnostics_free(&m_diagnostics);
    }

    chm_status read(const std::string& path, const std::vector<chm_setting>& settings = {}) {
        chm_platform_free(m_platform);
        m_platform = nullptr;
        chm_diagnostics_free(&m_diagnostics);
        return chm_platform_read(path.c_str(), settings.data(),
                                 static_cast<uint32_t>(settings.size()), &m_platform,
                                 &m_diagnostics);
    }

    chm_status read_shipped(const std::string& name,
                            const std::vector<chm_setting>& settings = {}) {
        return read(CHM_SOURCE_DIR "/platforms/" + name + ".yaml", settings);
    }

    chm_status read_text(const std::string& text, const std::vector<chm_setting>& settings = {}) {
        std::string path = testing::TempDir() + "platform_test_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml";
        std::ofstream(path, std::ios::binary) << text;
        chm_status status = read(path, settings);
        std::remove(path.c_str());
        return status;
    }

    std::string messages() const { return chm_diagnostics_text(&m_diagnostics); }

    void expect_message(const std::string& part) {
        EXPECT_NE(messages().find(part), std::string::npos) << part << "\nin\n" << messages();
    }

    chm_platform_description* m_platform = nullptr;
    chm_diagnostics m_diagnostics;
};

TEST_F(platform, shipped_files_are_what_their_names_say) {
    for (const std::string& name : chimera::test::built_topology::shipped_names()) {
        ASSERT_EQ(read_shipped(name), chm_ok) << messages();
        auto expected = chimera::test::built_topology::shipped(name);
        EXPECT_EQ(m_platform->topology.name, name);
        EXPECT_EQ(m_platform->topology.dies, expected->dies);
        EXPECT_EQ(m_platform->topology.link_count, expected->link_count);
        EXPECT_EQ(m_platform->topology.vc_depth_flits, 318u);
        EXPECT_EQ(m_platform->topology.vc_classes, expected->wraps ? 2u : 1u);
        EXPECT_EQ(messages(), "");
    }
}

TEST_F(platform, settings_reach_shape_and_parameters) {
    ASSERT_EQ(read_shipped("mesh_5x5", {{"columns", "7"}, {"planes", "2"}}), chm_ok) << messages();
    EXPECT_EQ(m_platform->topology.dies, 70u);
    EXPECT_STREQ(m_platform->topology.name, "mesh_7x5x2");
    ASSERT_EQ(read_shipped("fat_tree_2x8", {{"switches", "1"}, {"dies_per_switch", "3"}}), chm_ok);
    EXPECT_EQ(m_platform->topology.dies, 3u);
    ASSERT_EQ(read_shipped("mesh_5x5", {{"link_latency_cycles", "7"},
                                        {"flit_bytes", "64"},
                                        {"mtu_bytes", "1KiB"},
                                        {"vcs", "2"},
                                        {"vc_depth_flits", "40"},
                                        {"clock_ghz", "1.7"},
                                        {"dma_channels", "2"},
                                        {"dma_channels", "3"}}),
              chm_ok)
        << messages();
    EXPECT_EQ(m_platform->topology.links[0].latency_cycles, 7u);
    EXPECT_EQ(m_platform->topology.flit_bytes, 64u);
    EXPECT_EQ(m_platform->topology.mtu_bytes, 1024u);
    EXPECT_EQ(m_platform->topology.vcs, 2u);
    EXPECT_EQ(m_platform->topology.vc_depth_flits, 40u);
    EXPECT_EQ(m_platform->topology.clock_ghz, 1.7);
    EXPECT_EQ(m_platform->parameters.dma.channels, 3u); // the last one holds
}

TEST_F(platform, files_name_parameters_and_a_name) {
    ASSERT_EQ(read_text("platform: torus\nname: my-box\ncolumns: 3\nrows: 2\n"
                        "link_latency_cycles: 20\ncosts: reference\n"),
              chm_ok)
        << messages();
    EXPECT_STREQ(m_platform->topology.name, "my-box");
    EXPECT_EQ(m_platform->topology.links[0].latency_cycles, 20u);
    EXPECT_EQ(m_platform->parameters.dma.setup_cycles, 0u);
}

struct bad_file {
    const char* text;
    const char* message; // with the line and column it must name
};

TEST_F(platform, bad_files_are_refused_with_place_key_value_and_allowed) {
    const bad_file files[] = {
        {"platform: cube\n",
         ":1:11: key 'platform': got 'cube'; allowed: mesh, torus, ring, fully_connected, "},
        {"platform: ring\n", "key 'dies' is missing; a ring needs it"},
        {"platform: ring\ndies: 257\n", ":2:7: key 'dies': got '257'; allowed: integer 1 .. 256"},
        {"columns: 3\nrows: 3\n", "key 'platform' is missing; allowed: mesh"},
        {"platform: mesh\ncolumns: 3\n", "key 'rows' is missing; a mesh needs it"},
        {"platform: mesh\ncolumns: 0\nrows: 3\n", ":2:10: key 'columns': got '0'; allowed: "},
        {"platform: mesh\ncolumns: 257\nrows: 3\n", "integer 1 .. 256"},
        {"platform: mesh\ncolumns: 9223372036854775808\nrows: 1\n", "got '9223372036854775808'"},
        {"platform: mesh\ncolumns: [3]\nrows: 3\n", "key 'columns': got a list or mapping"},
        {"platform: mesh\ncolumns: 3\nrows: 3\ncolums: 4\n",
         ":4:1: unknown key 'colums' (value '4'); allowed: platform, name, costs, columns, rows, "},
        {"platform: mesh\ncolumns: 3\nrows: 3\nswitches: 2\n", ":4:1: unknown key 'switches'"},
        {"platform: fat_tree\nswitches: 0\ndies_per_switch: 2\n",
         ":2:11: key 'switches': got '0'; allowed: integer 1 .. 1024"},
        {"platform: fat_tree\nswitches: 1024\ndies_per_switch: 65\n",
         "switches x dies_per_switch = 66560 dies; allowed: at most 65536"},
        {"platform: torus\ncolumns: 3\nrows: 3\nvcs: 3\n",
         "key 'vcs': got '3'; allowed on a torus"},
        {"platform: mesh\ncolumns: 3\nrows: 3\nvc_depth_flits: 6\n", "vc_depth_flits"},
        {"platform: mesh\ncolumns: 3\ncolumns: 3\nrows: 3\n", ":3:1: "},
        {"platform: mesh\nname: a b\ncolumns: 3\nrows: 3\n", ":2:7: key 'name': got 'a b'"},
        {"- mesh\n", "a platform is a mapping"},
        {"", "empty"},
        {"platform: mesh\ncolumns: 256\nrows: 256\nplanes: 2\n",
         "= 131072 dies; allowed: at most "},
    };
    for (const bad_file& file : files) {
        chm_status status = read_text(file.text);
        EXPECT_NE(status, chm_ok) << file.text;
        EXPECT_EQ(m_platform, nullptr);
        expect_message(file.message);
    }
}

TEST_F(platform, all_faults_come_at_once) {
    EXPECT_EQ(read_text("platform: mesh\ncolumns: x\nflit_bytes: -1\nrosw: 3\n",
                        {{"vcs", "many"}, {"spines", "1"}}),
              chm_bad_input);
    expect_message("key 'columns': got 'x'");
    expect_message("key 'flit_bytes': got '-1'");
    expect_message("unknown key 'rosw'");
    expect_message("key 'rows' is missing");
    expect_message("--set vcs: key 'vcs': got 'many'");
    expect_message("--set spines: unknown key 'spines' (value '1'); allowed: costs, columns, ");
    EXPECT_EQ(m_diagnostics.errors, 6u);
}

TEST_F(platform, keys_that_settings_make_contradict_name_the_settings) {
    // The shipped file alone is fine: its ring of 64 takes a window of 62.
    ASSERT_EQ(read_shipped("mesh_5x5", {{"window_depth", "63"}}), chm_bad_input);
    expect_message("mesh_5x5.yaml with --set: key 'window_depth': got '63'; allowed: at most");
    expect_message("mesh_5x5.yaml with --set: key 'ring_entries': got '64'; allowed: at least");
    ASSERT_EQ(read_text("platform: torus\ncolumns: 3\nrows: 3\nvcs: 3\n"), chm_bad_input);
    expect_message(".yaml: key 'vcs': got '3'");
}

TEST_F(platform, files_that_are_not_there) {
    EXPECT_EQ(read("/nonexistent/platform.yaml"), chm_io);
    expect_message("/nonexistent/platform.yaml");
    EXPECT_EQ(read(CHM_SOURCE_DIR), chm_io);
}

TEST_F(platform, knows_its_keys) {
    for (const char* key : {"columns", "switches", "vcs", "costs", "row_id_bytes"}) {
        EXPECT_TRUE(chm_platform_has_key(key)) << key;
    }
    for (const char* key : {"message_bytes", "platform", "name", ""}) {
        EXPECT_FALSE(chm_platform_has_key(key)) << key;
    }
}

} // namespace
