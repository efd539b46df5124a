// SPDX-License-Identifier: Apache-2.0
// Platforms that are no grids: rings, switches, trees with a spine, boxes, and a user's own graph.
#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "platforms/platform.h"
#include "tests/support/built_topology.h"
#include "tests/support/dependency_graph.h"

namespace {

using chimera::test::dependency_graph;

// A platform read from a file of the given text; null with the faults in text() if it is refused.
class read_platform {
public:
    explicit read_platform(const std::string& yaml) {
        // Each test runs in a process of its own, beside others.
        const std::string path = testing::TempDir() + "wired_platforms_" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name() +
                                 ".yaml";
        std::ofstream(path) << yaml;
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        m_status = chm_platform_read(path.c_str(), nullptr, 0, &m_platform, &diagnostics);
        m_text = chm_diagnostics_text(&diagnostics);
        chm_diagnostics_free(&diagnostics);
    }
    read_platform(const read_platform&) = delete;
    ~read_platform() { chm_platform_free(m_platform); }

    chm_status status() const { return m_status; }
    const std::string& text() const { return m_text; }
    const chm_topology& topology() const { return m_platform->topology; }

private:
    chm_platform_description* m_platform = nullptr;
    chm_status m_status;
    std::string m_text;
};

uint64_t latency(const chm_topology& t, uint32_t from, uint32_t to) {
    const chm_route_key key = {from, to, 0};
    return chm_topology_latency(&t, &key);
}

std::vector<uint32_t> path(const chm_topology& t, uint32_t from, uint32_t to) {
    const chm_route_key key = {from, to, 0};
    std::vector<uint32_t> links(t.nodes + 1);
    const uint32_t count =
        chm_topology_path(&t, &key, links.data(), static_cast<uint32_t>(links.size()));
    EXPECT_NE(count, UINT32_MAX) << from << " to " << to;
    links.resize(count == UINT32_MAX ? 0 : count);
    return links;
}

// A graph of the shape of the given edges; `rest` is appended.
std::string graph(const std::vector<std::pair<const char*, int>>& nodes,
                  const std::vector<std::pair<const char*, const char*>>& pairs,
                  const std::string& rest = "") {
    std::string text = "platform: graph\nnodes:\n";
    for (const auto& [name, dies] : nodes) {
        text += std::string("  - {name: ") + name + ", dies: " + std::to_string(dies) + "}\n";
    }
    text += "links:\n";
    for (const auto& [a, b] : pairs) {
        text += std::string("  - {between: [") + a + ", " + b + "]}\n";
    }
    return text + rest;
}

// A ring of four nodes with a die each.
const std::vector<std::pair<const char*, int>> four = {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}};
const std::vector<std::pair<const char*, const char*>> around = {
    {"a", "b"}, {"b", "c"}, {"c", "d"}, {"d", "a"}};

void expect_fault(const std::string& yaml, const std::string& words) {
    read_platform platform(yaml);
    EXPECT_EQ(platform.status(), chm_bad_input) << yaml;
    EXPECT_NE(platform.text().find(words), std::string::npos) << platform.text();
}

} // namespace

// A ring of n: at most n / 2 links away, 5 + 103 per link as on a torus, no cycle of channels.
TEST(wired_platforms, rings_of_every_size) {
    for (uint32_t dies = 1; dies <= 12; ++dies) {
        read_platform ring("platform: ring\ndies: " + std::to_string(dies) + "\n");
        ASSERT_EQ(ring.status(), chm_ok) << ring.text();
        const chm_topology& t = ring.topology();
        EXPECT_EQ(t.link_count, dies == 1 ? 0 : 2 * dies);
        for (uint32_t from = 0; from < dies; ++from) {
            for (uint32_t to = 0; to < dies; ++to) {
                const uint32_t up = (to + dies - from) % dies;
                EXPECT_EQ(latency(t, from, to), 5 + 103 * std::min(up, dies - up));
            }
        }
        EXPECT_TRUE(dependency_graph(t).acyclic());
    }
}

// One link from everywhere to everywhere: n (n - 1) links, 5 + 103.
TEST(wired_platforms, fully_connected_platforms_of_every_size) {
    for (uint32_t dies = 1; dies <= 9; ++dies) {
        read_platform full("platform: fully_connected\ndies: " + std::to_string(dies) + "\n");
        ASSERT_EQ(full.status(), chm_ok) << full.text();
        EXPECT_EQ(full.topology().link_count, dies * (dies - 1));
        for (uint32_t from = 0; from < dies; ++from) {
            for (uint32_t to = 0; to < dies; ++to) {
                EXPECT_EQ(latency(full.topology(), from, to), from == to ? 5u : 108u);
            }
        }
        EXPECT_TRUE(dependency_graph(full.topology()).acyclic());
    }
}

TEST(wired_platforms, a_switch_is_a_fat_tree_of_one) {
    read_platform one("platform: switch\ndies: 9\n");
    ASSERT_EQ(one.status(), chm_ok) << one.text();
    EXPECT_STREQ(one.topology().name, "switch_9");
    EXPECT_EQ(one.topology().link_count, 0u);
    EXPECT_EQ(latency(one.topology(), 2, 7), 204u); // 100 + 4 + 100
}

// Above two switches a packet passes three: 100 + 4 + 100 + 4 + 100 + 4 + 100. Packets from one
// switch to d different dies of another use d different links up and down: the bisection is full.
TEST(wired_platforms, trees_with_a_spine) {
    for (uint32_t switches = 3; switches <= 5; ++switches) {
        for (uint32_t spines : {0u, 1u, 2u, 3u, 6u}) {
            std::string text = "platform: fat_tree\nswitches: " + std::to_string(switches) +
                               "\ndies_per_switch: 6\n";
            text += spines > 0 ? "spines: " + std::to_string(spines) + "\n" : "";
            read_platform tree(text);
            ASSERT_EQ(tree.status(), chm_ok) << tree.text();
            const chm_topology& t = tree.topology();
            EXPECT_EQ(t.nodes, switches + (spines > 0 ? spines : 6));
            EXPECT_EQ(t.link_count, 2 * switches * 6);
            EXPECT_EQ(latency(t, 0, 5), 204u);
            EXPECT_EQ(latency(t, 0, 6), 412u);
            std::set<uint32_t> up, down;
            for (uint32_t die = 6; die < 12; ++die) {
                up.insert(path(t, 0, die).at(0));
                down.insert(path(t, 0, die).at(1));
            }
            EXPECT_EQ(up.size(), 6u);
            EXPECT_EQ(down.size(), 6u);
            EXPECT_TRUE(dependency_graph(t).acyclic());
        }
    }
    expect_fault("platform: fat_tree\nswitches: 3\ndies_per_switch: 6\nspines: 4\n",
                 "key 'spines': got '4'; allowed: a divisor of dies_per_switch, 6");
}

// All that crosses from one bridge to the other shares its links.
TEST(wired_platforms, a_box_shares_its_bridge_links) {
    read_platform box("platform: pcie_box\nbridge_links: 2\n");
    ASSERT_EQ(box.status(), chm_ok) << box.text();
    const chm_topology& t = box.topology();
    EXPECT_EQ(t.dies, 8u);
    EXPECT_EQ(t.link_count, 4u);
    EXPECT_EQ(latency(t, 0, 3), 204u);
    EXPECT_EQ(latency(t, 0, 4), 308u);
    EXPECT_EQ(path(t, 0, 4), path(t, 3, 6));
    EXPECT_NE(path(t, 0, 4), path(t, 0, 5));
}

// Ways are the shortest in cycles, not in links: a to c directly costs 500 + 3, over b 2 * (100+3).
TEST(wired_platforms, shortest_ways_count_latencies) {
    read_platform triangle(graph({{"a", 1}, {"b", 1}, {"c", 1}}, {{"a", "b"}, {"b", "c"}},
                                 "  - {from: a, to: c, latency_cycles: 500}\n"));
    ASSERT_EQ(triangle.status(), chm_ok) << triangle.text();
    EXPECT_EQ(path(triangle.topology(), 0, 2).size(), 2u);
    EXPECT_EQ(latency(triangle.topology(), 0, 2), 5 + 2 * 103u);
    read_platform short_cut(graph({{"a", 1}, {"b", 1}, {"c", 1}}, {{"a", "b"}, {"b", "c"}},
                                  "  - {from: a, to: c, latency_cycles: 150}\n"));
    EXPECT_EQ(path(short_cut.topology(), 0, 2).size(), 1u);
    EXPECT_EQ(latency(short_cut.topology(), 0, 2), 5 + 153u);
    EXPECT_EQ(path(short_cut.topology(), 2, 0).size(), 2u); // the short cut is one-way
}

// Shortest ways on a ring of five wait in a circle; up*-down* ways on the same wires do not, and
// no way goes up after it went down.
TEST(wired_platforms, up_down_ways_never_wait_in_a_circle) {
    const std::vector<std::pair<const char*, int>> nodes = {{"a", 1}, {"b", 1}, {"c", 2},
                                                            {"d", 1}, {"e", 1}, {"f", 0}};
    const std::vector<std::pair<const char*, const char*>> pairs = {
        {"a", "b"}, {"b", "c"}, {"c", "d"}, {"d", "e"}, {"e", "a"}, {"c", "f"}, {"f", "a"}};
    read_platform shortest(graph(nodes, {pairs.begin(), pairs.begin() + 5}, ""));
    EXPECT_EQ(shortest.status(), chm_bad_input); // node f is cut off
    const std::vector<std::pair<const char*, int>> ring(nodes.begin(), nodes.begin() + 5);
    read_platform circle(graph(ring, {pairs.begin(), pairs.begin() + 5}));
    ASSERT_EQ(circle.status(), chm_ok) << circle.text();
    EXPECT_FALSE(dependency_graph(circle.topology()).acyclic());
    for (const char* root : {"a", "c", "f"}) {
        read_platform tree(
            graph(nodes, pairs, std::string("routing: up_down\nroot: ") + root + "\n"));
        ASSERT_EQ(tree.status(), chm_ok) << tree.text();
        EXPECT_TRUE(dependency_graph(tree.topology()).acyclic()) << root;
    }
}

// A ring routed upwards by a table, with the class changed at the wrap link (Dally and Seitz): no
// cycle; in one class there is one.
TEST(wired_platforms, a_users_table_decides_ways_and_classes) {
    const char ways[] = "routing: table\nvc_classes: 2\nroutes:\n"
                        "  - {at: a, to: 1..3, over: b}\n"
                        "  - {at: b, to: [2, d], over: c}\n"
                        "  - {at: b, to: a, over: c, class: 1}\n"
                        "  - {at: c, to: 3, over: d}\n"
                        "  - {at: c, to: 0..1, over: d, class: 1}\n"
                        "  - {at: d, to: 0..2, over: a, class: 1}\n";
    read_platform up(graph(four, around, ways));
    ASSERT_EQ(up.status(), chm_ok) << up.text();
    EXPECT_EQ(path(up.topology(), 1, 0).size(), 3u);
    EXPECT_TRUE(dependency_graph(up.topology()).acyclic());
    std::string one_class = ways;
    for (size_t at; (at = one_class.find(", class: 1")) != std::string::npos;) {
        one_class.erase(at, 10);
    }
    read_platform locking(graph(four, around, one_class));
    ASSERT_EQ(locking.status(), chm_ok) << locking.text();
    EXPECT_FALSE(dependency_graph(locking.topology()).acyclic());
}

TEST(wired_platforms, cuts_of_the_file_stand_behind_those_of_nodes) {
    read_platform cut(graph(four, around, "cuts:\n  - {name: half, nodes: [a, b]}\n"));
    ASSERT_EQ(cut.status(), chm_ok) << cut.text();
    ASSERT_EQ(cut.topology().cut_count, 5u);
    EXPECT_STREQ(cut.topology().cuts[1].name, "b");
    EXPECT_STREQ(cut.topology().cuts[4].name, "half");
    const std::vector<uint8_t> inside(cut.topology().cuts[4].inside,
                                      cut.topology().cuts[4].inside + 4);
    EXPECT_EQ(inside, (std::vector<uint8_t>{1, 1, 0, 0}));
}

TEST(wired_platforms, faults_of_a_graph_name_line_and_what_is_allowed) {
    const std::string nodes = "platform: graph\nnodes:\n  - {name: a, dies: 1}\n"
                              "  - {name: b, dies: 1}\n";
    const std::string linked = nodes + "links:\n  - {between: [a, b]}\n";
    expect_fault("platform: graph\n", "no node has dies");
    expect_fault("platform: graph\nnodes: 3\n", "key 'nodes' is a list");
    expect_fault("platform: graph\nnodes:\n  - left\n", ":3:5: a node is a mapping");
    expect_fault("platform: graph\nnodes:\n  - {name: 'a b', dies: 1}\n", "got 'a b'; allowed: 1");
    expect_fault("platform: graph\nnodes:\n  - {dies: 1}\n", "key 'name': got 'nothing'");
    expect_fault("platform: graph\nnodes:\n  - {name: a, dies: -1}\n", "allowed: integer 0 .. ");
    expect_fault("platform: graph\nnodes:\n  - {name: a, dies: 1, color: 2}\n",
                 "unknown key 'color'");
    expect_fault(nodes + "  - {name: a}\n", "node 'a' stands twice");
    expect_fault(nodes, "node 'a' has no way to die 1: no links lead there");
    expect_fault(nodes + "links:\n  - {from: a, to: b}\n", "node 'b' has no way to die 0");
    expect_fault(nodes + "links:\n  - {between: [a, c]}\n", "got 'c'; allowed: the name of a node");
    expect_fault(nodes + "links:\n  - {between: [a, a]}\n", "leads from node 'a' to itself");
    expect_fault(nodes + "links:\n  - {between: [a]}\n", "either between: [node, node] or from");
    expect_fault(nodes + "links:\n  - {between: [a, b], from: a}\n", "either between");
    expect_fault(nodes + "links:\n  - {between: [a, b], latency_cycles: 0}\n", "'0'; allowed: ");
    expect_fault(nodes + "links:\n  - {between: [a, b], count: 9999}\n", "integer 1 .. 1024");
    expect_fault(linked + "routing: random\n", "got 'random'; allowed: shortest, up_down, table");
    expect_fault(linked + "routing: table\n", "no entry of 'routes' says one");
    expect_fault(linked + "routing: up_down\nroot: z\n", "key 'root': got 'z'");
    expect_fault(linked + "routes:\n  - {at: a, to: 5, over: b}\n", "allowed: dies 0 .. 1");
    expect_fault(linked + "routes:\n  - {at: a, over: b}\n", "needs the keys at, to and over");
    expect_fault(linked + "routes:\n  - {at: a, to: 1, over: b, link: 1}\n", "integer 0 .. 0");
    expect_fault(linked + "routes:\n  - {at: a, to: 1, over: a}\n", "no link leads from node 'a'");
    expect_fault(linked + "routes:\n  - {at: a, to: [1, 1], over: b}\n", "a way to die 1 already");
    expect_fault(linked + "cuts:\n  - {name: x}\n", "lists the nodes on one side");
    expect_fault(linked + "columns: 3\n", "unknown key 'columns'");
    // All at once.
    read_platform several(nodes + "links:\n  - {between: [a, c]}\n  - {between: [a, a]}\n");
    EXPECT_NE(several.text().find(":6:"), std::string::npos) << several.text();
    EXPECT_NE(several.text().find(":7:"), std::string::npos) << several.text();
}

// Two nodes that send each other what belongs to a third: a circle, and it is said so.
TEST(wired_platforms, a_table_that_leads_in_a_circle_is_refused) {
    expect_fault(
        graph(four, around, "routes:\n  - {at: a, to: 2, over: b}\n  - {at: b, to: 2, over: a}\n"),
        "die 0 does not reach die 2");
}
