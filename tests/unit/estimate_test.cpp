// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/golden/plan/estimate.h"
#include "tests/support/built_topology.h"

namespace {

using chimera::test::built_topology;

chm_costs free_costs() {
    chm_costs costs = {};
    costs.dma_channels = 4;
    return costs;
}

// A plan filled by hand, so that times can be worked out: tensor of `tokens` rows of 256 bytes
// (7 flits each in a packet of its own). Views of dies are derived from the transfers.
class small_plan {
public:
    small_plan(const chm_topology& topology, uint64_t tokens) {
        m_plan.topology = &topology;
        m_plan.tensor = {tokens, 64, 4};
        m_plan.slices = m_plan.slices_at_once = 1;
        m_plan.phase_count = 2;
        m_plan.phases = m_phases;
    }

    uint32_t add(uint32_t source, uint32_t destination, uint64_t rows,
                 const std::vector<uint32_t>& after = {},
                 chm_transfer_kind kind = chm_transfer_copy) {
        chm_transfer t = {};
        t.source = source;
        t.destination = destination;
        t.kind = kind;
        t.region = {0, rows, 0, 64};
        t.first_dependency = static_cast<uint32_t>(m_dependencies.size());
        t.dependency_count = static_cast<uint32_t>(after.size());
        m_dependencies.insert(m_dependencies.end(), after.begin(), after.end());
        m_transfers.push_back(t);
        return static_cast<uint32_t>(m_transfers.size() - 1);
    }

    void route(const chm_layout& routed, const chm_routing& routing) {
        m_plan.from = &routed;
        m_plan.routed = &routed;
        m_plan.routing = &routing;
    }

    chm_transfer& transfer(uint32_t id) { return m_transfers[id]; }

    void add_operation(const std::vector<chm_block>& blocks, uint32_t after_phase,
                       uint32_t slice = 0) {
        chm_plan_operation op = {};
        op.after_phase = after_phase;
        op.slice = slice;
        m_blocks.push_back(blocks);
        op.blocks = m_blocks.back().data();
        op.block_count = static_cast<uint32_t>(blocks.size());
        m_operations.push_back(op);
    }

    uint64_t cycles(const chm_costs& costs) {
        EXPECT_EQ(status(costs), chm_ok);
        return m_cycles;
    }

    chm_status status(const chm_costs& costs) {
        std::vector<uint32_t> ids;
        for (const chm_transfer& t : m_transfers) {
            ids.push_back(t.source);
            ids.push_back(t.destination);
        }
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
        std::vector<std::vector<uint32_t>> lists(2 * ids.size());
        std::vector<chm_plan_die> dies(ids.size());
        for (size_t d = 0; d < ids.size(); ++d) {
            std::vector<uint32_t>& out = lists[2 * d];
            std::vector<uint32_t>& in = lists[2 * d + 1];
            for (uint32_t t = 0; t < m_transfers.size(); ++t) {
                if (m_transfers[t].source == ids[d])
                    out.push_back(t);
                if (m_transfers[t].destination == ids[d])
                    in.push_back(t);
            }
            dies[d].die = ids[d];
            dies[d].outgoing = out.data();
            dies[d].outgoing_count = static_cast<uint32_t>(out.size());
            dies[d].incoming = in.data();
            dies[d].incoming_count = static_cast<uint32_t>(in.size());
        }
        m_plan.dies = dies.data();
        m_plan.die_count = static_cast<uint32_t>(dies.size());
        m_plan.transfers = m_transfers.data();
        m_plan.transfer_count = static_cast<uint32_t>(m_transfers.size());
        m_plan.dependencies = m_dependencies.data();
        m_plan.dependency_count = static_cast<uint32_t>(m_dependencies.size());
        m_plan.operations = m_operations.data();
        m_plan.operation_count = static_cast<uint32_t>(m_operations.size());
        chm_arena scratch;
        chm_arena_init(&scratch);
        chm_status status = chm_estimate_plan(&m_plan, &costs, &scratch, &m_cycles);
        chm_arena_free(&scratch);
        return status;
    }

private:
    chm_plan m_plan{};
    uint64_t m_cycles = 0;
    chm_phase m_phases[2] = {{chm_phase_reduce, "R-S", "direct"},
                             {chm_phase_move, "A2A", "direct"}};
    std::vector<chm_transfer> m_transfers;
    std::vector<uint32_t> m_dependencies;
    std::vector<chm_plan_operation> m_operations;
    std::deque<std::vector<chm_block>> m_blocks;
};

// On an idle network: latency + 7 flits for each 256-byte row, however it is cut into chunks.
TEST(estimate, a_single_transfer_takes_latency_and_flits) {
    for (const std::string& name : built_topology::shipped_names()) {
        auto topology = built_topology::shipped(name);
        for (uint32_t destination = 1; destination < topology->dies; ++destination) {
            chm_route_key key = {0, destination, 0};
            uint64_t latency = chm_topology_latency(topology.get(), &key);
            for (uint64_t rows : {1u, 2u, 15u, 17u, 100u}) {
                small_plan plan(*topology, rows);
                plan.add(0, destination, rows);
                ASSERT_EQ(plan.cycles(free_costs()), latency + 7 * rows)
                    << name << " to " << destination;
            }
        }
    }
}

TEST(estimate, setup_of_the_dma_is_paid_before_the_first_flit) {
    auto topology = built_topology::mesh({2, 1});
    small_plan plan(*topology, 10);
    plan.add(0, 1, 10);
    chm_costs costs = free_costs();
    costs.dma_setup_cycles = 8;
    EXPECT_EQ(plan.cycles(costs), 8u + 108 + 70);
}

// Three dies send to one: its ejection port carries one flit per cycle.
TEST(estimate, transfers_into_one_port_share_it) {
    for (uint32_t senders : {1u, 2u, 3u}) {
        auto topology = built_topology::fat_tree(1, 4);
        small_plan plan(*topology, 1000);
        for (uint32_t s = 0; s < senders; ++s) {
            plan.add(s, 3, 1000);
        }
        EXPECT_EQ(plan.cycles(free_costs()), 204u + senders * 7000);
    }
}

TEST(estimate, transfers_out_of_one_port_share_it) {
    for (uint64_t channels : {1u, 2u, 4u}) {
        auto topology = built_topology::fat_tree(1, 4);
        small_plan plan(*topology, 64);
        for (uint32_t d = 1; d < 4; ++d) {
            plan.add(0, d, 64);
        }
        chm_costs costs = free_costs();
        costs.dma_channels = channels;
        EXPECT_EQ(plan.cycles(costs), 204u + 3 * 64 * 7) << channels;
    }
}

// Two streams over one link: (0,0) -> (2,0) and (1,0) -> (3,0) share (1,0) -> (2,0). Both are 2
// links long; the shared link carries 2 * 700 flits, the first head reaching it after 1 + 3 cycles
// at the second's own router. The last flit needs link and router twice more, router once,
// ejection.
TEST(estimate, streams_through_one_link_take_twice_as_long) {
    auto topology = built_topology::mesh({4, 1});
    small_plan alone(*topology, 100);
    alone.add(1, 3, 100);
    EXPECT_EQ(alone.cycles(free_costs()), 211u + 700);
    small_plan both(*topology, 100);
    both.add(0, 2, 100);
    both.add(1, 3, 100);
    EXPECT_GE(both.cycles(free_costs()), 211u + 1400);
    EXPECT_LE(both.cycles(free_costs()), 211u + 1400 + 103); // + the way to the shared link
}

TEST(estimate, a_chain_adds_up) {
    auto topology = built_topology::mesh({5, 5});
    small_plan plan(*topology, 100);
    uint32_t first = plan.add(0, 1, 100);
    uint32_t second = plan.add(1, 6, 100, {first});
    plan.add(6, 7, 100, {second});
    EXPECT_EQ(plan.cycles(free_costs()), 3u * (108 + 700));
}

// A dependency that starts at the same source is met when it is sent, not when it has arrived.
TEST(estimate, what_waits_for_a_send_goes_when_it_is_sent) {
    auto topology = built_topology::mesh({3, 1});
    small_plan plan(*topology, 100);
    uint32_t first = plan.add(0, 1, 100);
    plan.add(0, 2, 100, {first});
    EXPECT_EQ(plan.cycles(free_costs()), 700u + 211 + 700);
}

// 100 rows of 256 bytes at 64 bytes per cycle are 400 cycles, of which 4 show when overlapped.
TEST(estimate, reduction_delays_what_depends_on_it) {
    auto topology = built_topology::mesh({3, 1});
    small_plan plan(*topology, 100);
    uint32_t first = plan.add(0, 1, 100, {}, chm_transfer_reduce);
    plan.add(1, 2, 100, {first});
    chm_costs costs = free_costs();
    EXPECT_EQ(plan.cycles(costs), 2u * 808);
    costs.reduce_bytes_per_cycle = 64;
    EXPECT_EQ(plan.cycles(costs), 2u * 808 + 400);
    costs.reduce_overlapped = true;
    EXPECT_EQ(plan.cycles(costs), 2u * 808 + 4);
    // The reduction of the last arrival counts too.
    plan.transfer(1).kind = chm_transfer_reduce;
    EXPECT_EQ(plan.cycles(costs), 2u * 808 + 8);
}

// One packet each: with one channel the second setup follows the first packet.
TEST(estimate, channels_hide_setup) {
    auto topology = built_topology::fat_tree(1, 3);
    small_plan plan(*topology, 1);
    plan.add(0, 1, 1);
    plan.add(0, 2, 1);
    chm_costs costs = free_costs();
    costs.dma_setup_cycles = 50;
    costs.dma_channels = 1;
    EXPECT_EQ(plan.cycles(costs), 50u + 7 + 50 + 7 + 204);
    costs.dma_channels = 2;
    EXPECT_EQ(plan.cycles(costs), 50u + 7 + 7 + 204);
}

TEST(estimate, a_credit_is_one_flit) {
    auto topology = built_topology::mesh({2, 1});
    small_plan plan(*topology, 10);
    plan.add(0, 1, 10, {}, chm_transfer_credit);
    EXPECT_EQ(plan.cycles(free_costs()), 108u + 1);
}

// Two dies, top_k 1: balanced routing sends 10 of 20 rows to each. A dispatch of all rows from die
// 0 to die 1 carries 10 rows of 256 bytes, 10 ids of 4 bytes and a header of 12: 2612 bytes are 10
// packets of 7 flits and one of 1 + ceil(52 / 50).
TEST(estimate, a_routed_transfer_pays_for_header_and_row_ids) {
    auto topology = built_topology::mesh({2, 1});
    uint32_t dies[2] = {0, 1};
    chm_layout routed = {};
    routed.mesh = {1, {2}, dies};
    routed.placement[0].kind = chm_place_routed_copy;
    chm_routing routing = {1, 2, 0, 0};
    small_plan plan(*topology, 20);
    plan.route(routed, routing);
    uint32_t id = plan.add(0, 1, 20, {}, chm_transfer_routed);
    plan.transfer(id).route = chm_route_direct;
    chm_costs costs = free_costs();
    EXPECT_EQ(plan.cycles(costs), 108u + 70);
    costs.row_id_bytes = 4;
    costs.slot_header_bytes = 12;
    EXPECT_EQ(plan.cycles(costs), 108u + 73);
}

// 100 rows at 1 row per cycle, then the send; another die's block does not matter.
TEST(estimate, gating_runs_before_what_waits_for_it) {
    auto topology = built_topology::mesh({3, 1});
    chm_costs costs = free_costs();
    small_plan plan(*topology, 1000);
    plan.add_operation({{0, {0, 100, 0, 64}}, {2, {0, 110, 0, 64}}}, 0);
    uint32_t id = plan.add(0, 2, 30);
    plan.transfer(id).after_operation = 1;
    EXPECT_EQ(plan.cycles(costs), 211u + 210);
    costs.gating_rows_per_cycle = 1;
    EXPECT_EQ(plan.cycles(costs), 100u + 211 + 210);
    costs.gating_rows_per_cycle = 3;
    EXPECT_EQ(plan.cycles(costs), 34u + 211 + 210);
}

// An operation that nothing waits for still belongs to the run.
TEST(estimate, the_last_operation_counts) {
    auto topology = built_topology::mesh({3, 1});
    chm_costs costs = free_costs();
    costs.gating_rows_per_cycle = 1;
    small_plan plan(*topology, 1000);
    plan.add(0, 1, 10);
    plan.add_operation({{1, {0, 500, 0, 64}}}, 1);
    EXPECT_EQ(plan.cycles(costs), 108u + 70 + 500);
}

// The operations wait for the arrivals of phase 0 at their die, the second for the first.
TEST(estimate, gating_waits_for_the_phases_before_it) {
    auto topology = built_topology::mesh({3, 1});
    chm_costs costs = free_costs();
    costs.gating_rows_per_cycle = 1;
    small_plan plan(*topology, 100);
    plan.add_operation({{1, {0, 100, 0, 64}}}, 1);
    plan.add_operation({{1, {0, 50, 0, 64}}}, 1);
    plan.add(0, 1, 100);
    uint32_t id = plan.add(1, 2, 10);
    plan.transfer(id).phase = 1;
    plan.transfer(id).after_operation = 2;
    EXPECT_EQ(plan.cycles(costs), (108u + 700) + 100 + 50 + (108 + 70));
}

// Slice 1 is worked on when slice 0 has been sent: 100 cycles, 700 flits, 100 cycles, 700 flits.
TEST(estimate, gating_of_a_slice_waits_for_the_sends_of_the_one_before) {
    auto topology = built_topology::mesh({3, 1});
    chm_costs costs = free_costs();
    costs.gating_rows_per_cycle = 1;
    small_plan plan(*topology, 200);
    for (uint32_t slice = 0; slice < 2; ++slice) {
        plan.add_operation({{0, {100 * slice, 100 * slice + 100, 0, 64}}}, 0, slice);
        uint32_t id = plan.add(0, 1, 100);
        plan.transfer(id).slice = slice;
        plan.transfer(id).after_operation = 1 + slice;
    }
    EXPECT_EQ(plan.cycles(costs), 2u * (100 + 700) + 108);
}

TEST(estimate, refuses_what_it_cannot_time) {
    auto topology = built_topology::mesh({2, 1});
    small_plan none(*topology, 1);
    EXPECT_EQ(none.cycles(free_costs()), 0u); // nothing to do takes no time
    small_plan plan(*topology, 1);
    plan.add(0, 1, 1, {0}); // waits for itself
    EXPECT_EQ(plan.status(free_costs()), chm_bad_argument);
    chm_costs no_channel = {};
    small_plan fine(*topology, 1);
    fine.add(0, 1, 1);
    EXPECT_EQ(fine.status(no_channel), chm_bad_argument);
}

TEST(estimate, same_plan_same_time_and_larger_costs_never_help) {
    auto topology = built_topology::torus({4, 4});
    small_plan plan(*topology, 64);
    for (uint32_t s = 0; s < 16; ++s) {
        for (uint32_t d = 1; d < 16; ++d) {
            plan.add(s, (s + d) % 16, 64);
        }
    }
    uint64_t base = plan.cycles(free_costs());
    EXPECT_EQ(plan.cycles(free_costs()), base);
    EXPECT_GE(base, 15u * 64 * 7 + 5 + 103); // every port carries 15 transfers
    chm_costs slow = free_costs();
    slow.dma_setup_cycles = 1000;
    EXPECT_GT(plan.cycles(slow), base);
}

} // namespace
