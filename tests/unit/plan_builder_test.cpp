// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <gtest/gtest.h>

#include "hw/golden/plan/plan.h"
#include "tests/support/built_topology.h"
#include "tests/support/layouts.h"

// The builder by hand: dependencies from the data, mixed regions, views, staging, credits.

namespace {

using namespace chimera::test;

chm_transfer transfer(uint32_t source, uint32_t destination, uint64_t begin, uint64_t end,
                      chm_transfer_kind kind = chm_transfer_copy) {
    chm_transfer t = {};
    t.source = source;
    t.destination = destination;
    t.region = {begin, end, 0, 4};
    t.kind = kind;
    return t;
}

// A plan over 8 rows of 4 elements of 4 bytes on a 3x3 mesh.
class builder_fixture : public testing::Test {
protected:
    builder_fixture() { chm_arena_init(&m_arena); }
    ~builder_fixture() override { chm_arena_free(&m_arena); }

    void begin(const built_layout& from, const std::vector<const built_layout*>& demands = {}) {
        std::vector<const chm_layout*> layouts;
        for (const auto* demand : demands) {
            layouts.push_back(demand->get());
        }
        ASSERT_EQ(chm_plan_begin(&m_builder, &m_arena, &m_plan, m_topology.get(), &m_tensor,
                                 from.get(), nullptr),
                  chm_ok);
        ASSERT_EQ(
            chm_plan_demand(&m_builder, layouts.data(), static_cast<uint32_t>(layouts.size())),
            chm_ok);
    }
    void add(const chm_transfer& t) { ASSERT_EQ(chm_plan_add(&m_builder, &t), chm_ok); }
    void finish() { ASSERT_EQ(chm_plan_finish(&m_builder), chm_ok); }
    const chm_transfer& at(uint32_t id) const { return m_plan.transfers[id]; }
    std::vector<uint32_t> waits(uint32_t id) const {
        const uint32_t* first = m_plan.dependencies + at(id).first_dependency;
        return {first, first + at(id).dependency_count};
    }

    built_topology m_topology = built_topology::mesh({3, 3});
    const chm_tensor m_tensor = {8, 4, 4};
    chm_arena m_arena{};
    chm_plan_builder m_builder{};
    chm_plan m_plan{};
};

TEST_F(builder_fixture, a_transfer_waits_for_what_it_passes_on) {
    built_layout from({2}, {tokens()}, {0, 1}); // rows 0-3 and 4-7
    begin(from);
    add(transfer(0, 1, 0, 4));
    add(transfer(1, 2, 4, 8)); // its own block: waits for nothing
    add(transfer(1, 3, 0, 2)); // of what arrived
    add(transfer(2, 2, 0, 4)); // nowhere
    add(transfer(0, 3, 4, 4)); // nothing
    finish();
    ASSERT_EQ(m_plan.transfer_count, 3u);
    EXPECT_FALSE(at(0).from_work);
    EXPECT_FALSE(at(1).from_work);
    EXPECT_EQ(waits(1), std::vector<uint32_t>{});
    EXPECT_TRUE(at(2).from_work);
    EXPECT_EQ(waits(2), std::vector<uint32_t>{0});
    EXPECT_EQ(m_plan.payload_bytes, (4 + 4 + 2) * 16u);
    const chm_plan_die* one = chm_plan_find_die(&m_plan, 1);
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->incoming_count, 1u);
    ASSERT_EQ(one->outgoing_count, 2u);
    EXPECT_EQ(one->outgoing[0], 1u);
    EXPECT_EQ(one->outgoing[1], 2u);
    EXPECT_EQ(one->work.token_end, 4u);
    EXPECT_EQ(chm_plan_find_die(&m_plan, 8), nullptr);
}

TEST_F(builder_fixture, a_mixed_region_is_taken_apart) {
    built_layout from({2}, {tokens()}, {0, 1});
    begin(from);
    add(transfer(0, 1, 2, 4));
    add(transfer(1, 2, 2, 8)); // rows 2-3 from work, 4-7 from input
    finish();
    ASSERT_EQ(m_plan.transfer_count, 3u);
    EXPECT_TRUE(at(1).from_work);
    EXPECT_EQ(at(1).region.token_end, 4u);
    EXPECT_EQ(waits(1), std::vector<uint32_t>{0});
    EXPECT_FALSE(at(2).from_work);
    EXPECT_EQ(at(2).region.token_begin, 4u);
    EXPECT_EQ(waits(2), std::vector<uint32_t>{});
}

// Die 2 has an addend of rows 4-7 only, and gets one for all rows: where it adds and where it
// stores must be told apart.
TEST_F(builder_fixture, a_reduction_is_uniform_at_its_destination) {
    built_layout from({2, 2}, {tokens(), partial()}, {0, 1, 3, 2});
    begin(from);
    add(transfer(0, 2, 0, 4, chm_transfer_reduce)); // stored
    add(transfer(3, 2, 4, 8, chm_transfer_reduce)); // added to the own addend
    chm_transfer wide = transfer(1, 2, 2, 6, chm_transfer_reduce);
    add(wide); // added to two earlier deliveries
    finish();
    ASSERT_EQ(m_plan.transfer_count, 4u);
    EXPECT_EQ(at(0).addend, 0u);
    EXPECT_EQ(at(1).addend, 0u);
    for (uint32_t id : {2u, 3u}) {
        EXPECT_EQ(at(id).addend, 1u);
        EXPECT_EQ(at(id).region.token_end - at(id).region.token_begin, 2u);
    }
}

// In a ring of 4 a die passes on two blocks of 2 rows that it does not keep: 2 * 2 * 16 bytes.
TEST_F(builder_fixture, staging_is_what_no_demand_keeps) {
    built_layout from({4}, {partial()}, {0, 1, 3, 4});
    built_layout to({4}, {tokens()}, {0, 1, 3, 4});
    const uint32_t dies[] = {0, 1, 3, 4};
    begin(from, {&to});
    for (uint32_t step = 0; step < 3; ++step) {
        for (uint32_t i = 0; i < 4; ++i) {
            uint64_t block = (i + 3 - step) % 4;
            add(transfer(dies[i], dies[(i + 1) % 4], 2 * block, 2 * block + 2,
                         chm_transfer_reduce));
        }
    }
    finish();
    ASSERT_EQ(m_plan.die_count, 4u);
    for (uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(m_plan.dies[i].staging_bytes, 64u);
    }
}

// Rows 0-7 pass through die 1 in two slices: the second may come once the first has gone.
TEST_F(builder_fixture, a_later_slice_waits_for_a_credit) {
    built_layout from({1}, {replicate()}, {0});
    built_layout to({1}, {replicate()}, {2});
    const uint64_t cuts[] = {0, 8};
    begin(from, {&to});
    for (uint32_t slice = 0; slice < 2; ++slice) {
        chm_plan_slice(&m_builder, cuts, 2, slice, 2, 1);
        add(transfer(0, 1, 0, 8));
        add(transfer(1, 2, 0, 8));
    }
    finish();
    ASSERT_EQ(m_plan.transfer_count, 5u);
    EXPECT_EQ(at(0).region.token_end, 4u);
    EXPECT_EQ(at(2).kind, chm_transfer_credit);
    EXPECT_EQ(at(2).source, 1u);
    EXPECT_EQ(at(2).destination, 0u);
    EXPECT_EQ(waits(2), (std::vector<uint32_t>{0, 1})); // arrived, and sent on
    EXPECT_EQ(at(3).region.token_begin, 4u);
    EXPECT_EQ(waits(3), std::vector<uint32_t>{2});
    EXPECT_EQ(waits(4), std::vector<uint32_t>{3}); // die 2 keeps it: no credit
    EXPECT_EQ(chm_plan_transfer_bytes(&m_plan, &at(2)), 0u);
    EXPECT_EQ(chm_plan_find_die(&m_plan, 1)->staging_bytes, 4 * 16u); // one slice of 4 rows
}

// What an operation wrote is in work, and a sender waits for the operation.
TEST_F(builder_fixture, results_of_operations_are_in_work) {
    built_layout from({2}, {tokens()}, {0, 1});
    begin(from);
    chm_plan_operation gating = {};
    gating.layout = from.get();
    gating.reads_only = true;
    ASSERT_EQ(chm_plan_add_operation(&m_builder, &gating), chm_ok);
    add(transfer(0, 2, 0, 4));
    chm_plan_operation norm = gating;
    norm.reads_only = false;
    ASSERT_EQ(chm_plan_add_operation(&m_builder, &norm), chm_ok);
    add(transfer(1, 2, 4, 8));
    finish();
    ASSERT_EQ(m_plan.operations[0].block_count, 2u);
    EXPECT_FALSE(at(0).from_work);
    EXPECT_EQ(at(0).after_operation, 0u);
    EXPECT_TRUE(at(1).from_work);
    EXPECT_EQ(at(1).after_operation, 2u);
}

// Every aligned run of c^3 tokens picks each of c targets c^2 times; the source takes its own.
TEST(first_target, is_balanced_and_prefers_the_source) {
    for (uint32_t c = 1; c <= 5; ++c) {
        std::vector<uint32_t> to, picked(c);
        for (uint32_t i = 0; i < c; ++i) {
            to.push_back(10 + 3 * i);
        }
        uint64_t run = uint64_t{c} * c * c;
        for (uint64_t token = 2 * run; token < 3 * run; ++token) {
            uint32_t first = chm_plan_first_target(to.data(), c, 99, token);
            ++picked[(first - 10) / 3];
            EXPECT_EQ(chm_plan_first_target(to.data(), c, to[c / 2], token), to[c / 2]);
        }
        for (uint32_t i = 0; i < c; ++i) {
            EXPECT_EQ(picked[i], c * c);
        }
    }
}

// Forwarding delivers each target once: first(t) gets the row from the origin, the others from it.
TEST(route, first_and_forward_reach_every_target_once) {
    const std::vector<uint32_t> to = {4, 7, 9};
    for (uint32_t origin : {2u, 7u}) {
        for (uint64_t token = 0; token < 30; ++token) {
            for (uint32_t die : to) {
                unsigned copies = die == origin; // it has the row
                chm_transfer first = {};
                first.route = chm_route_first;
                first.source = first.origin = origin;
                first.destination = die;
                copies += die != origin && chm_plan_route(&first, token, to.data(), 3);
                for (uint32_t f : to) {
                    chm_transfer forward = first;
                    forward.route = chm_route_forward;
                    forward.source = f;
                    copies +=
                        f != die && die != origin && chm_plan_route(&forward, token, to.data(), 3);
                }
                EXPECT_EQ(copies, 1u) << "origin " << origin << " token " << token;
            }
        }
    }
}

} // namespace
