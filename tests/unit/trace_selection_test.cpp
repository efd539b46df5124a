// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "hw/trace/catalog.h"
#include "hw/trace/selection.h"
#include "tests/support/built_topology.h"

namespace {

using namespace chimera::trace;
using chimera::test::built_topology;

struct window_case {
    const char* text;
    uint64_t khz, begin, end;
};

// At 1 GHz a cycle is 1000 ps. At 1.6 GHz cycle n is due at ceil(n * 625) ps; at 0.3 GHz at
// ceil(n * 10000 / 3): 0, 3334, 6667, 10000.
TEST(trace_window, takes_picoseconds_and_cycles) {
    const window_case cases[] = {
        {"0:1000", 1000000, 0, 1},       {"1:999", 1000000, 1, 0},
        {"1000:2999", 1000000, 1, 2},    {"5c:9c", 1000000, 5, 9},
        {"5c:9000", 1000000, 5, 9},      {":9c", 1000000, 0, 9},
        {"9c:", 1000000, 9, UINT64_MAX}, {":", 1000000, 0, UINT64_MAX},
        {"626:1250", 1600000, 2, 2},     {"3334:9999", 300000, 1, 2},
        {"3335:10000", 300000, 2, 3},
    };
    for (const window_case& item : cases) {
        selection window;
        if (item.begin > item.end) { // no cycle is due within
            EXPECT_FALSE(parse_window(item.text, item.khz, window)) << item.text;
            continue;
        }
        EXPECT_TRUE(parse_window(item.text, item.khz, window)) << item.text;
        EXPECT_EQ(window.begin, item.begin) << item.text;
        EXPECT_EQ(window.end, item.end) << item.text;
    }
}

TEST(trace_window, refuses_what_is_none) {
    for (const char* text : {"", "5", "5c", "9c:5c", "a:b", "1:2:3", "-1:5", "1.5:2", "c:5", "1 :2",
                             "99999999999999999999:", "1cc:2"}) {
        selection window;
        EXPECT_FALSE(parse_window(text, 1000000, window)) << text;
        EXPECT_EQ(window.end, UINT64_MAX);
    }
}

TEST(trace_scopes, select_what_is_below_them) {
    selection some;
    some.scopes = {"die_1_0", "die_0_0.engine"};
    EXPECT_TRUE(some.selects("die_1_0.dma"));
    EXPECT_TRUE(some.selects("die_0_0.engine"));
    EXPECT_FALSE(some.selects("die_0_0.dma"));
    EXPECT_FALSE(some.selects("die_1_01"));
    EXPECT_FALSE(some.selects("die_0_0"));
    EXPECT_TRUE(some.touches("die_0_0"));
    EXPECT_FALSE(some.touches("die_0"));
    EXPECT_TRUE(selection().selects("anything"));
}

// Every name once, of plain characters; a die has the same signals as every other, a node so many
// per port: (links out + dies) * 4 and (links in + dies) * vcs. A torus of 2 has parallel links.
TEST(trace_catalog, names_are_plain_and_unique) {
    for (const std::string& name : built_topology::shipped_names()) {
        const built_topology topology = built_topology::shipped(name);
        const catalog map({topology.get(), nullptr, 1000000, 3});
        std::set<std::string> paths;
        for (const auto& item : map.signals()) {
            const std::string path = map.path(item);
            EXPECT_EQ(path.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_."),
                      std::string::npos)
                << path;
            EXPECT_TRUE(paths.insert(path).second) << path;
            EXPECT_TRUE(map.knows(path.substr(0, path.rfind('.'))));
        }
        const size_t links = topology->link_count, dies = topology->dies;
        EXPECT_EQ(map.signals().size(),
                  dies * (1 + 3 * 4) + (links + dies) * 4 + (links + dies) * topology->vcs);
        EXPECT_TRUE(map.knows(topology->die_names[dies - 1]));
        EXPECT_FALSE(map.knows("die"));
        EXPECT_FALSE(map.knows(""));
    }
}

// Indices lead to the signals that their names say.
TEST(trace_catalog, finds_signals_by_place) {
    const built_topology topology = built_topology::mesh({3, 1});
    const catalog map({topology.get(), nullptr, 1000000, 2});
    const auto path = [&](uint32_t index) { return map.path(map.signals()[index]); };
    EXPECT_EQ(path(map.of_dma(1, arrived_packets_signal)), "die_1_0.dma.arrived_packets");
    EXPECT_EQ(path(map.of_channel(2, 1, channel_operation_signal)),
              "die_2_0.dma.channel_1_operation");
    const uint32_t ejection = chm_die_ejection_port(topology.get(), 1);
    EXPECT_EQ(path(map.of_link(1, ejection, busy_signal)), "router_1_0.to_die_1_0.busy");
    const uint32_t injection = chm_die_injection_port(topology.get(), 1);
    EXPECT_EQ(path(map.of_buffer(1, injection, 3)), "router_1_0.from_die_1_0.vc_3_flits");
}

} // namespace
