// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/fabric/islip.h"
#include "hw/fabric/packet.h"
#include "hw/fabric/ring_queue.h"
#include "hw/fabric/switch_allocator.h"

using namespace chimera::fabric;

// Both outputs point at input 0 at first, so one match is made and output 1 stays idle. From then
// on the pointers differ (grant 0 -> 1, accept 0 -> 1) and every round matches both.
TEST(islip, pointers_fall_out_of_step_after_one_round) {
    islip allocator(2, 2);
    for (int round = 0; round < 10; ++round) {
        for (uint32_t input : {0u, 1u}) {
            for (uint32_t output : {0u, 1u}) {
                allocator.request(input, output);
            }
        }
        EXPECT_EQ(allocator.allocate().size(), round == 0 ? 1u : 2u) << round;
    }
}

TEST(islip, one_output_serves_its_inputs_in_turn) {
    islip allocator(3, 1);
    std::vector<uint32_t> served;
    for (int round = 0; round < 6; ++round) {
        for (uint32_t input = 0; input < 3; ++input) {
            allocator.request(input, 0);
        }
        served.push_back(allocator.allocate().front().input);
    }
    EXPECT_EQ(served, (std::vector<uint32_t>{0, 1, 2, 0, 1, 2}));
}

// A grant that is not accepted must not move the output's pointer: input 0 accepts output 0 and
// leaves output 1, which offers to input 0 again in the next round.
TEST(islip, a_refused_grant_leaves_the_pointer) {
    islip allocator(2, 2);
    allocator.request(0, 0);
    allocator.request(0, 1);
    ASSERT_EQ(allocator.allocate().front().output, 0u);
    allocator.request(0, 1);
    allocator.request(1, 1);
    EXPECT_EQ(allocator.allocate().front().input, 0u);
}

TEST(islip, matches_are_one_to_one_and_among_the_requests) {
    islip allocator(7, 5);
    for (uint64_t round = 0; round < 2000; ++round) {
        std::set<std::pair<uint32_t, uint32_t>> asked;
        for (uint32_t input = 0; input < 7; ++input) {
            for (uint32_t output = 0; output < 5; ++output) {
                if (chm_chance(chm_hash3(round, input, output), 0.3)) {
                    allocator.request(input, output);
                    asked.insert({input, output});
                }
            }
        }
        std::set<uint32_t> inputs, outputs;
        for (const islip::match& match : allocator.allocate()) {
            EXPECT_TRUE(asked.count({match.input, match.output}));
            EXPECT_TRUE(inputs.insert(match.input).second);
            EXPECT_TRUE(outputs.insert(match.output).second);
        }
        EXPECT_EQ(inputs.empty(), asked.empty());
    }
}

TEST(switch_allocator, channels_of_an_input_take_turns) {
    switch_allocator allocator(1, 1, 4);
    std::vector<uint32_t> served;
    for (int round = 0; round < 6; ++round) {
        for (uint32_t vc : {0u, 1u, 3u}) {
            allocator.request(0, vc, 0);
        }
        served.push_back(allocator.allocate().front().vc);
    }
    EXPECT_EQ(served, (std::vector<uint32_t>{0, 1, 3, 0, 1, 3}));
}

// With 4 channels an input, 20 in all, it works on words; with 16, of which 4 are used, on lists.
TEST(switch_allocator, words_grant_as_lists_do) {
    switch_allocator words(5, 6, 4), lists(5, 6, 16);
    size_t granted = 0;
    for (uint64_t round = 0; round < 5000; ++round) {
        const double density = static_cast<double>(round % 10) / 10;
        // A channel asks for one output.
        for (uint32_t output = 0; output < 6; ++output) {
            for (uint32_t channel = 0; channel < 20; ++channel) {
                const uint64_t hash = chm_hash3(round, channel, 7);
                if (!chm_chance(hash, density) && (hash & 0xff) % 6 == output) {
                    words.request(channel / 4, channel % 4, output);
                    lists.request(channel / 4, channel % 4, output);
                }
            }
        }
        ASSERT_EQ(words.requested(), lists.requested());
        if (!words.requested()) {
            continue;
        }
        const switch_allocator::grants ours = words.allocate(), theirs = lists.allocate();
        ASSERT_EQ(ours.size(), theirs.size());
        for (size_t i = 0; i < ours.size(); ++i) {
            EXPECT_EQ(ours.begin()[i].input, theirs.begin()[i].input);
            EXPECT_EQ(ours.begin()[i].vc, theirs.begin()[i].vc);
            EXPECT_EQ(ours.begin()[i].output, theirs.begin()[i].output);
        }
        granted += ours.size();
    }
    EXPECT_GT(granted, 5000u);
}

TEST(packet_pool, re_uses_packets_and_keeps_their_buffers_apart) {
    packet_pool pool(64);
    std::vector<packet*> taken;
    for (int i = 0; i < 600; ++i) {
        taken.push_back(pool.take());
        std::fill(taken.back()->data, taken.back()->data + 64, static_cast<uint8_t>(i));
        taken.back()->message = 7;
    }
    EXPECT_EQ(pool.outstanding(), 600u);
    for (int i = 0; i < 600; ++i) {
        EXPECT_EQ(taken[i]->data[0], static_cast<uint8_t>(i));
        EXPECT_EQ(taken[i]->data[63], static_cast<uint8_t>(i));
    }
    packet* last = taken.back();
    pool.give(last);
    packet* again = pool.take();
    EXPECT_EQ(again, last);
    EXPECT_EQ(again->message, 0u);
    EXPECT_NE(again->data, nullptr);
    EXPECT_EQ(packet_pool().take()->data, nullptr);
}

TEST(ring_queue, keeps_order_while_it_wraps_and_grows) {
    ring_queue<int> queue;
    int in = 0, out = 0;
    for (int round = 0; round < 50; ++round) {
        for (int i = 0; i < round; ++i) {
            queue.push(in++);
        }
        for (int i = 0; i < round / 2; ++i) {
            ASSERT_EQ(queue.front(), out++);
            queue.pop();
        }
        ASSERT_EQ(queue.size(), static_cast<size_t>(in - out));
        if (!queue.empty()) {
            ASSERT_EQ(queue.at(queue.size() - 1), in - 1);
        }
    }
}
