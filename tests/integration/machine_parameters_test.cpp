// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/machine_run.h"

using chimera::test::machine_run;
using chimera::test::settings;

namespace {

// One parameter, its value and a worse one, and a program whose cycles it must show in.
struct sensitivity {
    const char* key;
    const char* better;
    const char* worse;
    const char* program;
    uint64_t window;
};

class parameter : public ::testing::TestWithParam<sensitivity> {};

TEST_P(parameter, worse_values_take_longer) {
    const sensitivity& p = GetParam();
    machine_run good("mesh_5x5", p.program, p.window, 65536, {}, {{p.key, p.better}});
    machine_run bad("mesh_5x5", p.program, p.window, 65536, {}, {{p.key, p.worse}});
    ASSERT_EQ(good.result.status, chm_ok) << good.result.text;
    ASSERT_EQ(bad.result.status, chm_ok) << bad.result.text;
    EXPECT_LT(good.statistics.cycles, bad.statistics.cycles);
}

INSTANTIATE_TEST_SUITE_P(
    all, parameter,
    ::testing::Values(sensitivity{"dma_setup_cycles", "0", "200", "tp_pp", 8},
                      sensitivity{"dma_channels", "4", "1", "sp_ep", 8},
                      sensitivity{"reduce_bytes_per_cycle", "256", "16", "tp_sp", 8},
                      sensitivity{"reduce_bytes_per_cycle", "0", "256", "tp_sp", 8},
                      sensitivity{"reduce_overlapped", "on", "off", "tp_sp", 8},
                      sensitivity{"fetch_latency_cycles", "20", "500", "tp_pp", 8},
                      sensitivity{"fetch_bytes_per_cycle", "64", "1", "tp_pp", 8},
                      sensitivity{"fuse_cycles_per_pair", "4", "300", "tp_ep", 8},
                      sensitivity{"plan_transfers_per_cycle", "0", "1", "tp_pp", 8},
                      sensitivity{"issue_per_cycle", "0", "1", "tp_pp", 8},
                      sensitivity{"gating_rows_per_cycle", "0", "1", "tp_ep", 8},
                      sensitivity{"enqueue_cycles_per_descriptor", "16", "1000", "tp_pp", 8},
                      sensitivity{"memory_bandwidth_bytes_per_cycle", "0", "32", "tp_sp", 8},
                      sensitivity{"memory_latency_cycles", "0", "300", "tp_sp", 8},
                      sensitivity{"row_id_bytes", "0", "64", "sp_ep", 8},
                      sensitivity{"slot_header_bytes", "0", "4096", "sp_ep", 8}),
    [](const auto& test) {
        return std::string(test.param.key) + "_" + test.param.better + "_" + test.param.worse;
    });

// Rows of a routed transfer: 2 copies of 64 KiB x 2 groups go to 4 dies, 3 of 4 over the network:
// 4 x 64 KiB x 3/4 = 196,608 payload bytes = 48 rows of 4 KiB. Each has an id; each of the 12
// ordered pairs of dies has one header.
TEST(metadata, is_counted_per_row_and_per_transfer) {
    machine_run none("mesh_5x5", "sp_ep", 8, 65536, {},
                     {{"row_id_bytes", "0"}, {"slot_header_bytes", "0"}});
    machine_run ids("mesh_5x5", "sp_ep", 8, 65536, {},
                    {{"row_id_bytes", "4"}, {"slot_header_bytes", "0"}});
    machine_run headers("mesh_5x5", "sp_ep", 8, 65536, {},
                        {{"row_id_bytes", "0"}, {"slot_header_bytes", "12"}});
    EXPECT_EQ(none.statistics.bytes_moved, 196608u);
    EXPECT_EQ(none.statistics.metadata_bytes, 0u);
    EXPECT_EQ(ids.statistics.metadata_bytes, 48u * 4);
    EXPECT_EQ(headers.statistics.metadata_bytes, 12u * 12);
}

// With one FIFO the packets of a channel follow one another, so a transfer to a far die holds back
// those behind it; the bytes are the same.
TEST(arbitration, changes_time_and_not_bytes) {
    machine_run turns("mesh_5x5", "sp_ep", 8, 65536, {}, {{"dma_per_destination", "on"}});
    machine_run fifo("mesh_5x5", "sp_ep", 8, 65536, {}, {{"dma_per_destination", "off"}});
    EXPECT_NE(turns.statistics.cycles, fifo.statistics.cycles);
    EXPECT_EQ(turns.statistics.bytes_moved, fifo.statistics.bytes_moved);
}

// 4 dies gate a quarter of 2 groups x 16 rows each: 8 rows, 8 cycles, which now occupy the array.
TEST(gating, runs_on_its_own_unit_or_on_the_array) {
    machine_run unit("mesh_5x5", "tp_ep", 8, 65536, {}, {{"gating_on_compute", "off"}});
    machine_run array("mesh_5x5", "tp_ep", 8, 65536, {}, {{"gating_on_compute", "on"}});
    EXPECT_EQ(unit.statistics.compute_busy_cycles + 8, array.statistics.compute_busy_cycles);
    EXPECT_EQ(unit.statistics.cycles, array.statistics.cycles); // the array was idle
}

TEST(staging, is_never_used_beyond_its_size) {
    machine_run small("mesh_5x5", "tp_sp", 8, 65536, {}, {{"staging_bytes", "8192"}});
    machine_run large("mesh_5x5", "tp_sp", 8, 65536);
    for (const auto& die : small.statistics.dies) {
        EXPECT_LE(die.staging_peak_bytes, 8192u);
    }
    EXPECT_LT(small.statistics.peak_memory_bytes, large.statistics.peak_memory_bytes);
}

// In one piece tp_pp takes R-S, P2P and A-G one after the other: 0.75 + 0.5 + 0.75 of what the
// message takes at a port; in chunks every port of the two stages is busy for 1.0. Staging is a
// ceiling: room for more chunks than are under way changes nothing.
TEST(chunks, overlap_the_phases_of_a_run) {
    auto cycles = [](const char* chunk, const char* staging) {
        return machine_run("mesh_5x5", "tp_pp", 8, 262144, {},
                           {{"chunk_bytes", chunk}, {"staging_bytes", staging}})
            .statistics.cycles;
    };
    const uint64_t whole = cycles("1048576", "4194304");
    const uint64_t many = cycles("8192", "4194304");
    EXPECT_GT(whole, 3 * many / 2);
    EXPECT_LE(cycles("0", "4194304"), many + many / 8);
    EXPECT_EQ(cycles("8192", "1048576"), many);
    EXPECT_GT(cycles("8192", "4096"), many); // a chunk waits for the one before
}

// A window of 1 is the engine off; the pair is fused from a window of 2 on, where the distance of 1
// is below it.
TEST(window, decides_what_is_fused) {
    machine_run off("mesh_5x5", "sp_pp", 1, 65536);
    machine_run on("mesh_5x5", "sp_pp", 2, 65536);
    EXPECT_EQ(off.statistics.fused, 0u);
    EXPECT_EQ(on.statistics.fused, 2u);
    EXPECT_LT(on.statistics.bytes_moved, off.statistics.bytes_moved);
    EXPECT_EQ(on.statistics.bytes_asked, off.statistics.bytes_asked);
    EXPECT_EQ(off.statistics.bytes_asked, off.statistics.bytes_moved);
}

// Bytes and decisions do not depend on what the parameters above cost.
TEST(reference_costs, move_the_same_bytes_faster) {
    machine_run costs("mesh_5x5", "tp_pp", 8, 65536);
    machine_run free("mesh_5x5", "tp_pp", 8, 65536, {}, {{"costs", "reference"}});
    EXPECT_LT(free.statistics.cycles, costs.statistics.cycles);
    EXPECT_EQ(free.statistics.metadata_bytes, 0u);
}

// Two streams of 256 packets on an idle path, as the reference simulator has them (fat tree, M2MS
// of shards from dies 0-3 to 4-7, one hop): 16 KiB are 64 full packets of 7 flits; issue + 204 +
// 448, and the cycle after: 653.
TEST(reference_costs, sp_pp_on_the_fat_tree_takes_the_closed_form) {
    machine_run run("fat_tree_2x8", "sp_pp", 8, 65536, {}, {{"costs", "reference"}});
    EXPECT_EQ(run.statistics.cycles, 204u + 448u + 1u);
}

} // namespace
