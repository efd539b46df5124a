// SPDX-License-Identifier: Apache-2.0
// Circles of channels in routes, told before running: a table that can lock is named, and what is
// named is a circle of packets' ways. The judge is tests/support/dependency_graph.h.
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/golden/network/route_circle.h"
#include "hw/golden/network/route_table.h"
#include "platforms/platform.h"
#include "tests/support/built_topology.h"
#include "tests/support/dependency_graph.h"

namespace {

using chimera::test::built_topology;
using chimera::test::dependency_graph;

class route_circle : public testing::Test {
protected:
    route_circle() { chm_arena_init(&m_arena); }
    ~route_circle() override {
        chm_arena_free(&m_arena);
        chm_platform_free(m_platform);
    }

    const chm_topology& read(const std::string& yaml) {
        const std::string path = testing::TempDir() + "route_circle_" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name() +
                                 ".yaml";
        std::ofstream(path) << yaml;
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        chm_platform_free(m_platform);
        m_platform = nullptr;
        EXPECT_EQ(chm_platform_read(path.c_str(), nullptr, 0, &m_platform, &diagnostics), chm_ok)
            << chm_diagnostics_text(&diagnostics);
        chm_diagnostics_free(&diagnostics);
        return m_platform->topology;
    }

    std::vector<chm_route_channel> find(const chm_topology& topology) {
        const chm_route_channel* channels = nullptr;
        uint32_t count = 0;
        EXPECT_EQ(chm_route_circle(&topology, &m_arena, &channels, &count), chm_ok);
        return {channels, channels + count};
    }

    chm_arena m_arena;
    chm_platform_description* m_platform = nullptr;
};

// The packet that is named holds the channel and asks for the next one.
void expect_circle(const chm_topology& t, const std::vector<chm_route_channel>& circle) {
    for (size_t i = 0; i < circle.size(); ++i) {
        const chm_route_channel& held = circle[i];
        const chm_route_channel& wanted = circle[(i + 1) % circle.size()];
        ASSERT_LT(held.source, t.dies);
        ASSERT_LT(held.destination, t.dies);
        const chm_route_key key = {held.source, held.destination, 0};
        bool found = false;
        chm_route_channel before = {UINT32_MAX, 0, 0, 0};
        for (uint32_t node = t.die_node[key.source]; node != t.die_node[key.destination];) {
            const chm_hop hop = t.route(&t, node, &key);
            const uint32_t link = chm_node_output_link(&t, node, hop.port);
            found = found || (before.link == held.link && before.vc_class == held.vc_class &&
                              link == wanted.link && hop.vc_class == wanted.vc_class);
            before = {link, hop.vc_class, 0, 0};
            node = t.links[link].to_node;
        }
        EXPECT_TRUE(found) << "channel " << i;
    }
}

// Four nodes in a ring, all ways upwards; the two channels of a link that ways past the wrap link
// change to if there are two classes.
std::string ring(bool two) {
    const std::string high = two ? ", class: 1" : "";
    return "platform: graph\nnodes:\n"
           "  - {name: a, dies: 1}\n  - {name: b, dies: 1}\n"
           "  - {name: c, dies: 1}\n  - {name: d, dies: 1}\n"
           "links:\n"
           "  - {from: a, to: b}\n  - {from: b, to: c}\n"
           "  - {from: c, to: d}\n  - {from: d, to: a}\n"
           "routing: table\n" +
           std::string(two ? "vc_classes: 2\n" : "") +
           "routes:\n  - {at: a, to: 1..3, over: b}\n"
           "  - {at: b, to: 2..3, over: c}\n  - {at: b, to: 0, over: c" +
           high + "}\n  - {at: c, to: 3, over: d}\n  - {at: c, to: 0..1, over: d" + high +
           "}\n  - {at: d, to: 0..2, over: a" + high + "}\n";
}

// A ring of nodes with a die each, some without, and random chords.
std::string random_graph(uint64_t seed, uint32_t nodes, const std::string& routing) {
    std::string text = "platform: graph\nrouting: " + routing + "\nnodes:\n";
    for (uint32_t n = 0; n < nodes; ++n) {
        text += "  - {name: n" + std::to_string(n) +
                ", dies: " + std::to_string(n == 0 ? 1 : chm_hash3(seed, 1, n) % 3) + "}\n";
    }
    text += "links:\n";
    for (uint32_t n = 0; n < nodes; ++n) {
        const uint64_t hash = chm_hash3(seed, 2, n);
        const uint32_t other = static_cast<uint32_t>(n + 2 + hash % (nodes - 3)) % nodes;
        for (uint32_t to : {(n + 1) % nodes, other}) {
            if (to == (n + 1) % nodes || hash >> 62 == 0) {
                text += "  - {between: [n" + std::to_string(n) + ", n" + std::to_string(to) +
                        "], count: " + std::to_string(1 + (hash >> 40) % 2) + "}\n";
            }
        }
    }
    return text;
}

} // namespace

TEST_F(route_circle, a_ring_in_one_class_is_named) {
    const chm_topology& t = read(ring(false));
    const std::vector<chm_route_channel> circle = find(t);
    ASSERT_EQ(circle.size(), 4u);
    for (uint32_t i = 0; i < 4; ++i) { // in the order of the links of the file
        EXPECT_EQ(circle[i].link, i);
        EXPECT_EQ(circle[i].vc_class, 0u);
    }
    expect_circle(t, circle);
}

TEST_F(route_circle, two_classes_break_it) {
    EXPECT_TRUE(find(read(ring(true))).empty());
}

// Two nodes: a way is one link, and asks for nothing more.
TEST_F(route_circle, one_link_waits_for_nothing) {
    EXPECT_TRUE(find(read("platform: graph\nnodes:\n  - {name: a, dies: 2}\n"
                          "  - {name: b, dies: 2}\nlinks:\n  - {between: [a, b]}\n"))
                    .empty());
    EXPECT_TRUE(find(read("platform: graph\nnodes:\n  - {name: a, dies: 2}\n")).empty());
}

// Of two circles the shorter one is named: three nodes in a triangle, joined to a ring of six.
TEST_F(route_circle, a_short_circle_is_preferred) {
    std::string text = "platform: graph\nrouting: table\nnodes:\n";
    for (const char* name : {"a", "b", "c", "d", "e", "f", "x", "y"}) {
        text += "  - {name: " + std::string(name) + ", dies: 1}\n";
    }
    text += "links:\n";
    for (const char* link :
         {"from: a, to: b", "from: b, to: c", "from: c, to: d", "from: d, to: e", "from: e, to: f",
          "from: f, to: a", "from: a, to: x", "from: x, to: y", "from: y, to: a"}) {
        text += "  - {" + std::string(link) + "}\n";
    }
    text += "routes:\n"
            "  - {at: a, to: 1..5, over: b}\n  - {at: a, to: 6..7, over: x}\n"
            "  - {at: b, to: [0, 2..7], over: c}\n  - {at: c, to: [0..1, 3..7], over: d}\n"
            "  - {at: d, to: [0..2, 4..7], over: e}\n  - {at: e, to: [0..3, 5..7], over: f}\n"
            "  - {at: f, to: [0..4, 6..7], over: a}\n"
            "  - {at: x, to: [0..5, 7], over: y}\n  - {at: y, to: 0..6, over: a}\n";
    const chm_topology& t = read(text);
    const std::vector<chm_route_channel> circle = find(t);
    EXPECT_EQ(circle.size(), 3u);
    expect_circle(t, circle);
}

TEST_F(route_circle, up_down_and_the_order_of_dimensions_are_clean) {
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        const auto nodes = static_cast<uint32_t>(4 + seed % 9);
        EXPECT_TRUE(find(read(random_graph(seed, nodes, "up_down"))).empty()) << seed;
    }
    for (const built_topology& mesh :
         {built_topology::mesh({5, 5}), built_topology::mesh({1, 7}),
          built_topology::mesh({3, 4, 2}), built_topology::fat_tree(2, 4),
          built_topology::fat_tree(5, 6)}) {
        EXPECT_TRUE(find(*mesh).empty()) << mesh->name;
    }
}

TEST_F(route_circle, shortest_ways_lock_where_the_dependency_graph_has_a_cycle) {
    uint32_t locked = 0, clean = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        const auto nodes = static_cast<uint32_t>(4 + seed % 9);
        const chm_topology& t = read(random_graph(seed, nodes, "shortest"));
        const std::vector<chm_route_channel> circle = find(t);
        EXPECT_EQ(circle.empty(), dependency_graph(t).acyclic()) << seed;
        expect_circle(t, circle);
        (circle.empty() ? clean : locked)++;
    }
    EXPECT_GT(locked, 5u);
    EXPECT_GT(clean, 5u);
}
