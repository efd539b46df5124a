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

#include "hw/base/random.h"
#include "hw/golden/network/network_calendar.h"
#include "tests/support/built_topology.h"
#include "tests/support/fabric_run.h"
#include "tests/support/message_graph.h"

using namespace chimera::fabric;
using chimera::test::built_topology;
using chimera::test::fabric_defaults;
using chimera::test::fabric_run;
using chimera::test::message_graph;

namespace {

constexpr uint64_t packet_bytes = 256;
constexpr uint32_t full = 1 + 6; // flits: a header and ceil(256 / 50)

// A topology some of whose links are slow.
class slowed {
public:
    explicit slowed(const built_topology&& built) = delete; // it must outlive this
    explicit slowed(const built_topology& built)
        : m_topology(*built), m_links(built->links, built->links + built->link_count) {
        m_topology.links = m_links.data();
    }
    void set(uint32_t link, uint32_t cycles_per_flit) {
        m_links[link].cycles_per_flit = cycles_per_flit;
    }
    void set_at_random(uint64_t seed) {
        for (uint32_t link = 0; link < m_links.size(); ++link) {
            set(link, 1 + static_cast<uint32_t>(chm_hash3(seed, 1, link) % 5));
        }
    }
    const chm_topology& operator*() const { return m_topology; }
    const chm_topology* operator->() const { return &m_topology; }

private:
    chm_topology m_topology;
    std::vector<chm_link> m_links;
};

std::vector<uint32_t> path(const chm_topology& topology, uint32_t from, uint32_t to) {
    const chm_route_key key = {from, to, 0};
    std::vector<uint32_t> links(topology.nodes);
    links.resize(chm_topology_path(&topology, &key, links.data(), topology.nodes));
    return links;
}

struct outcome {
    std::vector<uint64_t> done, busy;
};

outcome play(const chm_topology& topology, const chm_graph& graph, const fabric_params& params) {
    fabric_run run(topology, params, graph);
    const auto end = run.run();
    EXPECT_EQ(end.status, chm_ok) << end.text;
    EXPECT_TRUE(run.network().idle()) << "every credit is back";
    outcome result;
    for (uint32_t node = 0; node < graph.node_count; ++node) {
        result.done.push_back(run.player().done_at(node));
    }
    for (uint32_t link = 0; link < topology.link_count; ++link) {
        result.busy.push_back(run.network().link_busy_cycles(link));
    }
    return result;
}

fabric_params loosely(bool in_order) {
    fabric_params params;
    params.fidelity = chm_fidelity_lt;
    params.lt_in_order = in_order;
    return params;
}

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

TEST(slow_links, trains_change_nothing) {
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
TEST(slow_links, a_packet_of_room_a_channel_is_enough) {
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
TEST(slow_links, retries_keep_the_pace) {
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
TEST(slow_links, patience_is_in_proportion) {
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
TEST(slow_links, fail_and_are_gone_round) {
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
