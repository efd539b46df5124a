// SPDX-License-Identifier: Apache-2.0
// What the loosely timed fabric promises beside timing: the same statistics as the approximately
// timed one, order, one answer whatever the client, memory that is given back.
#include <algorithm>
#include <map>
#include <memory>
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
using chimera::test::fabric_run;
using chimera::test::message_graph;

namespace {

fabric_params loosely(bool in_order = true) {
    fabric_params params;
    params.fidelity = chm_fidelity_lt;
    params.lt_in_order = in_order;
    return params;
}

message_graph random_messages(uint32_t dies, uint32_t count, uint64_t seed) {
    message_graph graph;
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t hash = chm_hash2(seed, i);
        graph.send(static_cast<uint32_t>(hash % dies), static_cast<uint32_t>((hash >> 20) % dies),
                   (hash >> 40) % 6000);
    }
    return graph;
}

// Sends packets of several messages in turn, some of them short, and notes what arrives when.
class packet_client : public network_client {
public:
    struct event {
        uint32_t source;
        uint64_t message;
        uint32_t index;
        uint64_t at;
        bool operator==(const event& other) const {
            return source == other.source && message == other.message && index == other.index &&
                   at == other.at;
        }
    };
    struct message {
        uint32_t destination;
        uint64_t id;
        std::vector<uint32_t> bytes; // of its packets
        size_t sent = 0;
    };

    packet_client(packet_pool& pool, uint32_t die) : m_pool(pool), m_die(die) {}

    packet* next_packet(uint64_t now) override {
        asked.push_back(now);
        if (to_send.empty()) {
            return nullptr;
        }
        message& one = to_send[m_next % to_send.size()];
        packet* item = m_pool.take();
        item->source = m_die;
        item->destination = one.destination;
        item->message = one.id;
        item->index = static_cast<uint32_t>(one.sent);
        item->payload_bytes = one.bytes[one.sent++];
        sent[one.destination].emplace_back(one.id, item->index);
        item->last = one.sent == one.bytes.size();
        if (item->last) {
            to_send.erase(to_send.begin() + m_next % to_send.size());
        } else {
            ++m_next;
        }
        return item;
    }
    void packet_arrived(packet* item, uint64_t now) override {
        arrived.push_back({item->source, item->message, item->index, now});
        m_pool.give(item);
    }
    bool needs_at() const override { return picky; }

    std::vector<message> to_send;
    std::vector<event> arrived;
    std::map<uint32_t, std::vector<std::pair<uint64_t, uint32_t>>> sent; // by destination
    std::vector<uint64_t> asked;
    bool picky = false;

private:
    packet_pool& m_pool;
    uint32_t m_die;
    size_t m_next = 0;
};

// A fabric whose dies all have packet clients.
struct packet_run {
    packet_run(const chm_topology& topology, const fabric_params& params) {
        chimera::kernel::context::entry inside(context);
        auto built = context.build(
            [&] { network = &context.own(std::make_unique<fabric>("fabric", topology, params)); });
        EXPECT_EQ(built.status, chm_ok) << built.text;
        for (uint32_t die = 0; die < topology.dies; ++die) {
            clients.push_back(std::make_unique<packet_client>(network->packets(), die));
            network->interface(die).set_client(clients.back().get());
        }
    }
    std::string elaborate() {
        chimera::kernel::context::entry inside(context);
        EXPECT_EQ(context.run(0).status, chm_ok);
        return network->faults();
    }
    void run() {
        ASSERT_EQ(elaborate(), "");
        chimera::kernel::context::entry inside(context);
        for (auto& client : clients) {
            network->interface(static_cast<uint32_t>(&client - clients.data())).wake(0);
        }
        ASSERT_EQ(context.run(UINT64_C(1) << 40).status, chm_ok);
    }
    chimera::kernel::context context;
    fabric* network = nullptr;
    std::vector<std::unique_ptr<packet_client>> clients;
};

} // namespace

// Routes are the same hashes of (seed, message, packet), so that each link carries the same flits,
// also where packets choose between equally long ways.
TEST(lt_fabric, statistics_are_those_of_at) {
    for (const std::string& name : built_topology::shipped_names()) {
        built_topology built = built_topology::shipped(name);
        message_graph graph = random_messages(built->dies, 300, 5);
        fabric_run at(*built, fabric_params(), graph.get());
        ASSERT_EQ(at.run().status, chm_ok);
        const fabric_statistics expected = at.network().statistics();
        for (bool in_order : {true, false}) {
            fabric_run lt(*built, loosely(in_order), graph.get());
            ASSERT_EQ(lt.run().status, chm_ok);
            EXPECT_TRUE(lt.finished());
            EXPECT_TRUE(lt.network().idle());
            const fabric_statistics got = lt.network().statistics();
            EXPECT_EQ(got.injected_packets, expected.injected_packets) << name;
            EXPECT_EQ(got.ejected_packets, expected.ejected_packets) << name;
            EXPECT_EQ(got.injected_payload_bytes, expected.injected_payload_bytes) << name;
            EXPECT_EQ(got.packet_hops, expected.packet_hops) << name;
            EXPECT_EQ(got.byte_hops, expected.byte_hops) << name;
            for (uint32_t link = 0; link < built->link_count; ++link) {
                EXPECT_EQ(lt.network().link_busy_cycles(link), at.network().link_busy_cycles(link))
                    << name << " link " << link;
            }
            for (uint32_t die = 0; die < built->dies; ++die) {
                const auto& a = at.network().interface(die).statistics();
                const auto& l = lt.network().interface(die).statistics();
                EXPECT_EQ(l.injected_flits, a.injected_flits) << name;
                EXPECT_EQ(l.ejected_flits, a.ejected_flits) << name;
                EXPECT_EQ(l.ejected_payload_bytes, a.ejected_payload_bytes) << name;
            }
        }
    }
}

// Alone on the network, every single packet of a client that knows packets arrives when it does in
// the approximately timed fabric.
TEST(lt_fabric, packets_have_their_own_times) {
    built_topology mesh = built_topology::mesh({4, 3});
    std::vector<std::vector<packet_client::event>> arrivals;
    for (const fabric_params& params : {fabric_params(), loosely(true), loosely(false)}) {
        packet_run run(*mesh, params);
        std::vector<uint32_t> sizes(40, 256);
        sizes.insert(sizes.end(), {17, 256, 100, 1, 0});
        run.clients[1]->to_send.push_back({10, 77, sizes});
        run.run();
        arrivals.push_back(run.clients[10]->arrived);
    }
    ASSERT_EQ(arrivals[0].size(), 45u);
    EXPECT_EQ(arrivals[1], arrivals[0]);
    EXPECT_EQ(arrivals[2], arrivals[0]);
}

// A client is asked for a packet at the cycle of its injection or ahead of it, by no more than the
// horizon and a chunk, and never for an earlier cycle than before.
TEST(lt_fabric, clients_are_asked_in_order_of_time) {
    built_topology mesh = built_topology::mesh({4, 3});
    packet_run run(*mesh, loosely());
    run.clients[0]->to_send.push_back({11, 1, std::vector<uint32_t>(50, 256)});
    run.clients[0]->to_send.push_back({3, 2, std::vector<uint32_t>(50, 256)});
    run.run();
    const std::vector<uint64_t>& asked = run.clients[0]->asked;
    EXPECT_TRUE(std::is_sorted(asked.begin(), asked.end()));
    for (size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(asked[i], 7 * i); // the port is never idle
    }
}

// What one die sends to another arrives in the order in which it was injected, though messages are
// of very different sizes: message by message where the packets of a chunk take different ways,
// else packet by packet.
TEST(lt_fabric, pairs_keep_their_order) {
    for (int variant = 0; variant < 4; ++variant) {
        const bool in_order = variant % 2 == 0, several_ways = variant / 2 == 0;
        for (uint64_t chunk_bytes : {256, 2048}) {
            built_topology built =
                several_ways ? built_topology::torus({4, 4}) : built_topology::mesh({4, 4});
            fabric_params params = loosely(in_order);
            params.lt_chunk_bytes = chunk_bytes;
            packet_run run(*built, params);
            for (uint32_t die = 0; die < 16; ++die) {
                for (uint64_t m = 0; m < 60; ++m) {
                    const uint64_t hash = chm_hash3(9, die, m);
                    run.clients[die]->to_send.push_back(
                        {static_cast<uint32_t>(hash % 16), die * 1000 + m,
                         std::vector<uint32_t>(1 + (hash >> 8) % 12, (hash >> 16) % 2 ? 256 : 3)});
                }
            }
            run.run();
            size_t count = 0;
            for (uint32_t die = 0; die < 16; ++die) {
                std::map<uint32_t, size_t> next; // by source
                for (const auto& event : run.clients[die]->arrived) {
                    const auto& sent = run.clients[event.source]->sent[die];
                    ASSERT_LT(next[event.source], sent.size());
                    const auto& expected = sent[next[event.source]++];
                    EXPECT_EQ(event.message, expected.first);
                    if (!several_ways) {
                        EXPECT_EQ(event.index, expected.second);
                    }
                    ++count;
                }
            }
            EXPECT_GT(count, 16u * 60);
            EXPECT_EQ(run.network->packets().outstanding(), 0u);
        }
    }
}

// Messages that are offered at once, whole and in order of dies, are reserved exactly as golden's
// network calendar does it.
TEST(lt_fabric, is_goldens_calendar) {
    built_topology mesh = built_topology::mesh({5, 4});
    chm_network_calendar network;
    ASSERT_EQ(chm_network_calendar_init(&network, mesh.get()), chm_ok);
    message_graph graph;
    std::vector<uint64_t> expected;
    std::vector<uint32_t> path(mesh->nodes);
    for (uint32_t die = 0; die < mesh->dies; ++die) {
        const uint64_t hash = chm_hash2(3, die);
        const auto destination = static_cast<uint32_t>(hash % mesh->dies);
        const uint64_t bytes = 1 + (hash >> 32) % 9000;
        graph.send(die, destination, bytes);
        const chm_route_key key = {die, destination, 0};
        const uint32_t links = chm_topology_path(mesh.get(), &key, path.data(), mesh->nodes);
        const chm_chunk chunk = {die, destination, chm_topology_flits(mesh.get(), bytes),
                                 path.data(), links};
        chm_chunk_times times;
        ASSERT_EQ(chm_network_calendar_send(&network, &chunk, 0, &times), chm_ok);
        expected.push_back(times.arrived);
    }
    chm_network_calendar_free(&network);
    fabric_params params = loosely(false);
    params.lt_chunk_bytes = 1 << 20;
    fabric_run run(*mesh, params, graph.get());
    ASSERT_EQ(run.run().status, chm_ok);
    for (uint32_t die = 0; die < mesh->dies; ++die) {
        EXPECT_EQ(run.player().done_at(die), expected[die]) << "die " << die;
    }
}

TEST(lt_fabric, reruns_are_identical_and_simulations_do_not_meet) {
    built_topology torus = built_topology::torus({4, 4});
    message_graph graph = random_messages(16, 400, 8);
    message_graph other = random_messages(16, 200, 9);
    fabric_run alone(*torus, loosely(), graph.get());
    ASSERT_EQ(alone.run().status, chm_ok);
    fabric_run first(*torus, loosely(), graph.get());
    fabric_run second(*torus, loosely(), other.get());
    for (uint64_t until = 0; !first.finished() || !second.finished(); until += 100000) {
        ASSERT_EQ(first.run(until).status, chm_ok);
        ASSERT_EQ(second.run(until).status, chm_ok);
    }
    for (uint32_t node = 0; node < 400; ++node) {
        EXPECT_EQ(first.player().done_at(node), alone.player().done_at(node));
    }
}

TEST(lt_fabric, stalls_delay_and_lose_nothing) {
    built_topology mesh = built_topology::mesh({4, 4});
    message_graph graph = random_messages(16, 200, 4);
    uint64_t before = 0;
    for (double stall : {0.0, 0.3, 0.7}) {
        fabric_params params = loosely();
        params.stall_probability = stall;
        fabric_run run(*mesh, params, graph.get());
        ASSERT_EQ(run.run().status, chm_ok);
        EXPECT_TRUE(run.finished());
        EXPECT_GT(run.player().result().cycles, before);
        before = run.player().result().cycles;
    }
    fabric_params params = loosely();
    params.stall_probability = 1; // would wait for ever
    EXPECT_EQ(run_replay(*mesh, params, graph.get()).status, chm_bad_argument);
}

TEST(lt_fabric, clients_it_cannot_serve_are_named) {
    built_topology mesh = built_topology::mesh({2, 1});
    packet_run run(*mesh, loosely());
    run.clients[1]->picky = true;
    EXPECT_EQ(run.elaborate(), "fabric.ni_1_0: its client needs packets timed one by one; allowed: "
                               "fidelity at\n");
    packet_run at(*mesh, fabric_params());
    at.clients[1]->picky = true;
    EXPECT_EQ(at.elaborate(), "");
}

TEST(lt_fabric, routing_with_too_many_choices_is_refused) {
    built_topology mesh = built_topology::mesh({2, 2});
    chm_topology topology = *mesh;
    topology.random_bits = 9;
    message_graph graph;
    graph.send(0, 3, 1);
    EXPECT_EQ(run_replay(topology, loosely(), graph.get()).text,
              "routing uses 9 random bits; allowed with fidelity lt: at most 8\n");
}

// One kernel event per round of 100 cycles, however many dies send, of messages that nobody waits
// for; each that something waits for has an event of its own where it arrives.
TEST(lt_fabric, rounds_are_events_and_awaited_messages) {
    built_topology mesh = built_topology::mesh({4, 4});
    message_graph graph;
    for (uint32_t die = 0; die < 16; ++die) {
        for (uint32_t i = 1; i < 64; ++i) {
            graph.send(die, (die + i) % 16, 1024);
        }
    }
    const replay_result alone = run_replay(*mesh, loosely(), graph.get());
    ASSERT_EQ(alone.status, chm_ok);
    // The last are handed over in the round after they are due.
    EXPECT_LE(alone.activations, alone.cycles / 100 + 2);
    graph.compute(0, 1, {0});
    graph.compute(0, 1, {500, 501});
    const replay_result awaited = run_replay(*mesh, loosely(), graph.get());
    ASSERT_EQ(awaited.status, chm_ok);
    EXPECT_EQ(awaited.activations, alone.activations + 3);
    EXPECT_EQ(awaited.cycles, alone.cycles);
    EXPECT_EQ(awaited.latency_max, alone.latency_max);
    EXPECT_EQ(awaited.latency_mean, alone.latency_mean);
}

// Expired reservations and pairs without traffic are forgotten: 200,000 chunks one after the other
// leave no more behind than a few.
TEST(lt_fabric, memory_is_given_back) {
    built_topology mesh = built_topology::mesh({3, 3});
    message_graph graph;
    uint32_t last = graph.send(0, 8, 1024);
    for (uint32_t i = 1; i < 20000; ++i) {
        last = graph.send(i % 9, (i * 5 + 8) % 9, 10240, {last});
    }
    fabric_run run(*mesh, loosely(), graph.get());
    ASSERT_EQ(run.run().status, chm_ok);
    ASSERT_TRUE(run.finished());
    for (uint32_t node = 0; node < 9; ++node) {
        EXPECT_LE(run.network().loosely_timed()->node_router(node).intervals(), 64u);
    }
    EXPECT_LE(run.network().loosely_timed()->chunks().allocated(), 256u);
}
