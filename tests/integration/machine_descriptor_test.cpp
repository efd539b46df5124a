// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/machine_run.h"

using chimera::die::machine;
using chimera::die::machine_options;
using chimera::test::driven_program;
using chimera::test::machine_run;

namespace {

// A copy of a descriptor of the die's own stream with one byte changed, queued before it.
struct damage {
    uint32_t byte;
    unsigned char flipped; // bits
};

struct outcome {
    chm_status status;
    bool reported; // as malformed
};

outcome run_damaged(const driven_program& driven, uint32_t descriptor, const damage& harm) {
    machine_options options;
    options.data = true;
    chimera::compute::injected_descriptor item;
    item.die = 5;
    item.position = descriptor;
    chm_descriptor_encode(&driven.workload.descriptors[descriptor], item.bytes);
    item.bytes[harm.byte] ^= harm.flipped;
    options.injected.push_back(item);
    machine damaged(driven.platform->topology, driven.platform->parameters, driven.workload,
                    options);
    const auto result = damaged.run();
    const bool reported = damaged.statistics().malformed_descriptors != 0;
    const std::string where = "descriptor " + std::to_string(descriptor) + " byte " +
                              std::to_string(harm.byte) + " bits " + std::to_string(harm.flipped) +
                              ": " + result.text;
    EXPECT_NE(result.status, chm_internal) << where;
    if (result.status == chm_ok) {
        EXPECT_TRUE(reported) << where; // it, or the true one behind it, comes out of order
        EXPECT_EQ(damaged.data(), chimera::die::data_result::equal) << where;
    } else {
        EXPECT_FALSE(result.text.empty()) << where;
    }
    EXPECT_EQ(reported, !damaged.descriptor_errors().empty()) << where;
    return {result.status, reported};
}

// Whatever byte is wrong: the descriptor is refused and the rest runs, or, where it passes for
// another one, dies that disagree or wait are found. Nothing crashes, nothing hangs.
TEST(damaged_descriptor, any_byte_ends_in_an_answer_or_a_message) {
    driven_program driven("mesh_5x5", "tp_ep", machine_run::program_options(8, 4096));
    ASSERT_EQ(driven.status, chm_ok) << driven.faults;
    int refused = 0;
    int runs = 0;
    ASSERT_EQ(driven.workload.operation_count, 4u);
    for (uint32_t descriptor = 0; descriptor < 3; ++descriptor) { // all-reduce, gating, all-to-all
        ASSERT_TRUE(driven.workload.has_descriptor[descriptor]);
        for (uint32_t byte = 0; byte < chm_descriptor_bytes; ++byte) {
            for (unsigned char flipped : {0x01, 0x80}) {
                const outcome got = run_damaged(driven, descriptor, {byte, flipped});
                refused += got.status == chm_ok && got.reported;
                ++runs;
            }
        }
    }
    // 8 reserved bytes and the version are never right, in any of the three.
    EXPECT_GE(refused, 9 * 2 * 3);
    EXPECT_LE(refused, runs);
}

} // namespace
