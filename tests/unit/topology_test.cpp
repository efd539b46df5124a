// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hw/golden/network/topology.h"
#include "tests/support/built_topology.h"
#include "tests/support/dependency_graph.h"

namespace {

using chimera::test::built_topology;
using chimera::test::dependency_graph;
using chimera::test::fabric_defaults;

// Every size from 1 up: 2D to 9, 3D to 4.
void for_all_grids(const std::function<void(const built_topology&)>& test) {
    for (uint32_t x = 1; x <= 9; ++x) {
        for (uint32_t y = 1; y <= 9; ++y) {
            test(built_topology::mesh({x, y}));
            test(built_topology::torus({x, y}));
        }
    }
    for (uint32_t size = 0; size < 64; ++size) {
        std::vector<uint32_t> extent = {size % 4 + 1, size / 4 % 4 + 1, size / 16 + 1};
        test(built_topology::mesh(extent));
        test(built_topology::torus(extent));
    }
}

// Links between two dies, from coordinates alone.
uint32_t distance(const chm_topology& t, uint32_t source, uint32_t destination) {
    uint32_t a[3];
    uint32_t b[3];
    chm_topology_coordinates(&t, source, a);
    chm_topology_coordinates(&t, destination, b);
    uint32_t sum = 0;
    for (int d = 0; d < 3; ++d) {
        uint32_t apart = a[d] < b[d] ? b[d] - a[d] : a[d] - b[d];
        sum += t.wraps ? std::min(apart, t.extent[d] - apart) : apart;
    }
    return sum;
}

std::vector<uint32_t> path(const chm_topology& t, const chm_route_key& key) {
    std::vector<uint32_t> links(t.nodes + 1);
    uint32_t count = chm_topology_path(&t, &key, links.data(), static_cast<uint32_t>(links.size()));
    EXPECT_NE(count, UINT32_MAX);
    links.resize(count == UINT32_MAX ? 0 : count);
    return links;
}

void expect_sound(const chm_topology& t) {
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    EXPECT_EQ(chm_topology_check(&t, nullptr, &diagnostics), chm_ok)
        << t.name << ": " << chm_diagnostics_text(&diagnostics);
    chm_diagnostics_free(&diagnostics);
}

TEST(topology, grids_of_every_size_reach_everywhere_on_minimal_paths) {
    for_all_grids([](const built_topology& t) {
        expect_sound(*t);
        for (uint32_t s = 0; s < t->dies; ++s) {
            for (uint32_t d = 0; d < t->dies; ++d) {
                for (uint64_t random = 0; random < 1u << t->random_bits; ++random) {
                    chm_route_key key = {s, d, random};
                    ASSERT_EQ(chm_topology_path(t.get(), &key, nullptr, 0), distance(*t, s, d))
                        << t->name << " " << s << " to " << d;
                }
            }
        }
    });
}

TEST(topology, fat_trees_of_every_size_reach_everywhere) {
    for (uint32_t switches = 1; switches <= 2; ++switches) {
        for (uint32_t dies = 1; dies <= 9; ++dies) {
            auto t = built_topology::fat_tree(switches, dies);
            expect_sound(*t);
            for (uint32_t s = 0; s < t->dies; ++s) {
                for (uint32_t d = 0; d < t->dies; ++d) {
                    std::vector<uint32_t> links = path(*t, {s, d, 0});
                    ASSERT_EQ(links.size(), s / dies != d / dies ? 1u : 0u);
                    if (!links.empty()) { // link = destination mod links per direction
                        EXPECT_EQ(links[0], s / dies * dies + d % dies);
                    }
                }
            }
        }
    }
}

// Paper, network timing: 5 + 103 * H on mesh and torus, 204 and 308 on the fat tree.
TEST(topology, zero_load_latencies_are_the_published_ones) {
    for (const std::string& name : built_topology::shipped_names()) {
        auto t = built_topology::shipped(name);
        std::set<uint32_t> hop_counts;
        for (uint32_t s = 0; s < t->dies; ++s) {
            for (uint32_t d = 0; d < t->dies; ++d) {
                for (uint64_t random : {0u, 7u}) {
                    chm_route_key key = {s, d, random};
                    uint64_t expected;
                    if (name.rfind("fat_tree", 0) == 0) {
                        uint32_t per_switch = t->dies / 2;
                        expected = s / per_switch == d / per_switch ? 204 : 308;
                    } else {
                        hop_counts.insert(distance(*t, s, d));
                        expected = 5 + 103 * distance(*t, s, d);
                    }
                    ASSERT_EQ(chm_topology_latency(t.get(), &key), expected)
                        << name << " " << s << " to " << d;
                }
            }
        }
        // The farthest dies: mesh (X-1)+(Y-1), torus floor(X/2)+floor(Y/2)+floor(Z/2).
        std::map<std::string, uint32_t> farthest = {{"mesh_5x5", 8},    {"mesh_8x8", 14},
                                                    {"torus_4x4", 4},   {"torus_8x8", 8},
                                                    {"torus_2x2x2", 3}, {"torus_4x4x4", 6}};
        if (farthest.count(name) != 0) {
            EXPECT_EQ(hop_counts.size(), farthest[name] + 1) << name;
        }
    }
}

TEST(topology, latency_follows_the_link_latency) {
    chm_fabric_params fabric = fabric_defaults();
    fabric.link_latency_cycles = 7;
    auto mesh = built_topology::mesh({3, 1}, fabric);
    chm_route_key ends = {0, 2, 0};
    EXPECT_EQ(chm_topology_latency(mesh.get(), &ends), 5u + 2 * (7 + 3));
    auto tree = built_topology::fat_tree(2, 2, fabric);
    chm_route_key across = {0, 3, 0};
    EXPECT_EQ(chm_topology_latency(tree.get(), &across), 3u * 7 + 2 * 4);
}

TEST(topology, numbers_of_links_are_closed_forms) {
    for_all_grids([](const built_topology& t) {
        uint32_t expected = 0;
        for (int d = 0; d < 3; ++d) {
            uint32_t n = t->extent[d];
            uint32_t pairs = n == 1 ? 0 : (t->wraps ? n : n - 1);
            expected += 2 * pairs * (t->dies / n);
        }
        ASSERT_EQ(t->link_count, expected) << t->name;
    });
}

TEST(topology, ports_lead_to_links_and_dies) {
    auto t = built_topology::mesh({3, 2});
    // Node 1 is (1, 0): up x, down x, up y, then its die.
    EXPECT_EQ(chm_node_outputs(t.get(), 1), 4u);
    EXPECT_EQ(chm_node_inputs(t.get(), 1), 4u);
    EXPECT_EQ(t->links[chm_node_output_link(t.get(), 1, 0)].to_node, 2u);
    EXPECT_EQ(t->links[chm_node_output_link(t.get(), 1, 1)].to_node, 0u);
    EXPECT_EQ(t->links[chm_node_output_link(t.get(), 1, 2)].to_node, 4u);
    EXPECT_EQ(chm_die_ejection_port(t.get(), 1), 3u);
    EXPECT_EQ(chm_die_injection_port(t.get(), 1), 3u);
    EXPECT_EQ(chm_node_output_link(t.get(), 1, 3), UINT32_MAX);
    auto tree = built_topology::fat_tree(2, 3);
    EXPECT_EQ(chm_die_ejection_port(tree.get(), 4), 3u + 1);
    EXPECT_STREQ(tree->die_names[4], "die_1_1");
    EXPECT_STREQ(tree->node_names[1], "switch_1");
    EXPECT_STREQ(built_topology::torus({2, 2, 2})->die_names[6], "die_0_1_1");
}

TEST(topology, dimension_order_is_x_first) {
    auto t = built_topology::mesh({3, 3});
    std::vector<uint32_t> nodes;
    for (uint32_t link : path(*t, {0, 8, 0})) {
        nodes.push_back(t->links[link].to_node);
    }
    EXPECT_EQ(nodes, (std::vector<uint32_t>{1, 2, 5, 8}));
}

TEST(topology, a_ring_of_two_has_two_parallel_links_and_the_key_chooses) {
    auto t = built_topology::torus({2, 2, 2});
    EXPECT_EQ(t->link_count, 8u * 6); // two out of each die in each dimension
    EXPECT_EQ(t->random_bits, 3u);
    for (uint32_t dimension = 0; dimension < 3; ++dimension) {
        chm_route_key up = {0, 1u << dimension, 0};
        chm_route_key down = {0, 1u << dimension, 1u << dimension};
        uint32_t a = path(*t, up).at(0);
        uint32_t b = path(*t, down).at(0);
        EXPECT_NE(a, b);
        EXPECT_EQ(t->links[a].from_node, t->links[b].from_node);
        EXPECT_EQ(t->links[a].to_node, t->links[b].to_node);
        // Bits of other dimensions do not matter.
        chm_route_key other = {0, 1u << dimension, 7u & ~(1u << dimension)};
        EXPECT_EQ(path(*t, other).at(0), a);
    }
}

// Paper: going up, class 1 if the way in that ring passes the wrap link; going down, class 1 if it
// does not.
TEST(topology, virtual_channel_class_is_fixed_on_entering_a_ring) {
    auto t = built_topology::torus({5, 1});
    struct {
        uint32_t from, to, vc_class;
    } cases[] = {{0, 2, 0}, {3, 0, 1}, {2, 0, 1}, {0, 3, 0}, {4, 1, 1}, {1, 4, 0}};
    for (const auto& c : cases) {
        chm_route_key key = {c.from, c.to, 0};
        for (uint32_t node = c.from; node != c.to;) {
            chm_hop hop = t->route(t.get(), node, &key);
            EXPECT_EQ(hop.vc_class, c.vc_class) << c.from << " to " << c.to << " at " << node;
            node = t->links[chm_node_output_link(t.get(), node, hop.port)].to_node;
        }
    }
}

TEST(topology, no_cycle_of_channels_at_any_size) {
    for_all_grids(
        [](const built_topology& t) { ASSERT_TRUE(dependency_graph(*t).acyclic()) << t->name; });
    EXPECT_TRUE(dependency_graph(*built_topology::fat_tree(2, 9)).acyclic());
}

// The same torus with all packets in one class has a cycle, so the test above can fail.
TEST(topology, one_class_on_a_ring_has_a_cycle) {
    auto built = built_topology::torus({5, 1});
    static chm_route_function two_classes;
    two_classes = built->route;
    chm_topology t = *built;
    t.vc_classes = 1;
    t.route = [](const chm_topology* topology, uint32_t node, const chm_route_key* key) {
        chm_hop hop = two_classes(topology, node, key);
        hop.vc_class = 0;
        return hop;
    };
    EXPECT_FALSE(dependency_graph(t).acyclic());
}

// Flits by the paper: 1 header and ceil(8 * payload / 400) per packet of at most 256 bytes.
TEST(topology, flits_of_a_message) {
    auto t = built_topology::mesh({2, 1});
    std::map<uint64_t, uint64_t> expected = {{0, 1},         {1, 2},           {50, 2},  {51, 3},
                                             {255, 7},       {256, 7},         {257, 9}, {512, 14},
                                             {4096, 16 * 7}, {1000000, 27345}, // 3906 * 7 + 3
                                             {65536, 1792}};
    for (auto [bytes, flits] : expected) {
        EXPECT_EQ(chm_topology_flits(t.get(), bytes), flits) << bytes;
    }
}

TEST(topology, cuts_are_proper_and_named) {
    auto mesh = built_topology::mesh({5, 4});
    ASSERT_EQ(mesh->cut_count, 4u + 3);
    EXPECT_STREQ(mesh->cuts[1].name, "columns 0..1");
    EXPECT_STREQ(mesh->cuts[4].name, "rows 0..0");
    for (uint32_t n = 0; n < mesh->nodes; ++n) {
        EXPECT_EQ(mesh->cuts[1].inside[n], n % 5 <= 1);
        EXPECT_EQ(mesh->cuts[4].inside[n], n / 5 == 0);
    }
    // A ring of n splits into two arcs in n * (n - 1) / 2 ways.
    EXPECT_EQ(built_topology::torus({4, 5, 2})->cut_count, 6u + 10 + 1);
    EXPECT_EQ(built_topology::torus({17, 1})->cut_count, 8u + 9); // arcs of 8 or of 9
    EXPECT_EQ(built_topology::fat_tree(2, 4)->cut_count, 2u);
    EXPECT_EQ(built_topology::fat_tree(1, 4)->cut_count, 0u);
}

TEST(topology, check_names_every_fault) {
    auto built = built_topology::torus({3, 3});
    chm_topology t = *built;
    std::vector<chm_link> links(t.links, t.links + t.link_count);
    links[2].latency_cycles = 0;
    links[5].to_node = 99;
    t.links = links.data();
    t.vcs = 3;
    t.vc_depth_flits = 6;
    t.ejection_latency_cycles = 0;
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_origin origin = {"wiring.yaml", 0, 0};
    EXPECT_EQ(chm_topology_check(&t, &origin, &diagnostics), chm_bad_input);
    std::string text = chm_diagnostics_text(&diagnostics);
    for (const char* part : {"link 2: latency_cycles 0", "link 5: from node", "vcs 3 with 2",
                             "at least 7, the flits", "ejection_latency_cycles 0"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
    }
    EXPECT_EQ(diagnostics.errors, 5u);
    chm_diagnostics_free(&diagnostics);
}

TEST(topology, check_finds_dies_that_are_not_reached) {
    auto built = built_topology::mesh({3, 1});
    chm_topology t = *built;
    t.route = [](const chm_topology*, uint32_t, const chm_route_key*) { return chm_hop{0, 0}; };
    EXPECT_EQ(chm_topology_check(&t, nullptr, nullptr), chm_bad_input);
    chm_route_key key = {0, 2, 0};
    EXPECT_EQ(chm_topology_path(&t, &key, nullptr, 0), UINT32_MAX);
}

TEST(topology, builders_refuse_what_they_do_not_cover) {
    chm_arena arena;
    chm_arena_init(&arena);
    chm_topology t;
    chm_fabric_params fabric = fabric_defaults();
    uint32_t none[3] = {0, 3, 1};
    EXPECT_EQ(chm_build_mesh(&t, none, 2, &fabric, &arena), chm_bad_argument);
    EXPECT_EQ(chm_build_fat_tree(&t, 3, 4, 3, &fabric, &arena), chm_bad_argument);
    EXPECT_EQ(chm_build_fat_tree(&t, 0, 4, 0, &fabric, &arena), chm_bad_argument);
    chm_arena_free(&arena);
}

} // namespace
