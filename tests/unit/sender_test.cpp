// SPDX-License-Identifier: Apache-2.0
#include "hw/dma/sender.h"

#include <gtest/gtest.h>

using chimera::dma::message;
using chimera::dma::sender;
using chimera::dma::sender_params;
using chimera::fabric::packet;

namespace {

message to(uint32_t destination, uint64_t payload, uint32_t chunk, uint64_t metadata = 0) {
    message item;
    item.destination = destination;
    item.size = {payload, metadata};
    item.tag = {0, 1, chunk};
    return item;
}

// The chunks of the packets that leave when the port asks at every cycle in [from, to).
std::vector<std::pair<uint64_t, uint64_t>> drain(sender& s, uint64_t from, uint64_t until) {
    std::vector<std::pair<uint64_t, uint64_t>> left;
    for (uint64_t now = from; now < until; ++now) {
        packet item;
        message done;
        bool last = false;
        if (s.next(now, item, done, last)) {
            left.emplace_back(now, item.tag.chunk);
        }
    }
    return left;
}

TEST(sender, cuts_into_packets_and_charges_metadata_first) {
    sender s({1, 0, 256, true}, {});
    s.post(to(3, 500, 7, 40), 0); // 540 bytes: 256 + 256 + 28, of which the first 40 are metadata
    const uint32_t payload[] = {216, 256, 28};
    const uint32_t metadata[] = {40, 0, 0};
    for (uint32_t i = 0; i < 3; ++i) {
        packet item;
        message done;
        bool last = false;
        ASSERT_TRUE(s.next(i, item, done, last));
        EXPECT_EQ(item.payload_bytes, payload[i]);
        EXPECT_EQ(item.metadata_bytes, metadata[i]);
        EXPECT_EQ(item.index, i);
        EXPECT_EQ(item.last, i == 2);
        EXPECT_EQ(last, i == 2);
    }
    EXPECT_TRUE(s.idle());
}

TEST(sender, a_message_without_bytes_is_one_packet) {
    sender s({1, 0, 256, true}, {});
    s.post(to(3, 0, 7), 0);
    packet item;
    message done;
    bool last = false;
    ASSERT_TRUE(s.next(0, item, done, last));
    EXPECT_TRUE(item.last && last);
    EXPECT_EQ(item.payload_bytes + item.metadata_bytes, 0u);
}

TEST(sender, setup_passes_before_the_first_packet) {
    sender s({2, 8, 256, true}, {});
    s.post(to(1, 256, 1), 10);
    s.post(to(2, 256, 2), 12);
    EXPECT_EQ(s.ready_at(), 18u);
    const auto left = drain(s, 0, 30);
    ASSERT_EQ(left.size(), 2u);
    EXPECT_EQ(left[0].first, 18u);
    EXPECT_EQ(left[1].first, 20u);
}

// A message of a later step waits while one of an earlier step has packets, even where its
// destination was never served: other dies' later steps hang on the earlier ones.
TEST(sender, earlier_steps_go_first) {
    sender s({4, 0, 256, true}, {});
    message later = to(2, 512, 9);
    later.round = 1;
    s.post(std::move(later), 0);
    s.post(to(1, 512, 7), 0);
    s.post(to(1, 512, 8), 0);
    const auto left = drain(s, 0, 10);
    ASSERT_EQ(left.size(), 6u);
    const uint64_t chunks[] = {7, 7, 8, 8, 9, 9};
    for (size_t i = 0; i < left.size(); ++i) {
        EXPECT_EQ(left[i].second, chunks[i]) << i;
    }
}

// Three messages of two packets, two of them to one destination: per destination, packets to 1 and
// 2 take turns; as one FIFO, messages leave one after the other.
TEST(sender, arbitration_per_destination_or_fifo) {
    for (bool per_destination : {true, false}) {
        sender s({4, 0, 256, per_destination}, {});
        s.post(to(1, 512, 10), 0);
        s.post(to(1, 512, 11), 0);
        s.post(to(2, 512, 20), 0);
        std::vector<uint64_t> chunks;
        for (const auto& [cycle, chunk] : drain(s, 0, 6)) {
            chunks.push_back(chunk);
        }
        const std::vector<uint64_t> turns = {10, 20, 10, 20, 11, 11};
        const std::vector<uint64_t> fifo = {10, 10, 11, 11, 20, 20};
        EXPECT_EQ(chunks, per_destination ? turns : fifo);
    }
}

TEST(sender, channels_bound_what_is_worked_on) {
    sender one({1, 8, 256, true}, {});
    sender two({2, 8, 256, true}, {});
    for (sender* s : {&one, &two}) {
        s->post(to(1, 256, 1), 0);
        s->post(to(2, 256, 2), 0);
    }
    // One channel: the second is set up when the first has left at 8; two: both are at 8.
    EXPECT_EQ(drain(one, 0, 40).back().first, 16u);
    EXPECT_EQ(drain(two, 0, 40).back().first, 9u);
}

TEST(sender, control_flits_go_first_and_need_no_channel) {
    sender s({1, 100, 256, true}, {});
    s.post(to(1, 256, 1), 0);
    s.post_control(to(2, 0, 99));
    const auto left = drain(s, 5, 200);
    ASSERT_EQ(left.size(), 2u);
    EXPECT_EQ(left[0], (std::pair<uint64_t, uint64_t>{5, 99}));
    EXPECT_EQ(left[1].first, 100u);
}

// Memory gives 256 bytes per 10 cycles: reading ahead, packets leave at 10, 20, 30, 40 while the
// port asks at every cycle.
TEST(sender, reading_paces_a_slow_memory) {
    uint64_t free_at = 0;
    sender s({1, 0, 256, true}, [&](uint64_t bytes, uint64_t from) {
        free_at = std::max(free_at, from) + 10 * bytes / 256;
        return free_at;
    });
    s.post(to(1, 1024, 1), 0);
    std::vector<uint64_t> cycles;
    for (const auto& [cycle, chunk] : drain(s, 0, 100)) {
        cycles.push_back(cycle);
    }
    EXPECT_EQ(cycles, (std::vector<uint64_t>{10, 20, 30, 40}));
}

// Memory answers after 60 cycles: with n packets read ahead, n leave every 60 cycles.
TEST(sender, reading_ahead_covers_latency) {
    for (uint32_t ahead : {1u, 2u, 3u}) {
        sender s({1, 0, 256, true, ahead}, [](uint64_t, uint64_t from) { return from + 60; });
        s.post(to(1, 6 * 256, 1), 0);
        const auto left = drain(s, 0, 1000);
        ASSERT_EQ(left.size(), 6u);
        // The last batch leaves after ceil(6 / n) round trips, one packet per cycle; each batch but
        // the first starts when the first of the batch before has left.
        EXPECT_EQ(left.back().first, 60u * (6 / ahead) + ahead - 1) << ahead;
    }
}

} // namespace
