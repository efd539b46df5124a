// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/golden/network/calendar.h"

namespace {

class calendar : public testing::Test {
protected:
    calendar() { chm_calendar_init(&m_calendar); }
    ~calendar() override { chm_calendar_free(&m_calendar); }

    uint64_t take(uint64_t from, uint64_t length) {
        uint64_t start = chm_calendar_find(&m_calendar, from, length);
        EXPECT_EQ(chm_calendar_reserve(&m_calendar, start, length), chm_ok);
        return start;
    }

    chm_calendar m_calendar;
};

TEST_F(calendar, fills_gaps_and_merges_neighbours) {
    EXPECT_EQ(take(10, 5), 10u);
    EXPECT_EQ(take(20, 5), 20u);
    EXPECT_EQ(m_calendar.count, 2u);
    EXPECT_EQ(take(0, 6), 0u);
    EXPECT_EQ(take(0, 6), 25u); // only 6 .. 10 and 15 .. 20 are free before
    EXPECT_EQ(take(0, 5), 15u); // closes the gap between 10 and 25 ..
    EXPECT_EQ(m_calendar.count, 2u);
    EXPECT_EQ(m_calendar.busy[1].begin, 10u);
    EXPECT_EQ(m_calendar.end, 31u);
    EXPECT_EQ(take(7, 3), 7u);
    EXPECT_EQ(take(7, 1), 31u);
    EXPECT_EQ(take(3, 1), 6u);
    EXPECT_EQ(m_calendar.count, 1u); // 0 .. 32
}

TEST_F(calendar, refuses_what_is_taken_and_what_overflows) {
    EXPECT_EQ(take(5, 5), 5u);
    EXPECT_EQ(chm_calendar_reserve(&m_calendar, 9, 1), chm_bad_argument);
    EXPECT_EQ(chm_calendar_reserve(&m_calendar, 0, 6), chm_bad_argument);
    EXPECT_EQ(chm_calendar_reserve(&m_calendar, UINT64_MAX, 1), chm_overflow);
    EXPECT_EQ(chm_calendar_reserve(&m_calendar, 7, 0), chm_ok);
    EXPECT_EQ(chm_calendar_find(&m_calendar, 7, 0), 7u);
    EXPECT_EQ(m_calendar.count, 1u);
}

TEST_F(calendar, agrees_with_a_bitmap) {
    constexpr uint64_t horizon = 4000;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        chm_calendar_free(&m_calendar);
        std::vector<bool> busy(horizon * 4, false);
        uint64_t pruned = 0;
        for (uint64_t i = 0; i < 400; ++i) {
            uint64_t hash = chm_hash2(seed, i);
            uint64_t from = pruned + hash % (horizon - pruned);
            uint64_t length = 1 + (hash >> 32) % (seed % 2 == 0 ? 9 : 70);
            uint64_t expected = from;
            for (uint64_t run = 0; run < length;) {
                if (busy[expected + run]) {
                    expected += run + 1;
                    run = 0;
                } else {
                    ++run;
                }
            }
            // In one call or in two.
            uint64_t start = 0;
            if (i % 3 == 0) {
                ASSERT_EQ(chm_calendar_take(&m_calendar, from, length, &start), chm_ok);
            } else {
                start = take(from, length);
            }
            ASSERT_EQ(start, expected) << "seed " << seed << " step " << i;
            for (uint64_t t = 0; t < length; ++t) {
                busy[expected + t] = true;
            }
            if (i % 50 == 49) { // nothing before `pruned` is asked for again
                pruned += 40;
                chm_calendar_prune(&m_calendar, pruned);
            }
            uint64_t reserved = 0;
            for (size_t k = m_calendar.first; k < m_calendar.count; ++k) {
                chm_interval interval = m_calendar.busy[k];
                interval.end = k + 1 == m_calendar.count ? m_calendar.end : interval.end;
                ASSERT_LT(interval.begin, interval.end);
                if (k > m_calendar.first) { // sorted, and not even touching
                    ASSERT_GT(interval.begin, m_calendar.busy[k - 1].end);
                }
                for (uint64_t t = std::max(interval.begin, pruned); t < interval.end; ++t) {
                    ASSERT_TRUE(busy[t]);
                    reserved++;
                }
            }
            uint64_t marked = 0;
            for (uint64_t t = pruned; t < busy.size(); ++t) {
                marked += busy[t] ? 1 : 0;
            }
            ASSERT_EQ(reserved, marked);
        }
    }
}

} // namespace
