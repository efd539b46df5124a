// SPDX-License-Identifier: Apache-2.0
// How a platform says how fast its links are.
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "platforms/platform.h"

namespace {

// Reads a graph of two nodes with one link entry, or any file; the cycles per flit of its links.
class link_speed : public testing::Test {
protected:
    std::vector<uint32_t> read(const std::string& yaml,
                               const std::vector<chm_setting>& settings = {}) {
        const std::string path = testing::TempDir() + "link_speed_" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name() +
                                 ".yaml";
        std::ofstream(path) << yaml;
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        chm_platform_description* platform = nullptr;
        m_status =
            chm_platform_read(path.c_str(), settings.data(), static_cast<uint32_t>(settings.size()),
                              &platform, &diagnostics);
        m_text = chm_diagnostics_text(&diagnostics);
        chm_diagnostics_free(&diagnostics);
        std::vector<uint32_t> cycles;
        for (uint32_t link = 0; platform != nullptr && link < platform->topology.link_count;
             ++link) {
            cycles.push_back(platform->topology.links[link].cycles_per_flit);
        }
        chm_platform_free(platform);
        return cycles;
    }
    std::vector<uint32_t> read_link(const std::string& speed,
                                    const std::vector<chm_setting>& settings = {}) {
        return read("platform: graph\nnodes: [{name: a, dies: 1}, {name: b, dies: 1}]\n"
                    "links: [{between: [a, b]" +
                        speed + "}]\n",
                    settings);
    }

    chm_status m_status = chm_ok;
    std::string m_text;
};

using numbers = std::vector<uint32_t>;

} // namespace

TEST_F(link_speed, both_words_say_the_same) {
    const std::vector<std::pair<const char*, uint32_t>> values = {
        {"", 1},
        {", cycles_per_flit: 1", 1},
        {", cycles_per_flit: 7", 7},
        {", cycles_per_flit: 1024", 1024},
        {", bytes_per_cycle: 50", 1},
        {", bytes_per_cycle: 25", 2},
        {", bytes_per_cycle: 12.5", 4},
        {", bytes_per_cycle: 16.67", 3}, // 16.666.. and two parts in ten thousand
        {", bytes_per_cycle: 5.56", 9},
        {", bytes_per_cycle: 0.048828125", 1024}};
    for (const auto& [text, cycles] : values) {
        EXPECT_EQ(read_link(text), (numbers{cycles, cycles})) << text << ": " << m_text;
    }
}

TEST_F(link_speed, what_does_not_fit_is_refused_with_what_does) {
    const std::vector<std::pair<const char*, const char*>> values = {
        {"bytes_per_cycle: 20",
         "key 'bytes_per_cycle': got '20'; allowed: flit_bytes 50 / 1, 2, 3 .. 1024, the nearest "
         "being 25 and 16.67 (cycles_per_flit 2 and 3)"},
        {"bytes_per_cycle: 49", "the nearest being 50 and 25 (cycles_per_flit 1 and 2)"},
        {"bytes_per_cycle: 51", "got '51'; allowed: flit_bytes 50 / 1, 2, 3 .. 1024, at most 50"},
        {"bytes_per_cycle: 0", "got '0'; allowed: flit_bytes 50 /"},
        {"bytes_per_cycle: -25", "got '-25'; allowed: flit_bytes 50 /"},
        {"bytes_per_cycle: 0.04", "got '0.04'; allowed: flit_bytes 50 /"},
        {"bytes_per_cycle: nan", "got 'nan'; allowed: flit_bytes 50 /"},
        {"bytes_per_cycle: [25]", "got 'a list or mapping'; allowed: flit_bytes 50 /"},
        {"cycles_per_flit: 0", "key 'cycles_per_flit': got '0'; allowed: integer 1 .. 1024"},
        {"cycles_per_flit: 1025", "got '1025'; allowed: integer 1 .. 1024"},
        {"cycles_per_flit: 1.5", "got '1.5'; allowed: integer 1 .. 1024"},
        {"cycles_per_flit: 2, bytes_per_cycle: 25",
         "a link has either cycles_per_flit or bytes_per_cycle"},
        {"bandwidth: 25", "unknown key 'bandwidth'; allowed: between, from, to, count, "
                          "latency_cycles, cycles_per_flit, bytes_per_cycle"}};
    for (const auto& [text, message] : values) {
        read_link(std::string(", ") + text);
        EXPECT_EQ(m_status, chm_bad_input) << text;
        EXPECT_NE(m_text.find(message), std::string::npos) << text << ": " << m_text;
        EXPECT_NE(m_text.find(".yaml:3:"), std::string::npos) << "where: " << m_text;
    }
}

// A bandwidth in bytes stays when flits grow, one in cycles does not.
TEST_F(link_speed, settings_change_it) {
    EXPECT_EQ(read_link(", bytes_per_cycle: 25", {{"flit_bytes", "100"}}), (numbers{4, 4}));
    EXPECT_EQ(read_link(", cycles_per_flit: 2", {{"flit_bytes", "100"}}), (numbers{2, 2}));
    read_link(", bytes_per_cycle: 25", {{"flit_bytes", "60"}});
    EXPECT_NE(m_text.find("the nearest being 30 and 20"), std::string::npos) << m_text;
    // Of those that say nothing.
    EXPECT_EQ(read_link("", {{"link_cycles_per_flit", "5"}}), (numbers{5, 5}));
    EXPECT_EQ(read_link(", cycles_per_flit: 2", {{"link_cycles_per_flit", "5"}}), (numbers{2, 2}));
}

TEST_F(link_speed, is_that_of_every_link_of_the_other_kinds) {
    for (const char* shape :
         {"mesh\ncolumns: 3\nrows: 2", "torus\ncolumns: 3\nrows: 2", "ring\ndies: 5",
          "fully_connected\ndies: 4", "fat_tree\nswitches: 2\ndies_per_switch: 3",
          "fat_tree\nswitches: 3\ndies_per_switch: 4\nspines: 2", "pcie_box\nbridge_links: 2"}) {
        const numbers cycles =
            read(std::string("platform: ") + shape + "\nlink_cycles_per_flit: 6\n");
        EXPECT_FALSE(cycles.empty()) << shape << m_text;
        EXPECT_EQ(cycles, numbers(cycles.size(), 6)) << shape;
    }
    read("platform: ring\ndies: 4\nlink_cycles_per_flit: 0\n");
    EXPECT_NE(m_text.find("key 'link_cycles_per_flit': got '0'; allowed: integer 1 .. 1024"),
              std::string::npos)
        << m_text;
}
