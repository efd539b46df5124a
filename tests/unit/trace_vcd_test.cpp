// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "hw/trace/vcd.h"
#include "tests/support/built_topology.h"
#include "tests/support/vcd_file.h"

namespace {

using namespace chimera::trace;
using chimera::test::built_topology;
using chimera::test::vcd_file;

class trace_vcd : public testing::Test {
protected:
    ~trace_vcd() override { std::remove(path.c_str()); }

    vcd_file written(vcd& dump, uint64_t last) {
        EXPECT_TRUE(dump.finish(last));
        return vcd_file(path);
    }

    const built_topology topology = built_topology::mesh({2, 1});
    const catalog map{{topology.get(), nullptr, 1000000, 1}};
    const std::string path = testing::TempDir() + "chimera_vcd_" + std::to_string(getpid());
    const std::string channel = "die_0_0.dma.channel_0";
};

constexpr uint64_t cycle_ps = 1000;

TEST_F(trace_vcd, writes_changes_at_their_time_whatever_the_order_they_are_told_in) {
    vcd dump(map, {}, 0);
    ASSERT_TRUE(dump.open(path));
    dump.channel_begins(0, 0, {0, 1, 7, 3, 1, 256}, 10, 18);
    dump.channel_ends(0, 0, 25);
    dump.channel_begins(1, 0, {1, 0, 7, 4, 1, 256}, 5, 13); // told later, due earlier
    const vcd_file file = written(dump, 30);
    EXPECT_TRUE(file.faults.empty());
    EXPECT_EQ(file.timescale, "1 ps");
    const vcd_file::history expected = {
        {0, "0"}, {10 * cycle_ps, "1"}, {18 * cycle_ps, "10"}, {25 * cycle_ps, "0"}};
    EXPECT_EQ(file.of.at(channel), expected);
    EXPECT_EQ(file.at(channel + "_operation", 9 * cycle_ps), "z");
    EXPECT_EQ(file.at(channel + "_operation", 24 * cycle_ps), "111");
    EXPECT_EQ(file.at(channel + "_operation", 25 * cycle_ps), "z");
    const std::vector<uint64_t> times = {0, 5000, 10000, 13000, 18000, 25000, 30000};
    EXPECT_EQ(file.times, times);
    EXPECT_EQ(dump.late(), 0u);
}

TEST_F(trace_vcd, a_value_that_comes_back_within_a_cycle_is_no_change) {
    vcd dump(map, {}, 0);
    ASSERT_TRUE(dump.open(path));
    dump.channel_begins(0, 0, {0, 1, 7, 3, 1, 256}, 10, 10);
    dump.channel_ends(0, 0, 20);
    dump.channel_begins(0, 0, {0, 1, 7, 4, 1, 256}, 20, 20);
    const vcd_file file = written(dump, 20);
    EXPECT_EQ(file.changes(channel), 1u);               // idle, sending
    EXPECT_EQ(file.changes(channel + "_transfer"), 2u); // 3, 4
    EXPECT_EQ(file.changes(channel + "_operation"), 1u);
}

TEST_F(trace_vcd, what_comes_too_late_is_counted_and_keeps_the_order) {
    vcd dump(map, {}, 0);
    ASSERT_TRUE(dump.open(path));
    dump.arrived({0, 1, 0, 0, 0, 0, 1, 7, 256, true}, 50);
    dump.advance(60);
    dump.arrived({0, 1, 0, 0, 0, 1, 1, 7, 256, true}, 59);
    dump.arrived({0, 1, 0, 0, 0, 2, 1, 7, 256, true}, 60);
    const vcd_file file = written(dump, 70);
    EXPECT_EQ(dump.late(), 1u);
    const vcd_file::history expected = {{0, "0"}, {50 * cycle_ps, "1"}, {60 * cycle_ps, "11"}};
    EXPECT_EQ(file.of.at("die_1_0.dma.arrived_packets"), expected);
}

// A window begins with what stands then, and ends.
TEST_F(trace_vcd, a_window_shows_what_the_whole_shows) {
    selection window;
    window.begin = 12;
    window.end = 21;
    vcd dump(map, window, 0);
    ASSERT_TRUE(dump.open(path));
    dump.channel_begins(0, 0, {0, 1, 7, 3, 1, 256}, 10, 18);
    dump.channel_ends(0, 0, 25);
    const vcd_file file = written(dump, 30);
    const vcd_file::history expected = {{12 * cycle_ps, "1"}, {18 * cycle_ps, "10"}};
    EXPECT_EQ(file.of.at(channel), expected);
    EXPECT_EQ(file.times.back(), 21 * cycle_ps);
}

TEST_F(trace_vcd, a_window_may_begin_with_a_change_or_after_all_of_them) {
    for (const auto& [begin, value] : {std::pair<uint64_t, const char*>{18, "10"}, {27, "0"}}) {
        selection window;
        window.begin = begin;
        vcd dump(map, window, 0);
        ASSERT_TRUE(dump.open(path));
        dump.channel_begins(0, 0, {0, 1, 7, 3, 1, 256}, 10, 18);
        dump.channel_ends(0, 0, 25);
        const vcd_file file = written(dump, 30);
        EXPECT_EQ(file.at(channel, begin * cycle_ps), value);
        EXPECT_EQ(file.times.front(), begin * cycle_ps);
    }
}

// A packet of 7 flits comes at 10, is granted at 12 and sent at 14, over a link that takes 2 cycles
// for each: it is in the buffer until its tail leaves at 19, and on the link from 14 to 28.
TEST_F(trace_vcd, a_hop_is_in_the_buffer_and_on_the_link) {
    vcd dump(map, {}, 0);
    ASSERT_TRUE(dump.open(path));
    const uint32_t in = chm_die_injection_port(topology.get(), 0);
    dump.buffered(0, in, 2, 7, 10);
    hop_note hop;
    hop.packet = {0, 1, 7, 3, 99, 0, 1, 7, 256, true};
    hop.in_port = in;
    hop.in_vc = 2;
    hop.arrived = 10;
    hop.granted = 12;
    hop.sent = 14;
    hop.busy_cycles = 14;
    dump.hop(hop);
    const vcd_file file = written(dump, 30);
    const vcd_file::history buffer = {{0, "0"}, {10 * cycle_ps, "111"}, {19 * cycle_ps, "0"}};
    EXPECT_EQ(file.of.at("router_0_0.from_die_0_0.vc_2_flits"), buffer);
    const vcd_file::history link = {{0, "0"}, {14 * cycle_ps, "1"}, {28 * cycle_ps, "0"}};
    EXPECT_EQ(file.of.at("router_0_0.to_router_1_0.busy"), link);
    EXPECT_EQ(file.at("router_0_0.to_router_1_0.destination", 27 * cycle_ps), "1");
    EXPECT_EQ(file.at("router_0_0.to_router_1_0.destination", 28 * cycle_ps), "z");
}

TEST_F(trace_vcd, has_only_what_is_selected) {
    selection one;
    one.scopes = {"router_1_0.to_router_0_0"};
    vcd dump(map, one, 0);
    ASSERT_TRUE(dump.open(path));
    const vcd_file file = written(dump, 3);
    EXPECT_EQ(file.of.size(), size_t{link_signals});
    EXPECT_EQ(file.of.count("router_1_0.to_router_0_0.busy"), 1u);
}

TEST_F(trace_vcd, says_when_it_cannot_write) {
    vcd nowhere(map, {}, 0);
    EXPECT_FALSE(nowhere.open("/no/such/directory/x.vcd"));
    vcd full(map, {}, 0);
    if (access("/dev/full", W_OK) == 0) {
        ASSERT_TRUE(full.open("/dev/full"));
        EXPECT_FALSE(full.flush());
        EXPECT_FALSE(full.finish(1));
    }
}

} // namespace
