// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "hw/base/random.h"
#include "hw/trace/due_list.h"

namespace {

using chimera::trace::due_list;
using taken = std::vector<std::pair<uint64_t, int>>; // cycle, item

taken take(due_list<int>& list, uint64_t until) {
    taken all;
    list.take(until, [&](uint64_t cycle, int item) { all.emplace_back(cycle, item); });
    return all;
}

TEST(due_list, gives_what_is_due_in_order_and_of_a_cycle_as_filed) {
    due_list<int> list;
    list.add(7, 1);
    list.add(5, 2);
    list.add(7, 3);
    list.add(1000000, 4); // far
    EXPECT_EQ(take(list, 5), taken());
    EXPECT_EQ(take(list, 8), (taken{{5, 2}, {7, 1}, {7, 3}}));
    EXPECT_EQ(take(list, 1000000), taken());
    list.add(1000000, 5); // behind what was filed while the cycle was far
    EXPECT_EQ(take(list, UINT64_MAX), (taken{{1000000, 4}, {1000000, 5}}));
}

TEST(due_list, what_comes_too_late_is_due_at_the_first_cycle_that_is_left) {
    due_list<int> list;
    EXPECT_EQ(take(list, 100), taken());
    list.add(101, 1);
    list.add(3, 2);
    EXPECT_EQ(take(list, 200), (taken{{100, 2}, {101, 1}}));
}

// Beside a stable sort, over spans shorter and longer than what is near, with rests in between.
TEST(due_list, is_a_stable_sort) {
    for (uint64_t span : {1u, 40u, 1023u, 1024u, 1025u, 5000u, 200000u}) {
        due_list<int> list;
        taken expected, seen;
        uint64_t settled = 0;
        for (int round = 0; round < 60; ++round) {
            for (int i = 0; i < 30; ++i) {
                const int item = round * 30 + i;
                const uint64_t cycle =
                    settled + chm_hash2(span, static_cast<uint64_t>(item)) % span;
                list.add(cycle, item);
                expected.emplace_back(cycle, item);
            }
            settled += chm_hash2(span + 1, static_cast<uint64_t>(round)) % span;
            for (const auto& each : take(list, settled)) {
                EXPECT_LT(each.first, settled);
                seen.push_back(each);
            }
        }
        for (const auto& each : take(list, settled + span)) {
            seen.push_back(each);
        }
        std::stable_sort(expected.begin(), expected.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        EXPECT_EQ(seen, expected) << "span " << span;
    }
}

} // namespace
