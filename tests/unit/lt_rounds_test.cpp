// SPDX-License-Identifier: Apache-2.0
// Rounds come in the order of their cycles, nodes in ascending order and once, whatever the order
// in which they asked.
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/fabric/lt/lt_rounds.h"

using chimera::fabric::lt_rounds;

namespace {

std::vector<uint32_t> take(lt_rounds& rounds) {
    std::vector<uint32_t> nodes;
    rounds.take([&nodes](uint32_t node) { nodes.push_back(node); });
    return nodes;
}

} // namespace

TEST(lt_rounds, ascending_and_once) {
    lt_rounds rounds;
    EXPECT_TRUE(rounds.empty());
    rounds.add(200, 7);
    rounds.add(100, 130);
    rounds.add(300, 0);
    rounds.add(100, 63);
    rounds.add(100, 64);
    rounds.add(100, 63);
    EXPECT_EQ(rounds.next(), 100u);
    EXPECT_EQ(take(rounds), (std::vector<uint32_t>{63, 64, 130}));
    EXPECT_EQ(rounds.next(), 200u);
    EXPECT_EQ(take(rounds), (std::vector<uint32_t>{7}));
    EXPECT_EQ(take(rounds), (std::vector<uint32_t>{0}));
    EXPECT_TRUE(rounds.empty());
}

// What is asked for while rounds are taken, beside a map of sets; sets are used again by then.
TEST(lt_rounds, as_a_map_of_sets) {
    lt_rounds rounds;
    std::map<uint64_t, std::set<uint32_t>> expected;
    uint64_t now = 0;
    for (uint32_t step = 0; step < 3000; ++step) {
        const uint64_t hash = chm_hash2(9, step);
        const uint64_t cycle = now + 100 * (1 + hash % 12);
        const auto node = static_cast<uint32_t>((hash >> 20) % 300);
        rounds.add(cycle, node);
        expected[cycle].insert(node);
        if (hash >> 61 != 0) {
            continue;
        }
        now = expected.begin()->first;
        ASSERT_EQ(rounds.next(), now);
        const std::set<uint32_t>& nodes = expected.begin()->second;
        ASSERT_EQ(take(rounds), std::vector<uint32_t>(nodes.begin(), nodes.end())) << step;
        expected.erase(expected.begin());
    }
    EXPECT_EQ(rounds.empty(), expected.empty());
}
