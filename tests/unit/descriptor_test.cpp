// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "hw/golden/fusion/descriptor.h"
#include "tests/support/table_builder.h"

using chimera::test::table_builder;

namespace {

class descriptor : public ::testing::Test {
protected:
    void SetUp() override {
        chm_diagnostics_init(&m_diagnostics);
        m_build.tensor(64, 16);
        m_partial = m_build.layout({{4}, {0, 1, 4, 5}}, "P");
        m_replicate = m_build.layout({{4}, {0, 1, 4, 5}}, "R");
        m_in = m_build.value(0, m_partial);
        m_out = m_build.value(0, m_replicate, 3);
        m_comm = m_build.communicator(m_replicate, 8);
        m_build.reader(m_out, m_replicate, 5, 2);
        m_build.available(m_replicate);
        m_build.available(m_partial);
    }
    void TearDown() override { chm_diagnostics_free(&m_diagnostics); }

    chm_descriptor collective() const {
        chm_descriptor d{};
        d.kind = chm_descriptor_collective;
        d.collective = chm_all_reduce;
        d.seq = 3;
        d.communicator = m_comm;
        d.value_in = m_in;
        d.value_out = m_out;
        d.layout_in = m_partial;
        d.layout_out = m_replicate;
        d.waiting_die = CHM_NONE;
        d.ordered_sum = true;
        d.facts.next_seq = 5;
        d.facts.next_distance = 2;
        d.facts.needed_by = 70000;
        d.facts.reader_count = 1;
        d.facts.ready_at_start = true;
        return d;
    }

    chm_descriptor marker() const {
        chm_descriptor d = collective();
        d.kind = chm_descriptor_marker;
        d.collective = chm_reduce_scatter;
        d.op_class = chm_class_transparent;
        d.communicator = CHM_NONE;
        d.ordered_sum = false;
        d.first_available = 1;
        d.available_count = 1;
        d.cycles = 0x123456789abcu;
        return d;
    }

    chm_descriptor fence() const {
        chm_descriptor d{};
        d.kind = chm_descriptor_fence;
        d.seq = 9;
        d.communicator = m_comm;
        d.value_in = d.value_out = d.layout_in = d.layout_out = CHM_NONE;
        d.waiting_die = 4;
        d.facts.next_seq = d.facts.needed_by = CHM_NONE;
        return d;
    }

    void expect_round_trip(const chm_descriptor& d) {
        unsigned char bytes[chm_descriptor_bytes];
        chm_descriptor back;
        uint32_t bad = 0;
        chm_descriptor_encode(&d, bytes);
        ASSERT_EQ(
            chm_descriptor_decode(bytes, m_build.tables(), &back, &bad, nullptr, &m_diagnostics),
            chm_ok)
            << chm_diagnostics_text(&m_diagnostics);
        unsigned char again[chm_descriptor_bytes];
        chm_descriptor_encode(&back, again);
        EXPECT_EQ(std::memcmp(bytes, again, sizeof bytes), 0);
        EXPECT_EQ(back.kind, d.kind);
        EXPECT_EQ(back.collective, d.collective);
        EXPECT_EQ(back.op_class, d.op_class);
        EXPECT_EQ(back.communicator, d.communicator);
        EXPECT_EQ(back.value_in, d.value_in);
        EXPECT_EQ(back.waiting_die, d.waiting_die);
        EXPECT_EQ(back.cycles, d.cycles);
        EXPECT_EQ(back.ordered_sum, d.ordered_sum);
        EXPECT_EQ(back.facts.next_seq, d.facts.next_seq);
        EXPECT_EQ(back.facts.needed_by, d.facts.needed_by);
        EXPECT_EQ(back.facts.ready_at_start, d.facts.ready_at_start);
        EXPECT_EQ(back.first_available, d.first_available);
        EXPECT_EQ(back.available_count, d.available_count);
    }

    table_builder m_build;
    uint32_t m_partial, m_replicate, m_in, m_out, m_comm;
    chm_diagnostics m_diagnostics;
};

TEST_F(descriptor, survives_encoding) {
    expect_round_trip(collective());
    expect_round_trip(marker());
    expect_round_trip(fence());
}

TEST_F(descriptor, places_fields_little_endian_at_their_bytes) {
    unsigned char bytes[chm_descriptor_bytes];
    chm_descriptor d = collective();
    d.seq = 0x01020304;
    d.facts.next_distance = 100000; // beyond 16 bits: saturates, beyond every window all the same
    chm_descriptor_encode(&d, bytes);
    EXPECT_EQ(bytes[chm_desc_version], 1);
    EXPECT_EQ(bytes[chm_desc_seq], 4);
    EXPECT_EQ(bytes[chm_desc_seq + 3], 1);
    EXPECT_EQ(bytes[chm_desc_next_distance], 0xff);
    EXPECT_EQ(bytes[chm_desc_next_distance + 1], 0xff);
    for (uint32_t i = chm_desc_reserved; i < chm_descriptor_bytes; ++i) {
        EXPECT_EQ(bytes[i], 0);
    }
}

struct corruption {
    const char* field;
    uint32_t byte;    // where the fault is reported
    uint32_t at;      // where it is put
    uint32_t size;    // bytes
    uint32_t value;   // what is put there
    const char* says; // in the message
};

void corrupt(unsigned char* bytes, const corruption& c) {
    for (uint32_t i = 0; i < c.size; ++i) {
        bytes[c.at + i] = static_cast<unsigned char>(c.value >> (8 * i));
    }
}

void expect_refused(const chm_descriptor& d, const chm_tables* tables,
                    const std::vector<corruption>& cases) {
    for (const corruption& c : cases) {
        unsigned char bytes[chm_descriptor_bytes];
        chm_descriptor back;
        uint32_t bad = UINT32_MAX;
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        chm_origin origin = {"descriptor 3", 0, 0};
        chm_descriptor_encode(&d, bytes);
        corrupt(bytes, c);
        EXPECT_EQ(chm_descriptor_decode(bytes, tables, &back, &bad, &origin, &diagnostics),
                  chm_bad_input)
            << c.field << " " << c.value;
        std::string text = chm_diagnostics_text(&diagnostics);
        EXPECT_EQ(bad, c.byte) << text;
        EXPECT_EQ(text.find("descriptor 3: descriptor field " + std::string(c.field) + " (byte " +
                            std::to_string(c.byte) + ") is "),
                  0u)
            << text;
        EXPECT_NE(text.find(c.says), std::string::npos) << text;
        EXPECT_EQ(diagnostics.errors, 1u);
        chm_diagnostics_free(&diagnostics);
    }
}

TEST_F(descriptor, refuses_malformed_collectives_by_field) {
    expect_refused(collective(), m_build.tables(),
                   {
                       {"version", 0, 0, 1, 2, "allowed: 1"},
                       {"kind", 1, 1, 1, 3, "0..2"},
                       {"detail", 2, 2, 1, 6, "0..5"},
                       {"flags", 3, 3, 1, 0x18, "bits 0..3"},
                       {"reserved", 56, 56, 1, 1, "allowed: 0"},
                       {"reserved", 63, 63, 1, 0x80, "is 128"},
                       {"seq", 4, 4, 4, CHM_NONE, "common list"},
                       {"next_seq", 8, 8, 4, 3, "more than seq"},
                       {"next_seq", 8, 3, 1, CHM_DESC_NEXT_UNKNOWN, "next_unknown"},
                       {"needed_by", 12, 12, 4, 2, "more than seq"},
                       {"next_distance", 16, 16, 2, 0, "1..65535"},
                       {"next_distance", 16, 8, 4, CHM_NONE, "0 without"},
                       {"communicator", 18, 18, 2, 1, "0..0"},
                       {"communicator", 18, 18, 2, 0xffff, "0..0"},
                       {"value_in", 20, 20, 4, 2, "0..1"},
                       {"value_out", 24, 24, 4, 77, "0..1"},
                       {"value_out", 24, 24, 4, 0, "written once"},
                       {"layout_in", 28, 28, 4, CHM_NONE, "0..1"},
                       {"layout_out", 32, 32, 4, 2, "0..1"},
                       {"first_reader", 36, 36, 4, 2, "0..1"},
                       {"reader_count", 40, 40, 2, 2, "at most 1"},
                       {"reader_count", 40, 3, 1, CHM_DESC_READERS_UNKNOWN, "readers_unknown"},
                       {"available_count", 42, 42, 2, 1, "marker"},
                       {"first_available", 44, 44, 4, 3, "0..2"},
                       {"cycles", 48, 52, 1, 1, "marker"},
                   });
}

TEST_F(descriptor, refuses_malformed_markers_and_fences_by_field) {
    expect_refused(marker(), m_build.tables(),
                   {
                       {"detail", 2, 2, 1, 5, "row_wise"},
                       {"flags", 3, 3, 1, CHM_DESC_ORDERED_SUM, "collectives"},
                       {"communicator", 18, 18, 2, 0, "none"},
                       {"available_count", 42, 42, 2, 2, "at most 1"},
                   });
    expect_refused(fence(), m_build.tables(),
                   {
                       {"detail", 2, 2, 1, 1, "fence"},
                       {"flags", 3, 3, 1, 1, "fence"},
                       {"value_in", 20, 20, 4, 2, "die of the fence's communicator"},
                       {"needed_by", 12, 12, 4, 11, "none"},
                       {"value_out", 24, 24, 4, 1, "none"},
                       {"layout_out", 32, 32, 4, 1, "none"},
                       {"reader_count", 40, 40, 2, 1, "fence"},
                   });
}

TEST_F(descriptor, refuses_reader_ranges_that_belong_to_another_value) {
    m_build.reader(m_in, m_replicate, 6, 1);
    chm_descriptor d = collective();
    d.facts.reader_count = 2;
    expect_refused(d, m_build.tables(), {{"first_reader", 36, 36, 4, 0, "readers of value_out"}});
}

TEST_F(descriptor, refuses_routed_layouts_of_values_without_routing) {
    uint32_t routed = m_build.layout({{4}, {0, 1, 4, 5}}, "C");
    expect_refused(collective(), m_build.tables(), {{"layout_out", 32, 32, 4, routed, "routing"}});
}

TEST_F(descriptor, follows_from_an_operation) {
    chm_operation op{};
    op.seq = 3;
    op.kind = chm_operation_collective;
    op.collective = chm_all_reduce;
    op.operand_count = 1;
    op.operands[0] = {m_in, m_partial};
    op.result = m_out;
    op.communicator = m_comm;
    op.waiting_die = CHM_NONE;
    chm_facts facts = collective().facts;
    chm_descriptor d;
    chm_descriptor_from_operation(&op, &facts, m_build.tables(), &d);
    EXPECT_EQ(d.kind, chm_descriptor_collective);
    EXPECT_EQ(d.layout_in, m_partial);
    EXPECT_EQ(d.layout_out, m_replicate);
    expect_round_trip(d);

    op.kind = chm_operation_compute; // a pure reader: the value stays as it is
    op.op_class = chm_class_transparent;
    op.operands[0] = {m_out, m_replicate};
    op.result = CHM_NONE;
    op.seq = 4;
    facts = {};
    facts.next_seq = 5;
    facts.next_distance = 1;
    facts.needed_by = CHM_NONE;
    chm_descriptor_from_operation(&op, &facts, m_build.tables(), &d);
    EXPECT_EQ(d.communicator, CHM_NONE);
    EXPECT_EQ(d.value_out, m_out);
    EXPECT_EQ(d.layout_out, m_replicate);
    expect_round_trip(d);

    op.kind = chm_operation_wait;
    op.waiting_die = 5;
    op.communicator = m_comm;
    chm_descriptor_from_operation(&op, &facts, m_build.tables(), &d);
    EXPECT_EQ(d.waiting_die, 5u);
    EXPECT_EQ(d.facts.next_seq, CHM_NONE);
    expect_round_trip(d);
}

} // namespace
