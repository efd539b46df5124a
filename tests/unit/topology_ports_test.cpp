// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/platform.h"
#include "tests/support/built_topology.h"

using chimera::test::built_topology;
using chimera::test::fabric_defaults;
using ::testing::HasSubstr;

namespace {

chm_fabric_params with_ports(uint64_t ports) {
    chm_fabric_params wiring = fabric_defaults();
    wiring.ports_per_die = ports;
    return wiring;
}

chm_status read(const char* platform, const char* ports, std::string& text) {
    const std::string path = std::string(CHM_SOURCE_DIR "/platforms/") + platform + ".yaml";
    const chm_setting setting = {"ports_per_die", ports};
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_platform_description* made = nullptr;
    const chm_status status = chm_platform_read(path.c_str(), &setting, 1, &made, &diagnostics);
    text = chm_diagnostics_text(&diagnostics);
    chm_diagnostics_free(&diagnostics);
    chm_platform_free(made);
    return status;
}

} // namespace

// 3 x 3: links of the four corners 2, of the edges 3, of the middle 4.
TEST(topology_ports, a_die_has_no_more_ports_than_its_router_has_links) {
    const uint32_t links[] = {2, 3, 2, 3, 4, 3, 2, 3, 2};
    for (uint32_t asked : {1u, 2u, 3u, 4u}) {
        const built_topology mesh = built_topology::mesh({3, 3}, with_ports(asked));
        for (uint32_t die = 0; die < 9; ++die) {
            const uint32_t ports = std::min(asked, links[die]);
            EXPECT_EQ(chm_die_ports(mesh.get(), die), ports);
            EXPECT_EQ(chm_node_outputs(mesh.get(), die), links[die] + ports);
            EXPECT_EQ(chm_node_inputs(mesh.get(), die), links[die] + ports);
            EXPECT_EQ(chm_die_ejection_port(mesh.get(), die), links[die]);
        }
        EXPECT_EQ(chm_topology_most_ports(mesh.get()), asked);
    }
}

TEST(topology_ports, ports_of_dies_on_one_switch_follow_each_other) {
    const built_topology tree = built_topology::fat_tree(2, 8, with_ports(3));
    for (uint32_t die = 0; die < 16; ++die) {
        EXPECT_EQ(chm_die_ejection_port(tree.get(), die), 8 + die % 8 * 3);
        EXPECT_EQ(tree->first_die_port[die], die * 3);
    }
    EXPECT_EQ(chm_node_outputs(tree.get(), 0), 8 + 8 * 3u);
    for (uint32_t local = 0; local < 24; ++local) {
        EXPECT_EQ(chm_node_port_die(tree.get(), 1, local), 8 + local / 3);
    }
}

// Router 4 of 3 x 3 has the links +x, -x, +y, -y in this order; inputs are in the order of the
// neighbours, 1, 3, 5, 7, to which it sends by -y, -x, +x, +y.
TEST(topology_ports, the_first_and_the_last_link_say_which_port) {
    const built_topology mesh = built_topology::mesh({3, 3}, with_ports(4));
    const uint32_t neighbours[] = {5, 3, 7, 1};
    for (uint32_t port = 0; port < 4; ++port) {
        const chm_route_key away = {4, neighbours[port], 0};
        EXPECT_EQ(chm_topology_port_out(mesh.get(), &away), port);
    }
    const chm_route_key corner = {4, 0, 0}; // x first
    EXPECT_EQ(chm_topology_port_out(mesh.get(), &corner), 1u);
    const uint32_t back[] = {3, 1, 0, 2};
    for (uint32_t input = 0; input < 4; ++input) {
        EXPECT_EQ(chm_die_port_in(mesh.get(), 0, 4, input), back[input]);
    }
    const built_topology two = built_topology::mesh({3, 3}, with_ports(2));
    for (uint32_t link = 0; link < 4; ++link) { // one for x, one for y
        EXPECT_EQ(chm_die_port_out(two.get(), 4, neighbours[link], link), link / 2);
        EXPECT_EQ(chm_die_port_in(two.get(), 0, 4, link), back[link] / 2);
    }
}

TEST(topology_ports, more_ports_than_any_router_has_links_are_refused) {
    std::string text;
    EXPECT_EQ(read("mesh_5x5", "4", text), chm_ok) << text;
    EXPECT_EQ(read("mesh_5x5", "5", text), chm_bad_input);
    EXPECT_THAT(text, HasSubstr("ports_per_die 5; allowed: 1 .. 4"));
    EXPECT_THAT(text, HasSubstr("die_1_1, whose router_1_1 has 4 out and 4 in"));
    EXPECT_EQ(read("mesh_5x5", "0", text), chm_bad_input);
    EXPECT_THAT(text, HasSubstr("allowed: integer 1 .. 255"));
    EXPECT_EQ(read("torus_4x4x4", "6", text), chm_ok) << text;
    EXPECT_EQ(read("torus_4x4x4", "7", text), chm_bad_input);
    EXPECT_EQ(read("ring_8", "2", text), chm_ok) << text;
    EXPECT_EQ(read("ring_8", "3", text), chm_bad_input);
    EXPECT_EQ(read("switch_8", "1", text), chm_ok) << text;
    EXPECT_EQ(read("switch_8", "2", text), chm_bad_input); // its one node has no links
    EXPECT_EQ(read("fat_tree_2x8", "8", text), chm_ok) << text;
    EXPECT_EQ(read("two_racks", "2", text), chm_ok) << text;
}
