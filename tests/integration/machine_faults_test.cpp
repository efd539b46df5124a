// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/base_protocol_checker.h"
#include "tests/support/machine_run.h"

using chimera::die::machine;
using chimera::die::machine_options;
using chimera::test::base_protocol_checker;
using chimera::test::driven_program;
using chimera::test::machine_run;
using ::testing::HasSubstr;

namespace {

chimera::compute::injected_descriptor damaged(const driven_program& driven, uint32_t die,
                                              uint32_t byte, unsigned char value) {
    chimera::compute::injected_descriptor item;
    item.die = die;
    item.position = 0;
    chm_descriptor_encode(&driven.workload.descriptors[0], item.bytes);
    item.bytes[byte] = value;
    return item;
}

// A malformed descriptor is named by field, sets the error register and the interrupt, and is
// skipped: everything else runs as if it had not been there.
TEST(malformed_descriptor, is_reported_and_the_queue_survives) {
    struct fault_case {
        uint32_t byte;
        const char* field;
    };
    for (const fault_case& fault :
         {fault_case{chm_desc_version, "version"}, fault_case{chm_desc_kind, "kind"},
          fault_case{chm_desc_value_in + 3, "value_in"},
          fault_case{chm_desc_layout_out + 3, "layout_out"},
          fault_case{chm_desc_reserved, "reserved"}}) {
        driven_program driven("mesh_5x5", "tp_ep", machine_run::program_options(8, 16384));
        machine_options options;
        options.data = true;
        options.injected.push_back(damaged(driven, 5, fault.byte, 0x77));
        machine broken(driven.platform->topology, driven.platform->parameters, driven.workload,
                       options);
        const auto result = broken.run();
        ASSERT_EQ(result.status, chm_ok) << result.text;
        EXPECT_EQ(broken.data(), chimera::die::data_result::equal);
        EXPECT_EQ(broken.statistics().malformed_descriptors, 1u);
        EXPECT_THAT(broken.descriptor_errors(), HasSubstr(fault.field));
        EXPECT_THAT(broken.descriptor_errors(), HasSubstr("die 5"));
        const chimera::fusion::csr_file& csr = broken.at(5).fusion_engine().registers();
        const uint32_t byte =
            fault.byte - (fault.byte > chm_desc_kind && fault.byte < chm_desc_reserved
                              ? 3
                              : 0); // fields are named by their first byte
        EXPECT_EQ(csr.error, 0x80000000u | byte << 8 | 0u);
        EXPECT_EQ(csr.interrupt, 1u);
        EXPECT_EQ(broken.at(0).fusion_engine().registers().error, 0u);
    }
}

// A descriptor that comes twice breaks the order of the list.
TEST(malformed_descriptor, repeated_seq_is_refused) {
    driven_program driven("mesh_5x5", "tp_ep", machine_run::program_options(8, 16384));
    machine_options options;
    options.injected.push_back(damaged(driven, 0, chm_desc_reserved, 0)); // an exact copy
    machine broken(driven.platform->topology, driven.platform->parameters, driven.workload,
                   options);
    ASSERT_EQ(broken.run().status, chm_ok);
    EXPECT_EQ(broken.statistics().malformed_descriptors, 1u);
    EXPECT_THAT(broken.descriptor_errors(), HasSubstr("seq"));
}

// The same program without one descriptor on one die.
struct shortened {
    shortened(const char* program, uint32_t die, uint32_t dropped)
        : driven("mesh_5x5", program, machine_run::program_options(8, 16384)),
          streams(driven.workload.streams, driven.workload.streams + driven.workload.dies) {
        for (uint32_t i = 0; i < streams[die].count; ++i) {
            if (streams[die].entries[i].seq != dropped) {
                entries.push_back(streams[die].entries[i]);
            }
        }
        streams[die] = {entries.data(), static_cast<uint32_t>(entries.size())};
        workload = driven.workload;
        workload.streams = streams.data();
    }
    driven_program driven;
    std::vector<chm_die_stream> streams;
    std::vector<chm_stream_entry> entries;
    chm_workload workload;
};

TEST(stuck_machine, is_stopped_and_says_what_waits) {
    shortened lame("tp_sp", 1, 0); // die 1 never joins the sum
    machine stuck(lame.driven.platform->topology, lame.driven.platform->parameters, lame.workload,
                  {});
    const auto result = stuck.run();
    EXPECT_EQ(result.status, chm_deadlock);
    EXPECT_THAT(result.text, HasSubstr("die 0: run 0"));
}

TEST(disagreement, is_found_when_it_is_decided) {
    const driven_program whole("mesh_5x5", "tp_ep", machine_run::program_options(8, 16384));
    ASSERT_EQ(whole.workload.descriptors[2].kind, chm_descriptor_collective);
    shortened lame("tp_ep", 0, 2); // die 0 does not see the dispatch that the others fuse
    machine torn(lame.driven.platform->topology, lame.driven.platform->parameters, lame.workload,
                 {});
    const auto result = torn.run();
    EXPECT_EQ(result.status, chm_mismatch);
    EXPECT_THAT(result.text, HasSubstr("dies disagree about operation"));
}

// All tokens go to few experts: their slots, sized for balance, cannot take them.
TEST(routed_slots, overflow_names_the_expert_with_data_on_and_off) {
    for (bool data : {false, true}) {
        chm_program_options asked = machine_run::program_options(8, 16384);
        asked.skew = 1.0;
        driven_program driven("mesh_5x5", "sp_ep", asked);
        ASSERT_EQ(driven.status, chm_ok) << driven.faults;
        machine_options options;
        options.data = data;
        machine full(driven.platform->topology, driven.platform->parameters, driven.workload,
                     options);
        const auto result = full.run();
        EXPECT_EQ(result.status, chm_overflow);
        EXPECT_THAT(result.text, HasSubstr("expert die"));
        EXPECT_THAT(result.text, HasSubstr("capacity_factor"));

        driven.platform->parameters.transfer.capacity_factor = 64;
        machine wide(driven.platform->topology, driven.platform->parameters, driven.workload,
                     options);
        EXPECT_EQ(wide.run().status, chm_ok);
    }
}

// Rows are forwarded between experts' dies: balanced gating leaves some pairs without a row, and
// a factor of nothing is nothing.
TEST(routed_slots, pairs_that_balance_never_uses_grow_with_the_factor_too) {
    chm_program_options asked = machine_run::program_options(8, 65536);
    asked.skew = 0.1;
    driven_program driven("mesh_5x5", "pp_ep", asked);
    ASSERT_EQ(driven.status, chm_ok) << driven.faults;
    driven.platform->parameters.transfer.capacity_factor = 64;
    machine wide(driven.platform->topology, driven.platform->parameters, driven.workload, {});
    const auto result = wide.run();
    EXPECT_EQ(result.status, chm_ok) << result.text;
}

TEST(registration, refuses_windows_that_the_hardware_does_not_have) {
    machine_run deep("mesh_5x5", "tp_sp", 62, 16384, {}, {{"window_depth_max", "40"}});
    EXPECT_EQ(deep.result.status, chm_bad_argument);
    EXPECT_THAT(deep.result.text, HasSubstr("asks for a window of 62; allowed: 1 .. 40"));
    machine_run ring("mesh_5x5", "tp_sp", 8, 16384, {},
                     {{"window_depth", "4"}, {"ring_entries", "9"}});
    EXPECT_EQ(ring.result.status, chm_bad_argument);
    EXPECT_THAT(ring.result.text, HasSubstr("1 .. 7"));
}

// The shortest ring for a window of 8, queued faster than the engine fetches: hosts wait for space,
// and decisions and data are those of the long ring.
TEST(short_ring, holds_the_host_back_and_changes_nothing_else) {
    machine_options options;
    options.data = true;
    const chimera::test::settings fast = {{"enqueue_cycles_per_descriptor", "0"},
                                          {"fetch_bytes_per_cycle", "1"}};
    chimera::test::settings brief = fast;
    brief.push_back({"ring_entries", "10"});
    machine_run long_ring("mesh_8x8", "variants/shared_die", 8, 4096, options, fast);
    machine_run short_ring("mesh_8x8", "variants/shared_die", 8, 4096, options, brief);
    ASSERT_EQ(long_ring.result.status, chm_ok) << long_ring.result.text;
    ASSERT_EQ(short_ring.result.status, chm_ok) << short_ring.result.text;
    uint64_t waited = 0;
    for (const auto& die : short_ring.statistics.dies) {
        waited += die.ring_full_cycles;
    }
    EXPECT_GT(waited, 0u);
    EXPECT_TRUE(short_ring.equal()) << short_ring.machine->first_difference();
    EXPECT_EQ(short_ring.machine->content_digest(), long_ring.machine->content_digest());
    EXPECT_EQ(short_ring.statistics.runs, long_ring.statistics.runs);
}

// Every memory-mapped link of every die behind a protocol checker, with a memory that costs.
TEST(base_protocol, holds_on_all_links) {
    uint64_t transactions = 0;
    std::vector<std::string> breaches;
    struct kept {
        kept(const char* link, uint64_t& seen_, std::vector<std::string>& breaches_)
            : checker(link), seen(seen_), breaches(breaches_) {}
        ~kept() {
            seen += checker.transactions();
            breaches.insert(breaches.end(), checker.breaches().begin(), checker.breaches().end());
        }
        base_protocol_checker checker;
        uint64_t& seen;
        std::vector<std::string>& breaches;
    };
    {
        machine_options options;
        options.bind = [&](auto& from, auto& to, const char* link) {
            auto between = std::make_shared<kept>(link, transactions, breaches);
            from.bind(between->checker.in);
            between->checker.out.bind(to);
            return between;
        };
        machine_run run(
            "mesh_5x5", "tp_ep", 8, 16384, options,
            {{"memory_bandwidth_bytes_per_cycle", "64"}, {"memory_latency_cycles", "20"}});
        ASSERT_EQ(run.result.status, chm_ok) << run.result.text;
    }
    EXPECT_TRUE(breaches.empty()) << breaches.front();
    // At least ring write, doorbell and fetch of three descriptors on four dies, and bulk accesses.
    EXPECT_GT(transactions, 4u * 3 * 3);
}

} // namespace
