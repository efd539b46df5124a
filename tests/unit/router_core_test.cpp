// SPDX-License-Identifier: Apache-2.0
// A router without a kernel: the middle one of a 3x3 mesh (ports up x, down x, up y, down y, die),
// fed by hand.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/fabric/router_core.h"
#include "tests/support/built_topology.h"

using namespace chimera::fabric;
using chimera::test::built_topology;

namespace {

constexpr uint32_t centre = 4;
constexpr uint32_t flits = 7;

struct sent {
    uint32_t output;
    uint64_t message;
    uint32_t vc;
    uint64_t due;
    bool operator==(const sent& other) const {
        return std::tie(output, message, vc, due) ==
               std::tie(other.output, other.message, other.vc, other.due);
    }
};

// Keeps what was sent; plays the downstream router that returns each credit after a while.
class recorder : public router_sink {
public:
    void send_packet(uint32_t output, packet* item, uint64_t due) override {
        packets.push_back({output, item->message, item->vc, due});
        EXPECT_GT(due, now);
        if (output < 4) {
            to_return.push_back({output, item->vc, due + delay});
        }
    }
    void send_credit(uint32_t input, uint32_t vc, uint32_t room, uint64_t due) override {
        credits.push_back({input, room, vc, due});
        EXPECT_GT(due, now);
    }
    struct credit {
        uint32_t output, vc;
        uint64_t due;
    };
    uint64_t now = 0; // what is sent is due later
    uint64_t delay = 120;
    std::vector<sent> packets, credits;
    std::vector<credit> to_return;
};

class router_core_test : public testing::Test {
protected:
    router_core_test() : mesh(built_topology::mesh({3, 3})), topology(*mesh) {}

    packet* make(uint32_t source, uint32_t destination, uint32_t vc, uint64_t message) {
        packet* item = pool.take();
        item->source = source;
        item->destination = destination;
        item->vc = vc;
        item->message = message;
        item->flits = flits;
        return item;
    }

    built_topology mesh;
    chm_topology topology;
    fabric_params params;
    packet_pool pool;
};

// When a router runs: each cycle, when something may be granted, or at its deadlines.
enum class pace { every_cycle, when_asked, late };

// Random traffic on all five inputs.
struct traffic_result {
    std::vector<sent> packets, credits;
    uint64_t runs = 0;
};

traffic_result drive(const chm_topology& topology, const fabric_params& params, pace how,
                     double load) {
    router_core core(topology, params, centre);
    recorder sink;
    packet_pool pool;
    traffic_result result;
    uint64_t next = router_core::never;
    std::vector<uint64_t> link_free(core.inputs(), 1);
    std::vector<std::vector<uint32_t>> room(core.inputs(), std::vector<uint32_t>(topology.vcs));
    for (auto& port : room) {
        port.assign(topology.vcs, topology.vc_depth_flits);
    }
    // x first: what comes from +y or -y goes on along y or to the die; what comes along x, anywhere
    // but back.
    const std::vector<std::vector<uint32_t>> destinations = {
        {3, 4, 1, 7}, {5, 4, 1, 7}, {1, 4}, {7, 4}, {3, 5, 1, 7, 4}};
    std::multimap<uint64_t, sent> credits_due;
    size_t credits_returned = 0;
    for (uint64_t now = 1; now < 6000; ++now) {
        sink.now = now;
        if (how == pace::late) {
            if (core.deadline() <= now) {
                ++result.runs;
                core.catch_up(now, sink);
                EXPECT_GT(core.deadline(), now);
            }
        } else if (next <= now || how == pace::every_cycle) {
            ++result.runs;
            next = core.advance(now, sink);
        }
        // What happens at `now` is due later.
        for (uint32_t port = 0; port < core.inputs() && now < 3000; ++port) {
            uint64_t hash = chm_hash3(1, port, now);
            uint32_t vc = static_cast<uint32_t>(hash >> 40) % topology.vcs;
            if (link_free[port] <= now && chm_chance(hash, load) && room[port][vc] >= flits) {
                packet* item = pool.take();
                const auto& choices = destinations[port];
                item->source = item->destination = choices[(hash >> 50) % choices.size()];
                item->vc = vc;
                item->message = now * 8 + port;
                item->flits = flits;
                room[port][vc] -= flits;
                link_free[port] = now + flits;
                next = std::min(next, core.file_packet(port, item, now + 1 + port));
            }
        }
        for (; credits_returned < sink.to_return.size(); ++credits_returned) {
            const recorder::credit& credit = sink.to_return[credits_returned];
            next = std::min(next, core.file_credit(credit.output, credit.vc, flits, credit.due));
        }
        for (size_t i = result.credits.size(); i < sink.credits.size(); ++i) {
            result.credits.push_back(sink.credits[i]);
            credits_due.insert({sink.credits[i].due, sink.credits[i]});
        }
        for (; !credits_due.empty() && credits_due.begin()->first <= now;
             credits_due.erase(credits_due.begin())) {
            const sent& credit = credits_due.begin()->second;
            room[credit.output][credit.vc] += flits;
        }
    }
    EXPECT_TRUE(core.empty());
    EXPECT_GT(sink.packets.size(), 100u);
    result.packets = sink.packets;
    return result;
}

} // namespace

// Granted when its head is in: at the next router after 3 cycles of router and 100 of link; at the
// interface after 3 + 1 and its 7 flits; the credit after 7 flits, 2 cycles and the link.
TEST_F(router_core_test, an_idle_router_adds_its_own_cycles_only) {
    router_core core(topology, params, centre);
    recorder sink;
    EXPECT_EQ(core.file_packet(1, make(3, 5, 2, 10), 50), 50u);
    EXPECT_EQ(core.file_packet(4, make(4, 4, 0, 11), 50), 50u);
    core.advance(50, sink);
    ASSERT_EQ(sink.packets.size(), 2u);
    EXPECT_EQ(sink.packets[0], (sent{0, 10, 0, 153}));
    EXPECT_EQ(sink.packets[1], (sent{4, 11, 0, 61}));
    EXPECT_EQ(sink.credits[0].due, 159u); // from input 1, over the link
    EXPECT_EQ(sink.credits[1].due, 60u);  // from the die, 1 cycle away
}

TEST_F(router_core_test, a_busy_port_is_served_packet_by_packet_in_turn) {
    router_core core(topology, params, centre);
    recorder sink;
    uint64_t next = router_core::never;
    for (uint32_t i = 0; i < 4; ++i) {
        core.file_packet(1, make(3, 4, i % 4, 100 + i), 10 + flits * i);
        next = std::min(next, core.file_packet(0, make(5, 4, i % 4, 200 + i), 10 + flits * i));
    }
    while (next != router_core::never) {
        next = core.advance(next, sink);
    }
    ASSERT_EQ(sink.packets.size(), 8u);
    for (uint64_t i = 0; i < 8; ++i) {
        EXPECT_EQ(sink.packets[i].message, (i % 2 == 0 ? 200 : 100) + i / 2);
        EXPECT_EQ(sink.packets[i].due, 10 + flits * i + 4 + flits);
    }
}

// A channel with room for one packet: the second goes when the first one's credit is back.
TEST_F(router_core_test, a_head_waits_for_room_for_its_whole_packet) {
    topology.vcs = 1;
    topology.vc_depth_flits = 2 * flits - 1;
    router_core core(topology, params, centre);
    recorder sink;
    core.file_packet(1, make(3, 5, 0, 1), 10);
    core.file_packet(1, make(3, 5, 0, 2), 10 + flits);
    EXPECT_EQ(core.advance(10, sink), 10 + flits);
    // Its only channel can be given again one cycle after the port is free.
    EXPECT_EQ(core.advance(10 + flits, sink), 10 + flits + 1);
    EXPECT_EQ(core.advance(10 + flits + 1, sink), router_core::never);
    ASSERT_EQ(sink.packets.size(), 1u);
    bool told = false;
    core.describe_stuck([&](const packet& item, const std::string& text) {
        told = true;
        EXPECT_EQ(item.message, 2u);
        EXPECT_NE(text.find("room for 7 flits in channel 0, which has 6"), std::string::npos)
            << text;
    });
    EXPECT_TRUE(told);
    EXPECT_EQ(core.file_credit(0, 0, flits, 300), 300u);
    core.advance(300, sink);
    ASSERT_EQ(sink.packets.size(), 2u);
    EXPECT_EQ(sink.packets[1].due, 403u);
}

// What a grant sends is filed before it is due, and decided as if at once. At full load five ports
// grant a packet of 7 flits each 7 cycles; the credit of one from the die, 7 + 2 + 1 cycles after
// its grant, sets the pace.
TEST_F(router_core_test, running_when_asked_or_at_deadlines_decides_as_running_every_cycle) {
    for (double stall : {0.0, 0.3}) {
        for (double load : {0.02, 0.2, 1.0}) {
            for (uint32_t depth : {7u, 14u, 318u}) {
                params.stall_probability = stall;
                topology.vc_depth_flits = depth;
                const traffic_result eager = drive(topology, params, pace::every_cycle, load);
                for (pace how : {pace::when_asked, pace::late}) {
                    const traffic_result lazy = drive(topology, params, how, load);
                    EXPECT_EQ(eager.packets, lazy.packets)
                        << "stall " << stall << " load " << load << " depth " << depth;
                    EXPECT_EQ(eager.credits, lazy.credits);
                    if (stall == 0.0 && depth == 318 && how == pace::when_asked) {
                        // It asks for the arrival of a packet and for its grant, often one cycle.
                        EXPECT_LE(lazy.runs, 2 * lazy.packets.size());
                    }
                    if (stall == 0.0 && depth == 318 && how == pace::late && load == 1.0) {
                        EXPECT_LE(2 * lazy.runs, lazy.packets.size());
                    }
                }
            }
        }
    }
}

// Packets of one input channel leave in the order they came.
TEST_F(router_core_test, order_is_kept_per_channel) {
    router_core core(topology, params, centre);
    recorder sink;
    std::vector<std::pair<uint32_t, uint32_t>> channel_of; // by message
    uint64_t next = router_core::never;
    for (uint32_t i = 0; i < 400; ++i) {
        uint32_t port = i % 2, vc = static_cast<uint32_t>(chm_mix(i) % 4);
        channel_of.push_back({port, vc});
        uint32_t to = chm_mix(i + 1000) % 2 == 0 ? 1 : 4;
        next = std::min(next, core.file_packet(port, make(to, to, vc, i), 5 + flits * (i / 2)));
    }
    size_t returned = 0;
    while (next != router_core::never) {
        next = core.advance(next, sink);
        for (; returned < sink.to_return.size(); ++returned) {
            const recorder::credit& credit = sink.to_return[returned];
            next = std::min(next, core.file_credit(credit.output, credit.vc, flits, credit.due));
        }
    }
    ASSERT_EQ(sink.packets.size(), 400u);
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> last;
    for (const sent& item : sink.packets) {
        auto channel = channel_of[item.message];
        auto found = last.find(channel);
        EXPECT_TRUE(found == last.end() || found->second < item.message);
        last[channel] = item.message;
    }
    EXPECT_TRUE(core.empty());
}

// Routers of at most 64 input channels decide on words of bits unless ports stall at random, even
// so rarely that none ever does.
TEST_F(router_core_test, words_of_channels_decide_as_channels_one_by_one) {
    for (const auto& [vcs, load, depth] :
         std::vector<std::tuple<uint32_t, double, uint32_t>>{{1, 1.0, 318},
                                                             {3, 0.3, 14},
                                                             {4, 0.05, 318},
                                                             {4, 1.0, 7},
                                                             {4, 1.0, 318},
                                                             {12, 1, 14}}) {
        for (bool oldest : {false, true}) {
            topology.vcs = vcs;
            topology.vc_depth_flits = depth;
            params.oldest_first = oldest;
            params.stall_probability = 0;
            const traffic_result words = drive(topology, params, pace::late, load);
            params.stall_probability = 1e-300;
            const traffic_result one_by_one = drive(topology, params, pace::late, load);
            EXPECT_EQ(words.packets, one_by_one.packets) << vcs << " " << load << " " << depth;
            EXPECT_EQ(words.credits, one_by_one.credits);
        }
    }
}
