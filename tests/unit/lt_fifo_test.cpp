// SPDX-License-Identifier: Apache-2.0
// Queues of heads in blocks that several of them share, beside std::deque.
#include <deque>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/fabric/lt/lt_fifo.h"

using namespace chimera::fabric;

namespace {

chunk_head numbered(uint32_t number) {
    chunk_head head;
    head.body = number;
    return head;
}

} // namespace

TEST(lt_fifo, keeps_the_order_across_blocks) {
    head_pool pool;
    std::vector<lt_fifo> queues(3);
    std::vector<std::deque<uint32_t>> expected(3);
    for (uint32_t step = 0; step < 20000; ++step) {
        const uint64_t hash = chm_hash2(2, step);
        const size_t i = hash % 3;
        // Grows for a thousand steps and shrinks for as many, so that it is empty at times.
        const bool push = (hash >> 8) % 8 < (step / 1000 % 2 == 0 ? 5u : 3u);
        if (push) {
            queues[i].push(numbered(step), pool);
            expected[i].push_back(step);
        } else if (!expected[i].empty()) {
            queues[i].pop(pool);
            expected[i].pop_front();
        }
        ASSERT_EQ(queues[i].empty(), expected[i].empty());
        if (expected[i].empty()) {
            continue;
        }
        ASSERT_EQ(queues[i].front().body, expected[i][0]);
        ASSERT_EQ(queues[i].second() != nullptr, expected[i].size() > 1);
        if (expected[i].size() > 1) {
            ASSERT_EQ(queues[i].second()->body, expected[i][1]);
            std::swap(queues[i].front(), *queues[i].second());
            std::swap(expected[i][0], expected[i][1]);
        }
    }
}

// A queue that has been emptied keeps one block; what is long takes blocks of 15 heads, and one
// more where the next would go.
TEST(lt_fifo, gives_blocks_back) {
    head_pool pool;
    std::vector<lt_fifo> queues(8);
    for (int round = 0; round < 100; ++round) {
        for (lt_fifo& queue : queues) {
            for (uint32_t i = 0; i < 30; ++i) {
                queue.push(numbered(i), pool);
            }
            for (uint32_t i = 0; i < 30; ++i) {
                queue.pop(pool);
            }
            EXPECT_TRUE(queue.empty());
        }
    }
    EXPECT_EQ(head_block::heads, 15u);
    EXPECT_EQ(pool.allocated(), 16u); // the first slab: 7 + 3 blocks at most
}
