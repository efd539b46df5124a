// SPDX-License-Identifier: Apache-2.0
// Sharing of ports and links, order, conservation, and what each parameter does.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/built_topology.h"
#include "tests/support/fabric_run.h"
#include "tests/support/message_graph.h"

using namespace chimera::fabric;
using chimera::test::built_topology;
using chimera::test::fabric_defaults;
using chimera::test::fabric_run;
using chimera::test::message_graph;

namespace {

constexpr uint64_t packet_bytes = 256, flits = 7;

replay_result play(const chm_topology& topology, message_graph& graph,
                   const fabric_params& params = fabric_params()) {
    replay_result result = run_replay(topology, params, graph.get());
    EXPECT_EQ(result.status, chm_ok) << result.text;
    return result;
}

// Sends packets one by one and notes in which order they arrive.
class listing_client : public network_client {
public:
    explicit listing_client(packet_pool& pool) : m_pool(pool) {}
    packet* next_packet(uint64_t) override {
        if (m_next == to_send.size()) {
            return nullptr;
        }
        packet* item = m_pool.take();
        item->source = source;
        item->destination = to_send[m_next];
        item->message = source;
        item->index = static_cast<uint32_t>(m_next++);
        item->payload_bytes = static_cast<uint32_t>(packet_bytes);
        return item;
    }
    void packet_arrived(packet* item, uint64_t) override {
        arrived.push_back({item->source, item->index});
        m_pool.give(item);
    }
    uint32_t source = 0;
    std::vector<uint32_t> to_send;
    std::vector<std::pair<uint32_t, uint32_t>> arrived;

private:
    packet_pool& m_pool;
    size_t m_next = 0;
};

} // namespace

// Dies 0 and 4 of a row of five send n packets each to die 2: the ejection port takes 7 flits per
// packet without gaps, so the last arrives at 5 + 103 * 2 + 2n * 7, the other stream one packet
// before it.
TEST(fabric_flow, two_streams_through_one_ejection_port_take_twice_as_long) {
    built_topology mesh = built_topology::mesh({5, 1});
    for (uint64_t n : {1, 10, 200}) {
        message_graph graph;
        uint32_t a = graph.send(0, 2, n * packet_bytes), b = graph.send(4, 2, n * packet_bytes);
        fabric_run run(*mesh, fabric_params(), graph.get());
        ASSERT_EQ(run.run().status, chm_ok);
        uint64_t first = std::min(run.player().done_at(a), run.player().done_at(b));
        uint64_t last = std::max(run.player().done_at(a), run.player().done_at(b));
        EXPECT_EQ(last, 5 + 206 + 2 * n * flits);
        EXPECT_EQ(first, last - flits);
    }
}

// 0 -> 2 and 1 -> 3 share the link from 1 to 2. B has it alone from cycle 1 until A's head is at
// router 1 at 104; from then on they alternate. So B's 200 packets leave by 104 + 2 * (1400 - 103)
// and reach die 3 after 2 more hops' worth; all 2800 flits leave by 2801 and A's last arrives 103 +
// 4 later. Each within a packet.
TEST(fabric_flow, two_streams_through_one_link_share_it_packet_by_packet) {
    built_topology mesh = built_topology::mesh({5, 1});
    message_graph graph;
    uint32_t a = graph.send(0, 2, 200 * packet_bytes), b = graph.send(1, 3, 200 * packet_bytes);
    fabric_run run(*mesh, fabric_params(), graph.get());
    ASSERT_EQ(run.run().status, chm_ok);
    EXPECT_NEAR(run.player().done_at(a), 2801 + 103 + 4, flits);
    EXPECT_NEAR(run.player().done_at(b), 104 + 2 * (1400 - 103) + 103 + 103 + 4, 2 * flits);
    EXPECT_GE(run.network().link_busy_cycles(0), 1400u); // 0 -> 1 carries A
}

// One FIFO per die: the second message waits for the whole of the first.
TEST(fabric_flow, two_messages_of_one_die_share_its_injection_port_in_order) {
    built_topology mesh = built_topology::mesh({5, 1});
    message_graph graph;
    uint32_t a = graph.send(2, 0, 50 * packet_bytes), b = graph.send(2, 4, 50 * packet_bytes);
    fabric_run run(*mesh, fabric_params(), graph.get());
    ASSERT_EQ(run.run().status, chm_ok);
    EXPECT_EQ(run.player().done_at(a), 5 + 206 + 350u);
    EXPECT_EQ(run.player().done_at(b), 5 + 206 + 700u);
}

// With one channel everywhere nothing can overtake, so packets of a (source, destination) arrive in
// order even where streams cross.
TEST(fabric_flow, one_channel_keeps_the_order_of_a_source) {
    chm_fabric_params wiring = fabric_defaults();
    wiring.vcs = 1;
    wiring.vc_depth_flits = 21;
    built_topology mesh = built_topology::mesh({3, 3}, wiring);
    chimera::kernel::context context;
    chimera::kernel::context::entry inside(context);
    std::vector<std::unique_ptr<listing_client>> clients;
    fabric* network = nullptr;
    auto built = context.build([&] {
        network = &context.own(std::make_unique<fabric>("fabric", *mesh, fabric_params()));
    });
    ASSERT_EQ(built.status, chm_ok) << built.text;
    for (uint32_t die = 0; die < 9; ++die) {
        clients.push_back(std::make_unique<listing_client>(network->packets()));
        clients.back()->source = die;
        for (uint32_t i = 0; i < 90; ++i) {
            clients.back()->to_send.push_back((die + i * i) % 9);
        }
        network->interface(die).set_client(clients.back().get());
        network->interface(die).wake(0);
    }
    ASSERT_EQ(context.run(UINT64_MAX / 2).status, chm_ok);
    size_t total = 0;
    for (const auto& client : clients) {
        std::vector<uint32_t> next(9, 0);
        for (const auto& [source, index] : client->arrived) {
            EXPECT_GE(index, next[source]);
            next[source] = index + 1;
        }
        total += client->arrived.size();
    }
    EXPECT_EQ(total, 9 * 90u);
    EXPECT_TRUE(network->idle());
}

// A channel of one packet's depth over a link: grant at g, tail away at the next router by g + 103
// + 7, credit back 2 + 100 later: a packet each 212 cycles, and 10 more with a credit 10 slower.
TEST(fabric_flow, credits_limit_a_link_as_their_round_trip_says) {
    struct setting {
        uint64_t vcs, depth, credit_delay, packets_per_round, round;
    };
    for (const setting& s : {setting{1, 7, 2, 1, 212}, setting{1, 14, 2, 2, 212},
                             setting{2, 7, 2, 2, 212}, setting{1, 7, 12, 1, 222}}) {
        chm_fabric_params wiring = fabric_defaults();
        wiring.vcs = s.vcs;
        wiring.vc_depth_flits = s.depth;
        built_topology mesh = built_topology::mesh({2, 1}, wiring);
        fabric_params params;
        params.credit_delay_cycles = static_cast<uint32_t>(s.credit_delay);
        const uint64_t rounds = 20;
        message_graph graph;
        graph.send(0, 1, rounds * s.packets_per_round * packet_bytes);
        // A channel is given again one cycle after the port is free, so packets that must use the
        // same one leave a cycle between them.
        const uint64_t gaps = s.vcs == 1 ? s.packets_per_round - 1 : 0;
        const uint64_t expected =
            5 + 103 + (rounds - 1) * s.round + s.packets_per_round * flits + gaps + 1;
        const uint64_t cycles = play(*mesh, graph, params).cycles;
        // With two channels a packet may take the one that is still full: a packet later.
        EXPECT_GE(cycles, expected);
        EXPECT_LE(cycles, expected + (s.vcs - 1) * flits);
    }
}

TEST(fabric_flow, link_latency_flit_and_packet_size_act_as_they_should) {
    message_graph graph;
    graph.send(0, 2, 1000);
    chm_fabric_params wiring = fabric_defaults();
    // 3 full packets and 232 bytes: 3 * 7 + 6 flits over 2 links.
    EXPECT_EQ(play(*built_topology::mesh({3, 1}, wiring), graph).cycles, 5 + 206 + 27 + 1u);
    wiring.link_latency_cycles = 10;
    EXPECT_EQ(play(*built_topology::mesh({3, 1}, wiring), graph).cycles, 5 + 26 + 27 + 1u);
    wiring.flit_bytes = 100; // 3 * (1 + 3) + (1 + 3)
    EXPECT_EQ(play(*built_topology::mesh({3, 1}, wiring), graph).cycles, 5 + 26 + 16 + 1u);
    wiring.mtu_bytes = 1000; // 1 + 10
    EXPECT_EQ(play(*built_topology::mesh({3, 1}, wiring), graph).cycles, 5 + 26 + 11 + 1u);
}

// More channels help where one blocked head would hold up the rest: die 0 sends in turn to a die
// that four others flood and to a free one.
TEST(fabric_flow, channels_relieve_head_of_line_blocking) {
    uint64_t cycles[2];
    for (uint64_t vcs : {1, 4}) {
        chm_fabric_params wiring = fabric_defaults();
        wiring.vcs = vcs;
        wiring.vc_depth_flits = 56;
        built_topology mesh = built_topology::mesh({4, 4}, wiring);
        message_graph graph;
        for (uint32_t source = 0; source < 16; ++source) {
            for (uint32_t i = 1; i < 16; ++i) {
                graph.send(source, (source * 7 + i * 5) % 16, 1024);
            }
        }
        cycles[vcs == 4] = play(*mesh, graph).cycles;
    }
    EXPECT_LT(cycles[1], cycles[0]);
}

// A packet is seen by a network interface, a router per node on its way and a network interface:
// hops + 3 modules. On average it costs no more kernel events than that, also under contention.
TEST(fabric_flow, a_packet_costs_at_most_one_activation_per_module) {
    for (const char* name : {"mesh_5x5", "torus_4x4", "fat_tree_2x8"}) {
        built_topology built = built_topology::shipped(name);
        message_graph graph = message_graph::all_to_all(built->dies, 8192);
        replay_result result = play(*built, graph);
        EXPECT_LE(result.activations, result.packet_hops + 3 * result.packets) << name;
    }
}

TEST(fabric_flow, metadata_is_carried_and_counted_apart) {
    built_topology mesh = built_topology::mesh({2, 1});
    chimera::kernel::context context;
    chimera::kernel::context::entry inside(context);
    fabric* network = nullptr;
    ASSERT_EQ(context
                  .build([&] {
                      network =
                          &context.own(std::make_unique<fabric>("fabric", *mesh, fabric_params()));
                  })
                  .status,
              chm_ok);
    class : public network_client {
    public:
        packet* next_packet(uint64_t) override { return std::exchange(to_send, nullptr); }
        void packet_arrived(packet* item, uint64_t now) override {
            arrival = now;
            item_flits = item->flits;
        }
        packet* to_send = nullptr;
        uint64_t arrival = 0;
        uint32_t item_flits = 0;
    } client;
    client.to_send = network->packets().take();
    client.to_send->destination = 1;
    client.to_send->payload_bytes = 40;
    client.to_send->metadata_bytes = 20;
    network->interface(0).set_client(&client);
    network->interface(1).set_client(&client);
    network->interface(0).wake(1000);
    ASSERT_EQ(context.run(UINT64_MAX / 2).status, chm_ok);
    // 60 bytes are two flits and a header, issued at 1000.
    EXPECT_EQ(client.arrival, 1000 + 5 + 103 + 3u);
    EXPECT_EQ(client.item_flits, 3u);
    fabric_statistics statistics = network->statistics();
    EXPECT_EQ(statistics.injected_payload_bytes, 40u);
    EXPECT_EQ(statistics.injected_metadata_bytes, 20u);
    EXPECT_EQ(statistics.byte_hops, 60u);
}

// Packet i of die 0 arrives at die 1 at 5 + 103 + 7 (i + 1). Only 1 and 3 are awaited: 0 and 2 are
// told with them, with their own cycles.
TEST(fabric_flow, arrivals_that_nobody_awaits_are_told_with_the_next) {
    built_topology mesh = built_topology::mesh({2, 1});
    chimera::kernel::context context;
    chimera::kernel::context::entry inside(context);
    fabric* network = nullptr;
    ASSERT_EQ(context
                  .build([&] {
                      network =
                          &context.own(std::make_unique<fabric>("fabric", *mesh, fabric_params()));
                  })
                  .status,
              chm_ok);
    class patient_client : public listing_client {
    public:
        using listing_client::listing_client;
        bool announced(const packet& item) override { return item.index % 2 == 1; }
        void packet_arrived(packet* item, uint64_t now) override {
            cycles.push_back(now);
            told_ps.push_back(sc_core::sc_time_stamp().value());
            listing_client::packet_arrived(item, now);
        }
        std::vector<uint64_t> cycles, told_ps;
    } client(network->packets());
    client.to_send.assign(4, 1);
    network->interface(0).set_client(&client);
    network->interface(1).set_client(&client);
    network->interface(0).wake(0);
    ASSERT_EQ(context.run(UINT64_MAX / 2).status, chm_ok);
    EXPECT_EQ(client.cycles, (std::vector<uint64_t>{115, 122, 129, 136}));
    EXPECT_EQ(client.told_ps, (std::vector<uint64_t>{122000, 122000, 136000, 136000}));
}
