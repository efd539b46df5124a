// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hw/dma/graph_builder.h"

using chimera::dma::cause;
using chimera::dma::graph_builder;

namespace {

// A message that arrived at 100 can be used from 101 on. To use it at 110, a compute fills the
// gap: it starts at 101 and must end at 109, so it lasts 8 cycles.
TEST(graph_builder, fills_gaps_with_computes) {
    graph_builder builder;
    const uint32_t first = builder.send(0, 1, {}, 0, 0);
    builder.extend(first, 512);
    builder.arrived(first, 100);
    EXPECT_EQ(builder.usable_at(1, {first}, 101), cause{first});
    const cause later = builder.usable_at(1, {first}, 110);
    builder.extend(builder.send(1, 2, later, 110, 0), 256);
    ASSERT_TRUE(builder.causal());
    const chm_graph& graph = builder.finish(false);
    ASSERT_EQ(graph.node_count, 3u);
    EXPECT_EQ(graph.nodes[1].kind, chm_graph_compute);
    EXPECT_EQ(graph.nodes[1].cycles, 8u);
    EXPECT_EQ(builder.end(1), 109u);
    EXPECT_EQ(graph.nodes[2].bytes, 256u);
    EXPECT_EQ(graph.after[graph.first_after[2]], 1u);
}

TEST(graph_builder, knows_what_cannot_be) {
    graph_builder builder;
    const uint32_t first = builder.send(0, 1, {}, 0, 0);
    builder.arrived(first, 100);
    builder.send(1, 2, {first}, 100, 0); // in the cycle of the arrival
    EXPECT_FALSE(builder.causal());
}

// Ten messages arrive at 11 .. 20. All but the last are joined by a compute of no cycles, which
// starts and ends at 20: what waits for it and for the last message is still usable at 21.
TEST(graph_builder, joins_long_lists_without_taking_time) {
    graph_builder builder;
    cause all;
    for (uint32_t i = 0; i < 10; ++i) {
        const uint32_t node = builder.send(i, 15, {}, 0, 0);
        builder.arrived(node, 11 + i);
        builder.unite(15, all, {node});
    }
    EXPECT_LE(all.size(), 4u);
    EXPECT_EQ(builder.ends(all), 20u);
    EXPECT_EQ(builder.usable_at(15, all, 21), all);
}

// Sends of a die that are issued together keep their order; random routes are in the low half.
TEST(graph_builder, ids_ascend_with_the_issue) {
    graph_builder builder;
    builder.send(5, 1, {builder.compute(5, {}, 6)}, 7, 0xfffffff0);
    builder.send(2, 1, {}, 0, 3);
    builder.send(2, 4, {}, 0, 2);
    const chm_graph& graph = builder.finish(true);
    ASSERT_EQ(graph.node_count, 4u);
    EXPECT_EQ(graph.ids[0], (uint64_t{1} << 32 | 3));
    EXPECT_EQ(graph.ids[1], (uint64_t{2} << 32 | 2));
    EXPECT_EQ(graph.ids[2], uint64_t{3} << 32);
    EXPECT_EQ(graph.ids[3], (uint64_t{4} << 32 | 0xfffffff0));
}

// The work is over at 30. If nothing arrived at 29 and no compute started then, one is added.
TEST(graph_builder, concludes_at_the_cycle_of_the_last_completion) {
    graph_builder builder;
    const uint32_t node = builder.send(0, 1, {}, 0, 0);
    builder.arrived(node, 29);
    builder.conclude(1, {node}, 30);
    builder.conclude(1, {node}, 35); // from 30 on nothing for 4 cycles, then a start at 34
    const chm_graph& graph = builder.finish(false);
    ASSERT_EQ(graph.node_count, 3u);
    EXPECT_EQ(graph.nodes[1].cycles, 3u);
    EXPECT_EQ(graph.nodes[2].cycles, 0u);
    EXPECT_EQ(builder.end(2), 34u);
}

} // namespace
