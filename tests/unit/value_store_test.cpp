// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/value_store.h"

#include <gtest/gtest.h>

#include "tests/support/driven_program.h"

using chimera::memory::data_block;
using chimera::memory::use_table;
using chimera::memory::value_store;
using chimera::test::driven_program;

namespace {

// x is read by `first` (writes y) and `second` (reads y, writes z). 16 tokens of 1024 elements.
const char* const three_values = R"(name: three
tensors:
  activation: {}
meshes:
  stage: {place: block of 2x2, dims: {tp: all}}
layouts:
  complete: {mesh: stage, tp: replicate}
  rows: {mesh: stage, tp: shard(tokens)}
  addends: {mesh: stage, tp: partial}
inputs:
  x: {tensor: activation, layout: complete}
operations:
  - compute: {name: first, class: opaque, reads: {x: complete}, writes: {y: rows}}
  - compute: {name: second, class: opaque, reads: {y: rows, x: complete}, writes: {z: complete}}
)";

struct three {
    three() : driven("mesh_5x5", three_values, options()), uses(driven.workload) {
        EXPECT_EQ(driven.faults, "");
    }
    static chm_program_options options() {
        chm_program_options asked = {};
        asked.message_bytes = 65536;
        return asked;
    }
    const chm_operation& first() const { return driven.operation(0); }
    const chm_operation& second() const { return driven.operation(1); }
    driven_program driven;
    use_table uses;
};

struct counter : chimera::memory::value_listener {
    void values_changed(uint64_t now) override {
        ++changes;
        last = now;
    }
    int changes = 0;
    uint64_t last = 0;
};

TEST(use_table, counts_reads_and_productions_per_die) {
    const three t;
    const uint32_t x = t.first().operands[0].value, y = t.first().result, z = t.second().result;
    EXPECT_EQ(t.uses.uses_on(0)[x], 2u);  // two readers
    EXPECT_EQ(t.uses.uses_on(0)[y], 2u);  // producer and reader
    EXPECT_EQ(t.uses.uses_on(0)[z], 1u);  // producer
    EXPECT_EQ(t.uses.uses_on(24)[x], 0u); // not in the group
    EXPECT_EQ(t.uses.uses_by(t.second(), x, 0), 1u);
    EXPECT_EQ(t.uses.uses_by(t.second(), x, 24), 0u);
}

// Flags, bytes and uses of one die. The whole tensor is 65,536 bytes, a shard a quarter of it.
TEST(value_store, values_live_from_allocation_to_their_last_use) {
    const three t;
    const uint32_t x = t.first().operands[0].value, y = t.first().result, z = t.second().result;
    value_store store(t.uses, 0, false);
    counter heard;
    store.add_listener(&heard);
    EXPECT_TRUE(store.ready(x));
    EXPECT_FALSE(store.ready(y));
    EXPECT_EQ(store.live_bytes(), 65536u);
    store.allocate(y, 16384);
    store.raise(y, 5);
    store.finish_uses(t.first(), 5);
    EXPECT_TRUE(store.ready(y));
    EXPECT_EQ(heard.changes, 2);
    EXPECT_EQ(heard.last, 5u);
    EXPECT_EQ(store.live_bytes(), 65536u + 16384u); // second still reads both
    store.allocate(z, 65536);
    store.stage(1000);
    EXPECT_EQ(store.peak_bytes(), 2 * 65536u + 16384u + 1000u);
    store.unstage(1000);
    store.finish_uses(t.second(), 9);
    EXPECT_EQ(store.live_bytes(), 65536u); // z is a result and stays
    EXPECT_EQ(store.peak_bytes(), 2 * 65536u + 16384u + 1000u);
}

// Two values of one buffer: the second may be written when nobody uses the first.
TEST(value_store, a_buffer_is_free_when_earlier_values_have_no_use_left) {
    three t;
    const uint32_t x = t.first().operands[0].value, y = t.first().result, z = t.second().result;
    std::vector<chm_value> values(t.driven.workload.tables.values,
                                  t.driven.workload.tables.values +
                                      t.driven.workload.tables.value_count);
    values[z].buffer = values[y].buffer;
    t.driven.workload.tables.values = values.data();
    use_table shared(t.driven.workload);
    EXPECT_EQ(shared.previous(z), y);
    EXPECT_EQ(shared.previous(x), static_cast<uint32_t>(CHM_NONE));
    value_store store(shared, 0, false);
    const uint32_t second = t.second().seq;
    EXPECT_FALSE(store.buffer_free(z, &second, 1)); // first has not produced y
    EXPECT_TRUE(store.buffer_free(x, nullptr, 0));
    store.finish_uses(t.first(), 1);
    EXPECT_FALSE(store.buffer_free(z, nullptr, 0));
    EXPECT_TRUE(store.buffer_free(z, &second, 1)); // its own read does not count
}

TEST(value_store, reads_slices_and_embeds_and_loses_what_is_overwritten) {
    const three t;
    const uint32_t x = t.first().operands[0].value;
    const chm_tables& tables = t.driven.workload.tables;
    const chm_layout& complete = tables.layouts[t.first().operands[0].layout];
    const chm_layout& rows = tables.layouts[t.second().operands[0].layout];
    value_store store(t.uses, 1, true); // rank 1: tokens 4 .. 7
    data_block all({0, 16, 0, 1024});
    for (uint64_t token = 0; token < 16; ++token) {
        *all.at(token, 3) = static_cast<float>(100 + token);
    }
    store.add_block(x, std::move(all));
    data_block read;
    ASSERT_TRUE(store.read(x, rows, read));
    EXPECT_EQ(read.rect().token_begin, 4u);
    EXPECT_EQ(read.rect().token_end, 8u);
    EXPECT_EQ(*read.at(5, 3), 105.0f);

    chm_layout addends = complete;
    addends.placement[0].kind = chm_place_partial;
    ASSERT_TRUE(store.read(x, addends, read));
    EXPECT_EQ(read.addends, 4u);
    EXPECT_EQ(*read.at(5, 3), 105.0f); // its own tokens
    EXPECT_EQ(*read.at(9, 3), 0.0f);   // another die's

    chm_layout elsewhere = complete;
    const uint32_t dies[] = {20, 21, 22, 23};
    elsewhere.mesh.dies = dies;
    EXPECT_FALSE(store.read(x, elsewhere, read));
}

TEST(data_block, spoiled_elements_equal_nothing) {
    data_block block({0, 1, 0, 2});
    block.spoil();
    EXPECT_NE(*block.at(0, 1), *block.at(0, 1)); // not a number
}

} // namespace
