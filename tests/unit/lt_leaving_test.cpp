// SPDX-License-Identifier: Apache-2.0
// The order in which the inputs of a router serve in a round, beside a search through all of them.
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/fabric/lt/lt_leaving.h"

using chimera::fabric::lt_leaving;

namespace {

struct serving {
    bool ready;
    uint32_t cycle, source;
};

uint32_t first_of(const std::vector<serving>& inputs) {
    const auto key = [&inputs](uint32_t i) {
        return std::tuple(!inputs[i].ready, inputs[i].cycle, inputs[i].source, i);
    };
    uint32_t best = 0;
    for (uint32_t i = 1; i < inputs.size(); ++i) {
        best = key(i) < key(best) ? i : best;
    }
    return best;
}

} // namespace

// Rounds in which every input serves some chunks one after the other. Cycles and sources are drawn
// from few, so that all parts of the order decide; sources are as large as they can be.
TEST(lt_leaving, serves_by_cycle_then_source_then_input) {
    for (uint32_t count : {1u, 2u, 3u, 5u, 9u, 40u}) {
        lt_leaving leaving(count);
        for (uint32_t round = 0; round < 200; ++round) {
            std::vector<serving> inputs(count);
            uint32_t draws = 0;
            const auto draw = [&](uint32_t input, uint32_t from) {
                const uint64_t hash = chm_hash3(round, input, draws++);
                inputs[input] = {hash % 8 != 0, from + static_cast<uint32_t>(hash >> 8) % 3,
                                 UINT32_MAX - static_cast<uint32_t>(hash >> 16) % 2};
                return inputs[input].ready;
            };
            for (uint32_t i = 0; i < count; ++i) {
                if (draw(i, 0)) {
                    leaving.add(inputs[i].cycle, inputs[i].source, i);
                }
            }
            while (!leaving.empty()) {
                const uint32_t input = first_of(inputs);
                ASSERT_TRUE(inputs[input].ready);
                ASSERT_EQ(leaving.input(), input) << count << " inputs, round " << round;
                ASSERT_EQ(leaving.cycle(), inputs[input].cycle);
                if (draw(input, inputs[input].cycle + 1)) {
                    leaving.put_back(inputs[input].cycle, inputs[input].source);
                } else {
                    leaving.drop();
                }
            }
            for (const serving& each : inputs) {
                ASSERT_FALSE(each.ready);
            }
        }
    }
}

TEST(lt_leaving, holds_the_last_cycle_source_and_input) {
    lt_leaving leaving(1);
    leaving.add(lt_leaving::most_cycles - 1, UINT32_MAX, lt_leaving::most_inputs - 1);
    EXPECT_EQ(leaving.cycle(), lt_leaving::most_cycles - 1);
    EXPECT_EQ(leaving.input(), lt_leaving::most_inputs - 1);
}
