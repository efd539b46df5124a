// SPDX-License-Identifier: Apache-2.0
// What `arbitration` and `window_round_trips` do to single streams; fabric_load_test has what they
// do to a loaded network.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/fabric/send_window.h"
#include "tests/support/built_topology.h"
#include "tests/support/fabric_run.h"
#include "tests/support/message_graph.h"

using namespace chimera::fabric;
using chimera::test::built_topology;
using chimera::test::fabric_run;
using chimera::test::message_graph;

namespace {

constexpr uint64_t packet_bytes = 256, flits = 7;
// Ends of a line of 5: 5 + 103 * 4 cycles one way, and the packet's own flits.
constexpr uint64_t way = 417, round_trip = way + flits + way;

uint64_t lone_stream(double round_trips, uint64_t packets, bool trains = true) {
    built_topology line = built_topology::mesh({5, 1});
    message_graph graph;
    graph.send(0, 4, packets * packet_bytes);
    fabric_params params;
    params.window_round_trips = round_trips;
    params.trains = trains;
    fabric_run run(*line, params, graph.get());
    const auto end = run.run();
    EXPECT_EQ(end.status, chm_ok) << end.text;
    return run.player().done_at(0);
}

// Cycle at which the message of each of dies 0 .. 3 of a line has arrived at die 4.
std::vector<uint64_t> parking_lot(bool oldest_first, uint64_t packets) {
    built_topology line = built_topology::mesh({5, 1});
    message_graph graph;
    for (uint32_t die = 0; die < 4; ++die) {
        graph.send(die, 4, packets * packet_bytes);
    }
    fabric_params params;
    params.oldest_first = oldest_first;
    fabric_run run(*line, params, graph.get());
    const auto end = run.run();
    EXPECT_EQ(end.status, chm_ok) << end.text;
    std::vector<uint64_t> done;
    for (uint32_t die = 0; die < 4; ++die) {
        done.push_back(run.player().done_at(die));
    }
    return done;
}

} // namespace

// The last of 200 packets leaves at 199 * 7.
TEST(fabric_window, one_round_trip_never_holds_up_a_stream_that_is_alone) {
    const uint64_t arrival = 199 * flits + way + flits;
    EXPECT_EQ(lone_stream(0, 200), arrival);
    EXPECT_EQ(lone_stream(1, 200), arrival);
    EXPECT_EQ(lone_stream(1, 200, false), arrival);
    EXPECT_EQ(lone_stream(1e6, 200), arrival);
}

// With a share w of a round trip, floor(w * trip / 7) + 1 packets go before the first waits for an
// acknowledgement, and each later one goes a round trip after the one so many before it.
TEST(fabric_window, less_than_a_round_trip_is_less_of_the_rate) {
    const uint64_t last = 199;
    for (double share : {0.5, 0.25, 0.1, 0.001}) {
        const auto burst = static_cast<uint64_t>(share * round_trip / flits) + 1;
        const uint64_t arrival = last / burst * round_trip + last % burst * flits + way + flits;
        EXPECT_EQ(lone_stream(share, last + 1), arrival) << share;
    }
}

TEST(fabric_window, counts_per_destination_and_opens_with_what_is_acknowledged) {
    built_topology line = built_topology::mesh({5, 1});
    send_window window(*line, 0, 0.01); // of 841 flits: 8
    EXPECT_TRUE(window.open(4, 7));
    window.sent(4, 7);
    EXPECT_TRUE(window.open(4, 7));
    window.sent(4, 7);
    EXPECT_FALSE(window.open(4, 7)) << "14 flits are more than 8";
    EXPECT_TRUE(window.open(3, 7));
    EXPECT_EQ(window.way_back(4), way);
    window.file(900, 4, 7);
    window.file(800, 4, 7);
    EXPECT_EQ(window.next_due(), 800u);
    window.settle(799);
    EXPECT_FALSE(window.open(4, 7));
    window.settle(800);
    EXPECT_TRUE(window.open(4, 7));
    window.settle(1000);
    EXPECT_EQ(window.next_due(), send_window::never);
}

// Four dies of a line send 1,000 packets each to its end. At every router the die's own four
// injection channels take turns with the four of the link, so the nearest die gets half of the last
// link and is through when that has carried twice its 7,000 flits. Where the oldest packet goes
// first it has to wait for those from farther away, and gets less, though more than a quarter,
// since their time before they enter the network does not count. The sum is the same.
TEST(fabric_arbitration, oldest_first_keeps_near_sources_from_crowding_out_far_ones) {
    const uint64_t packets = 1000, own = packets * flits;
    const auto in_turn = parking_lot(false, packets), by_age = parking_lot(true, packets);
    EXPECT_NEAR(static_cast<double>(in_turn[3]), 2.0 * own, 0.05 * 2 * own);
    EXPECT_GT(by_age[3], 2.5 * own);
    for (const auto& done : {in_turn, by_age}) {
        const uint64_t last = *std::max_element(done.begin(), done.end());
        EXPECT_GE(last, 4 * own);
        EXPECT_LE(last, 4 * own + way + 2 * flits);
    }
}

TEST(fabric_window, refuses_a_negative_limit) {
    fabric_params params;
    params.window_round_trips = -1;
    std::string faults;
    EXPECT_FALSE(params.validate(faults));
    EXPECT_EQ(faults, "window_round_trips: allowed are 0 (no limit) and more\n");
}
