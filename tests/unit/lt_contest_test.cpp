// SPDX-License-Identifier: Apache-2.0
// The next input by a tree of matches, beside a search through all of them.
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/fabric/lt/lt_contest.h"

using chimera::fabric::lt_contest;
namespace kernel = chimera::kernel;

TEST(lt_contest, without_anything_ready_nothing_is_next) {
    EXPECT_EQ(lt_contest(1).cycle(), kernel::never);
    EXPECT_EQ(lt_contest(5).cycle(), kernel::never);
}

TEST(lt_contest, the_first_is_next_and_ties_are_decided_by_the_caller) {
    // Cycles from 0 to 4, so that most are equal to others; ties by a rank that is not the number
    // of the input. 7 is prime to all counts, so that ranks differ.
    for (uint32_t inputs : {1u, 2u, 3u, 5u, 8u, 9u, 33u}) {
        std::vector<uint64_t> ready(inputs, kernel::never);
        const auto rank = [inputs](uint32_t input) { return (7 * input + 3) % inputs; };
        const auto wins = [&](uint32_t a, uint32_t b) {
            EXPECT_EQ(ready[a], ready[b]);
            EXPECT_NE(ready[a], kernel::never);
            return rank(a) < rank(b);
        };
        lt_contest contest(inputs);
        for (uint32_t step = 0; step < 1000; ++step) {
            const uint64_t hash = chm_hash3(1, inputs, step);
            const auto input = static_cast<uint32_t>(hash % inputs);
            const uint64_t drawn = (hash >> 32) % 6;
            ready[input] = drawn == 5 ? kernel::never : drawn;
            contest.set(input, ready[input], wins);
            uint32_t best = 0;
            for (uint32_t i = 1; i < inputs; ++i) {
                if (ready[i] < ready[best] || (ready[i] == ready[best] && rank(i) < rank(best))) {
                    best = i;
                }
            }
            ASSERT_EQ(contest.cycle(), ready[best]) << inputs << " inputs, step " << step;
            if (ready[best] != kernel::never) {
                ASSERT_EQ(contest.winner(), best) << inputs << " inputs, step " << step;
            }
        }
    }
}
