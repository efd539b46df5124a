// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/fabric/faults/retry_link.h"

using namespace chimera::fabric;

namespace {

struct receiver : retry_sink {
    struct arrival {
        packet* item;
        uint64_t due;
    };
    std::vector<arrival> arrivals;
    std::vector<packet*> returned;
    uint64_t now = 0, latency = 0;
    void deliver(packet* item, uint64_t due) override {
        EXPECT_GT(due, now + latency) << "what is decided a latency later must not be due yet";
        arrivals.push_back({item, due});
    }
    void give_back(packet* item, uint64_t cycle) override {
        EXPECT_GT(cycle, now + latency);
        returned.push_back(item);
    }
};

fabric_params with(uint64_t seed, double drop, double corrupt) {
    fabric_params params;
    params.seed = seed;
    params.drop_probability = drop;
    params.corrupt_probability = corrupt;
    return params;
}

} // namespace

// Whatever is lost and whenever packets come: each arrives once, in order, when its tail can be
// there, and no two of them share the link.
TEST(retry_link, delivers_each_packet_once_and_in_order) {
    for (uint64_t seed = 0; seed < 60; ++seed) {
        fabric_params params =
            with(seed, 0.1 * static_cast<double>(seed % 6), 0.05 * static_cast<double>(seed % 5));
        params.retry_timeout_cycles = 1 + chm_hash2(seed, 1) % 300;
        params.crc_cycles = chm_hash2(seed, 2) % 3;
        receiver end;
        end.latency = 1 + chm_hash2(seed, 3) % 120;
        retry_link link(params, 5, static_cast<uint32_t>(end.latency));
        std::vector<packet> packets(300);
        std::vector<uint64_t> ready(packets.size());
        uint64_t from = 0;
        for (size_t i = 0; i < packets.size(); ++i) {
            packets[i].flits = static_cast<uint32_t>(1 + chm_hash3(seed, 4, i) % 9);
            ready[i] = from += chm_hash3(seed, 5, i) % 16;
        }
        size_t filed = 0;
        while (filed < packets.size() || link.next() != retry_link::never) {
            while (filed < packets.size() && ready[filed] <= link.next()) {
                link.file(&packets[filed], ready[filed]);
                ++filed;
            }
            EXPECT_GE(link.next(), end.now);
            end.now = link.next();
            link.advance(end);
        }
        EXPECT_TRUE(link.empty());
        ASSERT_EQ(end.arrivals.size(), packets.size());
        uint64_t before = 0;
        for (size_t i = 0; i < packets.size(); ++i) {
            const receiver::arrival& item = end.arrivals[i];
            EXPECT_EQ(item.item, &packets[i]);
            EXPECT_GE(item.due, ready[i] + packets[i].flits + end.latency + params.crc_cycles);
            EXPECT_GE(item.due, before + packets[i].flits);
            before = item.due;
        }
        const link_fault_statistics& faults = link.statistics();
        EXPECT_GE(faults.replayed, faults.dropped + faults.corrupted);
        EXPECT_EQ(faults.dropped > 0, params.drop_probability > 0);
        EXPECT_EQ(faults.corrupted > 0, params.corrupt_probability > 0);
    }
}

// When the link fails, a packet is across, with its CRC's verdict to come at most, or comes back.
TEST(retry_link, what_is_not_across_when_it_fails_comes_back) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
        const fabric_params params = with(seed, 0.1, 0.1);
        const uint64_t fails_at = 100 + chm_hash2(seed, 6) % 1300;
        receiver end;
        end.latency = 50;
        retry_link link(params, 5, 50, fails_at);
        std::vector<packet> packets(200);
        for (packet& item : packets) {
            item.flits = 7;
            link.file(&item, 0);
        }
        while (link.next() != retry_link::never) {
            end.now = link.next();
            link.advance(end);
        }
        EXPECT_TRUE(link.empty());
        ASSERT_EQ(end.arrivals.size() + end.returned.size(), packets.size());
        for (size_t i = 0; i < packets.size(); ++i) {
            const size_t came = end.arrivals.size();
            if (i < came) {
                EXPECT_EQ(end.arrivals[i].item, &packets[i]);
                EXPECT_LE(end.arrivals[i].due, fails_at + params.crc_cycles);
            } else {
                EXPECT_EQ(end.returned[packets.size() - 1 - i], &packets[i]); // latest first
            }
        }
        EXPECT_FALSE(end.returned.empty()); // 200 packets of 7 flits take 1,400 cycles and more
    }
}

TEST(retry_link, fates_are_as_likely_as_asked_and_differ_by_link_number_and_attempt) {
    const fabric_params params = with(7, 0.25, 0.2);
    uint64_t dropped = 0, corrupted = 0, unlike_link = 0, unlike_attempt = 0;
    constexpr uint64_t draws = 20000;
    for (uint64_t number = 0; number < draws; ++number) {
        const link_fate fate = fate_of(params, 3, number, 0);
        dropped += fate == link_fate::dropped ? 1 : 0;
        corrupted += fate == link_fate::corrupted ? 1 : 0;
        unlike_link += fate_of(params, 4, number, 0) != fate ? 1 : 0;
        unlike_attempt += fate_of(params, 3, number, 1) != fate ? 1 : 0;
    }
    // Means 0.25 and 0.75 x 0.2 = 0.15; two draws differ with 1 - 0.25^2 - 0.15^2 - 0.6^2 = 0.555.
    // Five deviations of 20,000 draws are below 0.018.
    EXPECT_NEAR(static_cast<double>(dropped) / draws, 0.25, 0.018);
    EXPECT_NEAR(static_cast<double>(corrupted) / draws, 0.15, 0.018);
    EXPECT_NEAR(static_cast<double>(unlike_link) / draws, 0.555, 0.018);
    EXPECT_NEAR(static_cast<double>(unlike_attempt) / draws, 0.555, 0.018);
}
