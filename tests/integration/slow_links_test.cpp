// SPDX-License-Identifier: Apache-2.0
// Links that carry a flit every n cycles. A packet of f flits holds such a link for n f cycles, and
// goes on over one of m < n cycles per flit when (n - m)(f - 1) have passed since its head came, so
// that its flits follow without gaps.
//
// So a message of F flits, in packets of f, over links of n1 .. nH cycles per flit arrives alone on
// a network at issue + L + (F - f) N + f + (f - 1) D, where L is the latency at zero load, N the
// largest of n1 .. nH, for the packets before the last one, and D the sum of all falls from one
// link to the next and from the last to 1. Where the speeds only rise and then only fall, D is N -
// 1, and that is L + 1 + (F - 1) N whatever the packets.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/golden/network/network_calendar.h"
#include "tests/support/message_graph.h"
#include "tests/support/slowed_topology.h"

using namespace chimera::fabric;
using namespace chimera::test;

namespace {

uint64_t arrival_alone(const chm_topology& topology, uint32_t from, uint32_t to, uint64_t bytes,
                       const fabric_params& params) {
    message_graph graph;
    graph.send(from, to, bytes);
    return play(topology, graph.get(), params).done[0];
}

uint64_t golden(const chm_topology& topology, uint32_t from, uint32_t to, uint64_t bytes) {
    const std::vector<uint32_t> links = path(topology, from, to);
    chm_network_calendar network;
    EXPECT_EQ(chm_network_calendar_init(&network, &topology), chm_ok);
    const chm_chunk chunk = {from, to, chm_topology_flits(&topology, bytes), links.data(),
                             static_cast<uint32_t>(links.size())};
    chm_chunk_times times{};
    EXPECT_EQ(chm_network_calendar_send(&network, &chunk, 0, &times), chm_ok);
    EXPECT_EQ(times.sent, chunk.flits) << "the die's port is as fast as ever";
    chm_network_calendar_free(&network);
    return times.arrived;
}

struct formula {
    uint64_t slowest = 1, falls = 0;
    bool one_hill = true; // rises, then falls

    formula(const chm_topology& topology, const std::vector<uint32_t>& links) {
        uint64_t before = 1;
        bool fell = false;
        for (uint32_t link : links) {
            const uint64_t n = topology.links[link].cycles_per_flit;
            one_hill = one_hill && !(fell && n > before);
            fell = fell || n < before;
            falls += before > n ? before - n : 0;
            slowest = std::max(slowest, n);
            before = n;
        }
        falls += before - 1;
    }
    // Of packets all alike.
    uint64_t cycles(uint64_t latency, uint64_t packets) const {
        return latency + (packets - 1) * full * slowest + full + (full - 1) * falls;
    }
};

// AT and the golden calendar exactly; LT, which keeps a chunk together, where it is one hill.
void expect_formula(const chm_topology& topology, uint32_t from, uint32_t to) {
    const chm_route_key key = {from, to, 0};
    const uint64_t latency = chm_topology_latency(&topology, &key);
    const formula f(topology, path(topology, from, to));
    for (uint64_t packets : {1u, 2u, 5u, 40u}) {
        const uint64_t bytes = packets * packet_bytes, expected = f.cycles(latency, packets);
        EXPECT_EQ(arrival_alone(topology, from, to, bytes, fabric_params()), expected) << packets;
        EXPECT_EQ(golden(topology, from, to, bytes), expected) << packets;
        for (bool in_order : {true, false}) {
            const uint64_t lt = arrival_alone(topology, from, to, bytes, loosely(in_order));
            EXPECT_GE(lt, expected);
            if (f.one_hill) {
                EXPECT_EQ(lt, expected) << packets << (in_order ? " in order" : " by calls");
            }
        }
    }
    for (uint64_t bytes : {0u, 1u, 300u, 999u, 5000u}) { // packets of all sizes
        if (f.one_hill) {
            const uint64_t flits = chm_topology_flits(&topology, bytes);
            const uint64_t expected = latency + 1 + (flits - 1) * f.slowest;
            EXPECT_EQ(arrival_alone(topology, from, to, bytes, fabric_params()), expected);
            EXPECT_EQ(arrival_alone(topology, from, to, bytes, loosely(true)), expected);
            EXPECT_EQ(golden(topology, from, to, bytes), expected);
        }
    }
}

} // namespace

TEST(slow_links, one_message_over_a_line_of_any_speeds) {
    const built_topology line = built_topology::mesh({5, 1});
    const std::vector<std::vector<uint32_t>> speeds = {
        {1, 1, 1, 1}, {4, 1, 1, 1}, {1, 1, 1, 4}, {1, 3, 1, 1}, {2, 2, 2, 2}, {1, 2, 5, 2},
        {5, 4, 3, 2}, {2, 3, 4, 5}, {4, 1, 4, 1}, {2, 5, 1, 3}, {9, 1, 1, 9}, {64, 1, 2, 1}};
    for (const std::vector<uint32_t>& each : speeds) {
        slowed topology(line);
        const std::vector<uint32_t> way = path(*topology, 0, 4);
        ASSERT_EQ(way.size(), each.size());
        std::string text;
        for (size_t i = 0; i < way.size(); ++i) {
            topology.set(way[i], each[i]);
            text += std::to_string(each[i]) + " ";
        }
        SCOPED_TRACE(text);
        expect_formula(*topology, 0, 4);
    }
}

TEST(slow_links, one_message_on_every_topology) {
    chm_fabric_params slow = fabric_defaults();
    slow.link_cycles_per_flit = 3;
    chm_fabric_params near = slow;
    near.link_latency_cycles = 1;
    for (const chm_fabric_params& fabric : {slow, near}) {
        for (const built_topology& built :
             {built_topology::mesh({4, 3}, fabric), built_topology::torus({5, 3}, fabric),
              built_topology::fat_tree(2, 4, fabric), built_topology::fat_tree(4, 4, fabric)}) {
            SCOPED_TRACE(built->name);
            for (uint32_t to : {1u, built->dies / 2, built->dies - 1}) {
                expect_formula(*built, 0, to);
            }
        }
    }
}

// Two slow links from both sides fill the port of the die between: neither waits for the other
// longer than a packet each time one of the other's is there first.
TEST(slow_links, a_fast_port_takes_from_several_slow_links) {
    const built_topology line = built_topology::mesh({3, 1});
    slowed topology(line);
    const uint32_t left = path(*topology, 0, 1)[0], right = path(*topology, 2, 1)[0];
    topology.set(left, 2);
    topology.set(right, 2);
    const uint64_t packets = 100, alone = 108 + 1 + (packets * full - 1) * 2;
    for (const fabric_params& params : {fabric_params(), loosely(true), loosely(false)}) {
        message_graph graph;
        graph.send(0, 1, packets * packet_bytes);
        graph.send(2, 1, packets * packet_bytes);
        const outcome both = play(*topology, graph.get(), params);
        for (uint64_t done : both.done) {
            EXPECT_GE(done, alone);
            EXPECT_LE(done, alone + 4 * full); // of a chunk of LT
        }
        EXPECT_EQ(both.busy[left], packets * full * 2);
        EXPECT_EQ(both.busy[right], packets * full * 2);
    }
}

// Parallel messages share a slow link's bandwidth: the last arrives as if they were one.
TEST(slow_links, a_link_is_never_faster_than_it_is) {
    chm_fabric_params fabric = fabric_defaults();
    fabric.link_cycles_per_flit = 4;
    const built_topology tree = built_topology::fat_tree(2, 4, fabric); // die i crosses link i
    const uint64_t packets = 60;
    for (const fabric_params& params : {fabric_params(), loosely(true), loosely(false)}) {
        message_graph graph;
        for (uint32_t die = 0; die < 4; ++die) {
            graph.send(die, 4, packets * packet_bytes);
        }
        const outcome all = play(*tree, graph.get(), params);
        EXPECT_EQ(*std::max_element(all.done.begin(), all.done.end()),
                  308 + 1 + (4 * packets * full - 1) * 4);
    }
}
