// SPDX-License-Identifier: Apache-2.0
// Slow links under traffic: with and without trains, in small channels, losing packets, failing.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/message_graph.h"
#include "tests/support/slowed_topology.h"

using namespace chimera::fabric;
using namespace chimera::test;

namespace {

message_graph random_traffic(uint32_t dies, uint64_t seed, uint32_t messages) {
    message_graph graph;
    for (uint32_t i = 0; i < messages; ++i) {
        const uint64_t hash = chm_hash3(seed, dies, i);
        const auto from = static_cast<uint32_t>(hash % dies);
        const auto to = static_cast<uint32_t>((hash >> 20) % dies);
        std::vector<uint32_t> after;
        if (i > 4 && hash >> 62 == 0) {
            after.push_back(i - 1 - static_cast<uint32_t>((hash >> 36) % 4));
        }
        graph.send(from, to, 1 + (hash >> 40) % 20000, after);
    }
    return graph;
}

} // namespace

TEST(slow_links_traffic, trains_change_nothing) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        for (const built_topology& built :
             {built_topology::mesh({4, 3}), built_topology::torus({4, 4}),
              built_topology::fat_tree(3, 4)}) {
            slowed topology(built);
            topology.set_at_random(seed);
            for (uint32_t messages : {12u, 200u}) {
                message_graph graph = random_traffic(built->dies, seed, messages);
                fabric_params params;
                const outcome with = play(*topology, graph.get(), params);
                params.trains = false;
                const outcome without = play(*topology, graph.get(), params);
                EXPECT_EQ(with.done, without.done) << built->name << " " << seed;
                EXPECT_EQ(with.busy, without.busy) << built->name << " " << seed;
                EXPECT_EQ(play(*topology, graph.get(), loosely(true)).busy, with.busy);
            }
        }
    }
}

// Channels that hold one packet: it must have left before the next may come.
TEST(slow_links_traffic, a_packet_of_room_a_channel_is_enough) {
    chm_fabric_params fabric = fabric_defaults();
    fabric.vc_depth_flits = full;
    fabric.vcs = 2;
    const built_topology torus = built_topology::torus({4, 4}, fabric);
    const built_topology usual = built_topology::torus({4, 4});
    slowed topology(torus), roomy(usual);
    topology.set_at_random(7);
    roomy.set_at_random(7);
    message_graph graph = random_traffic(topology->dies, 7, 200);
    const outcome narrow = play(*topology, graph.get(), fabric_params());
    const outcome wide = play(*roomy, graph.get(), fabric_params());
    EXPECT_EQ(narrow.busy, wide.busy);
    EXPECT_GT(*std::max_element(narrow.done.begin(), narrow.done.end()),
              *std::max_element(wide.done.begin(), wide.done.end()));
}

// A link that loses packets sends the same flits again at its own pace.
TEST(slow_links_traffic, retries_keep_the_pace) {
    const built_topology line = built_topology::mesh({3, 1});
    slowed topology(line);
    const uint32_t link = path(*topology, 0, 1)[0];
    topology.set(link, 5);
    message_graph graph;
    graph.send(0, 1, 200 * packet_bytes);
    fabric_params params;
    params.drop_probability = 0.02;
    const outcome lossy = play(*topology, graph.get(), params);
    const uint64_t flits = 200 * full;
    EXPECT_GT(lossy.busy[link], 5 * flits);
    EXPECT_EQ(lossy.busy[link] % 5, 0u);
    EXPECT_GT(lossy.done[0], lossy.busy[link] + 100);
}

// Packets of 65,537 flits at 1,024 cycles each: nothing is seen to move for 67 million cycles, and
// longer if one is lost, while all is well.
TEST(slow_links_traffic, patience_is_in_proportion) {
    chm_fabric_params fabric = fabric_defaults();
    fabric.flit_bytes = 1;
    fabric.mtu_bytes = 65536;
    fabric.vc_depth_flits = 70000;
    fabric.link_cycles_per_flit = 1024;
    const built_topology pair = built_topology::mesh({2, 1}, fabric);
    message_graph graph;
    graph.send(0, 1, 4 * 65536);
    graph.send(1, 0, 4 * 65536);
    const outcome sound = play(*pair, graph.get(), fabric_params());
    EXPECT_EQ(sound.done[0], 108 + 1 + (4 * 65537u - 1) * 1024);
    fabric_params lossy;
    lossy.drop_probability = 0.3;
    EXPECT_GT(play(*pair, graph.get(), lossy).done[0], sound.done[0]);
}

// A link that fails while slow packets are on it gives them back; they go the other way round.
TEST(slow_links_traffic, fail_and_are_gone_round) {
    chm_fabric_params fabric = fabric_defaults();
    fabric.link_cycles_per_flit = 6;
    const built_topology ring = built_topology::mesh({2, 2}, fabric);
    message_graph graph;
    graph.send(0, 1, 40 * packet_bytes);
    fabric_params params;
    const uint64_t alone = play(*ring, graph.get(), params).done[0];
    EXPECT_EQ(alone, 108 + 1 + (40 * full - 1) * 6);
    chm_failure failure{};
    failure.kind = chm_failure_link;
    failure.first = 0;
    failure.second = 1;
    failure.cycle = 1000;
    params.failures = {failure};
    const outcome failed = play(*ring, graph.get(), params);
    const uint32_t link = path(*ring, 0, 1)[0];
    // Packet k is across at 104 + 42 k: by 1000 that are 21 of 40. The others are sent again, over
    // three links.
    EXPECT_GT(failed.done[0], 1000 + params.reroute_cycles + 3 * 103 + (19 * full - 1) * 6);
    EXPECT_GE(failed.busy[link], 21 * full * 6);
}
