// SPDX-License-Identifier: Apache-2.0
// A user's own wiring on the machine: what its routing table does wrong is found while it runs.
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "hw/fabric/replay.h"
#include "platforms/platform.h"
#include "tests/support/message_graph.h"

using namespace chimera::fabric;
using chimera::test::message_graph;

namespace {

// Four nodes in a ring, all ways upwards by a table; with `two` classes, changed at the wrap link.
chm_platform_description* ring_of_tables(bool two) {
    const std::string high = two ? ", class: 1" : "";
    const std::string path =
        testing::TempDir() + (two ? "user_graph_two" : "user_graph_one") + ".yaml";
    std::ofstream(path) << "platform: graph\nnodes:\n"
                           "  - {name: a, dies: 1}\n  - {name: b, dies: 1}\n"
                           "  - {name: c, dies: 1}\n  - {name: d, dies: 1}\n"
                           "links:\n"
                           "  - {from: a, to: b}\n  - {from: b, to: c}\n"
                           "  - {from: c, to: d}\n  - {from: d, to: a}\n"
                           "routing: table\nvc_depth_flits: 7\n"
                        << (two ? "vc_classes: 2\nvcs: 2\n" : "vcs: 1\n")
                        << "routes:\n  - {at: a, to: 1..3, over: b}\n"
                           "  - {at: b, to: 2..3, over: c}\n  - {at: b, to: 0, over: c"
                        << high << "}\n  - {at: c, to: 3, over: d}\n  - {at: c, to: 0..1, over: d"
                        << high << "}\n  - {at: d, to: 0..2, over: a" << high << "}\n";
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_platform_description* platform = nullptr;
    EXPECT_EQ(chm_platform_read(path.c_str(), nullptr, 0, &platform, &diagnostics), chm_ok)
        << chm_diagnostics_text(&diagnostics);
    chm_diagnostics_free(&diagnostics);
    return platform;
}

replay_result all_the_way_round(chm_platform_description* platform) {
    message_graph graph;
    for (uint32_t die = 0; die < 4; ++die) {
        graph.send(die, (die + 3) % 4, 4096);
    }
    fabric_params params;
    params.watchdog_cycles = 5000;
    return run_replay(platform->topology, params, graph.get());
}

} // namespace

TEST(user_graph, the_watchdog_names_the_circle_of_a_table_that_locks) {
    chm_platform_description* platform = ring_of_tables(false);
    ASSERT_NE(platform, nullptr);
    const replay_result result = all_the_way_round(platform);
    EXPECT_EQ(result.status, chm_deadlock);
    const std::string& text = result.text;
    EXPECT_NE(text.find("deadlock, a circle of waits: a input 0 channel 0 (packet "),
              std::string::npos)
        << text;
    // One channel per link, so all four are in the circle, in the order of the ring.
    size_t at = 0;
    for (const char* line : {"a input 0 channel 0 (packet ", ", for room at b)",
                             "  which waits for b input 0 channel 0 (packet ", ", for room at c)",
                             "  which waits for c input 0 channel 0 (packet ", ", for room at d)",
                             "  which waits for d input 0 channel 0 (packet ", ", for room at a)",
                             "  which waits for the first"}) {
        at = text.find(line, at);
        EXPECT_NE(at, std::string::npos) << line << " in\n" << text;
    }
    chm_platform_free(platform);
}

// The same ways in two classes finish: 3 links each of 103 cycles is the least.
TEST(user_graph, two_classes_break_the_circle) {
    chm_platform_description* platform = ring_of_tables(true);
    ASSERT_NE(platform, nullptr);
    const replay_result result = all_the_way_round(platform);
    EXPECT_EQ(result.status, chm_ok) << result.text;
    EXPECT_GT(result.cycles, 5 + 3 * 103 + 112u);
    chm_platform_free(platform);
}
