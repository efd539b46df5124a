// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hw/compute/activity_meter.h"
#include "hw/dma/reduce_unit.h"
#include "hw/fusion/csr_file.h"
#include "hw/fusion/pipeline.h"

using chimera::fusion::csr_file;
using chimera::fusion::pipeline;
using chimera::fusion::staging;

namespace {

chm_engine_params defaults() {
    chm_parameters parameters;
    chm_parameters_default(&parameters);
    return parameters.engine;
}

TEST(csr_file, reads_what_the_map_says_and_refuses_the_rest) {
    csr_file csr;
    csr.head = 3;
    csr.depth = 64;
    csr.moved = 0x1122334455667788u;
    uint32_t value = 0;
    EXPECT_TRUE(csr.read(chm_csr_head, value));
    EXPECT_EQ(value, 3u);
    EXPECT_TRUE(csr.read(chm_csr_moved, value));
    EXPECT_EQ(value, 0x55667788u); // low word first
    EXPECT_TRUE(csr.read(chm_csr_moved + 4, value));
    EXPECT_EQ(value, 0x11223344u);
    EXPECT_FALSE(csr.read(chm_csr_doorbell, value)); // write only
    EXPECT_FALSE(csr.read(chm_csr_bytes, value));
    EXPECT_FALSE(csr.read(chm_csr_fetched + 2, value));
    EXPECT_EQ(csr.write(chm_csr_head, 1), csr_file::effect::refused); // read only
    EXPECT_EQ(csr.write(chm_csr_doorbell, 63), csr_file::effect::doorbell);
    EXPECT_EQ(csr.write(chm_csr_doorbell, 64), csr_file::effect::refused); // no such entry
}

TEST(csr_file, keeps_the_first_error_until_it_is_cleared) {
    csr_file csr;
    csr.report_error(5, 18);
    csr.report_error(6, 2);
    EXPECT_EQ(csr.error, 0x80000000u | 18u << 8 | 5u);
    EXPECT_EQ(csr.interrupt, 1u);
    csr.write(chm_csr_interrupt, 1);
    EXPECT_EQ(csr.interrupt, 0u);
    csr.write(chm_csr_error, 0x80000000u);
    EXPECT_EQ(csr.error, 0u);
    csr.report_error(7, 4);
    EXPECT_EQ(csr.error, 0x80000000u | 4u << 8 | 7u);
}

// Defaults: 64 B/cycle and 20 cycles. The first descriptor is there at 0 + 1 + 20, the next ones
// one cycle apart, their latency hidden behind it.
TEST(pipeline, fetches_are_pipelined) {
    const chm_engine_params params = defaults();
    pipeline stages(params);
    for (uint64_t i = 0; i < 4; ++i) {
        const uint64_t start = stages.fetch_start(0);
        EXPECT_EQ(start, i);
        EXPECT_EQ(stages.fetched(start, start, 64), 21 + i);
    }
    const uint64_t start = stages.fetch_start(0);
    EXPECT_EQ(stages.fetched(start, 50, 64), 70u); // memory was slow: there at 50, + 20
}

// A run of 3 members: 2 joins of 4 cycles; 6 transfers planned at 1 per cycle; 2 sends issued at 1
// per cycle: 100 + 8 + 6 + 2. A run of one behind it passes the stages as they become free.
TEST(pipeline, runs_pass_fuse_plan_and_issue_in_order) {
    const chm_engine_params params = defaults();
    pipeline stages(params);
    EXPECT_EQ(stages.issue(100, {3, 6, 2, 6, 2}), 116u);
    EXPECT_EQ(stages.issue(101, {1, 4, 4, 4, 4}), 122u); // planned 114 .. 118, issued 118 .. 122
    // The first of 10 slices is planned by 136 and issued by 138; the others keep planning busy
    // until 190, so that the next run, of one slice, is planned by 250 and issued by 270.
    EXPECT_EQ(stages.issue(130, {1, 60, 20, 6, 2}), 138u);
    EXPECT_EQ(stages.issue(131, {1, 60, 20, 60, 20}), 270u);
    chm_engine_params free = {};
    pipeline free_stages(free);
    EXPECT_EQ(free_stages.issue(100, {3, 6, 2, 6, 2}), 100u);
}

TEST(staging, is_given_out_up_to_its_size) {
    staging space(100);
    EXPECT_TRUE(space.reserve(60));
    EXPECT_FALSE(space.reserve(50));
    EXPECT_TRUE(space.reserve(40));
    EXPECT_EQ(space.peak(), 100u);
    space.release(60);
    EXPECT_FALSE(space.reserve(1000)); // all of it, once it is free
    space.release(40);
    EXPECT_TRUE(space.reserve(1000));
    space.release(1000);
    EXPECT_EQ(space.used(), 0u);
}

TEST(reduce_unit, adds_one_transfer_after_the_other) {
    chimera::dma::reduce_unit adder(256);
    EXPECT_EQ(adder.add(512, 10), 12u);
    EXPECT_EQ(adder.add(1, 11), 13u); // busy until 12
    chimera::dma::reduce_unit free(0);
    EXPECT_EQ(free.add(1 << 20, 10), 10u);
}

// Communication in [10, 50), compute in [20, 30): exposed in [10, 20) and [30, 50).
TEST(activity_meter, exposed_is_communication_without_compute) {
    chimera::compute::activity_meter meter;
    meter.communication_begins(10);
    meter.compute_begins(20);
    meter.communication_begins(25); // a second run at once counts once
    meter.compute_ends(30);
    meter.communication_ends(40);
    meter.communication_ends(50);
    EXPECT_EQ(meter.communication_busy_cycles(), 40u);
    EXPECT_EQ(meter.compute_busy_cycles(), 10u);
    EXPECT_EQ(meter.exposed_communication_cycles(), 30u);
}

} // namespace
