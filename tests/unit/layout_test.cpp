// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/golden/layout/layout.h"
#include "tests/support/layouts.h"

namespace {

using namespace chimera::test;

std::string check(const chm_layout* layout, const chm_tensor& tensor,
                  const chm_routing* routing = nullptr) {
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_status status = chm_layout_check(layout, &tensor, routing, nullptr, &diagnostics);
    std::string text = chm_diagnostics_text(&diagnostics);
    EXPECT_EQ(status == chm_ok, text.empty());
    chm_diagnostics_free(&diagnostics);
    return text;
}

const chm_tensor small = {10, 7, 4};

} // namespace

TEST(layout, uneven_shards_give_the_first_blocks_one_more) {
    built_layout layout({4}, {tokens()});
    // 10 tokens on 4 dies: 3 3 2 2
    const uint64_t begin[] = {0, 3, 6, 8, 10};
    for (uint32_t rank = 0; rank < 4; ++rank) {
        chm_holding holding = chm_layout_holding(layout.get(), &small, rank);
        EXPECT_EQ(holding.rect.token_begin, begin[rank]);
        EXPECT_EQ(holding.rect.token_end, begin[rank + 1]);
        EXPECT_EQ(holding.rect.width_end, 7u);
        EXPECT_EQ(holding.addends, 1u);
        EXPECT_EQ(chm_layout_bytes(layout.get(), &small, nullptr, rank),
                  (begin[rank + 1] - begin[rank]) * 28);
    }
    EXPECT_TRUE(chm_layout_holds_row(layout.get(), &small, nullptr, 1, 3));
    EXPECT_FALSE(chm_layout_holds_row(layout.get(), &small, nullptr, 1, 6));
}

TEST(layout, more_dies_than_tokens_leave_empty_blocks) {
    built_layout layout({4}, {tokens()});
    const chm_tensor two = {2, 3, 4};
    EXPECT_EQ(chm_layout_bytes(layout.get(), &two, nullptr, 1), 12u);
    EXPECT_EQ(chm_layout_bytes(layout.get(), &two, nullptr, 2), 0u);
    EXPECT_FALSE(chm_layout_holds_row(layout.get(), &two, nullptr, 3, 2));
}

TEST(layout, order_says_which_dimension_splits_first) {
    // dimension 1 (3 dies) is major: 10 -> 4 3 3; then dimension 0 (2): 4 -> 2 2, 3 -> 2 1
    built_layout layout({2, 3}, {tokens(1), tokens(0)});
    const uint64_t blocks[6][2] = {{0, 2}, {4, 6}, {7, 9}, {2, 4}, {6, 7}, {9, 10}};
    for (uint32_t rank = 0; rank < 6; ++rank) {
        chm_rect rect = chm_layout_holding(layout.get(), &small, rank).rect;
        EXPECT_EQ(rect.token_begin, blocks[rank][0]);
        EXPECT_EQ(rect.token_end, blocks[rank][1]);
    }
    char text[128];
    EXPECT_STREQ(chm_layout_format(layout.get(), text, sizeof text),
                 "[2x3: shard(tokens, order 1), shard(tokens, order 0)] on {0 1 2 3 4 5}");
}

TEST(layout, partial_addends_count_row_major_over_their_dimensions) {
    built_layout layout({2, 2, 2}, {partial(), tokens(), partial()});
    chm_holding holding = chm_layout_holding(layout.get(), &small, 7);
    EXPECT_EQ(holding.addend, 3u);
    EXPECT_EQ(holding.addends, 4u);
    EXPECT_EQ(holding.rect.token_begin, 5u);
    EXPECT_TRUE(chm_layout_is_partial(layout.get()));
    EXPECT_FALSE(chm_layout_rows_complete(layout.get()));
    built_layout one({1, 2}, {partial(), tokens()});
    EXPECT_FALSE(chm_layout_is_partial(one.get())); // a sum of one addend is complete
    EXPECT_TRUE(chm_layout_rows_complete(one.get()));
    built_layout split({2}, {width()});
    EXPECT_FALSE(chm_layout_rows_complete(split.get()));
}

TEST(layout, shards_cover_every_element_exactly_once) {
    for (uint32_t a = 1; a <= 4; ++a) {
        for (uint32_t b = 1; b <= 4; ++b) {
            for (uint32_t order = 0; order < 2; ++order) {
                built_layout layout({a, b, 3}, {tokens(order), tokens(1 - order), width()});
                ASSERT_EQ(check(layout.get(), small), "");
                std::map<std::pair<uint64_t, uint64_t>, int> seen;
                for (uint32_t rank = 0; rank < a * b * 3; ++rank) {
                    chm_rect r = chm_layout_holding(layout.get(), &small, rank).rect;
                    for (uint64_t t = r.token_begin; t < r.token_end; ++t) {
                        for (uint64_t w = r.width_begin; w < r.width_end; ++w) {
                            ++seen[{t, w}];
                        }
                    }
                }
                EXPECT_EQ(seen.size(), 70u);
                for (const auto& [element, times] : seen) {
                    EXPECT_EQ(times, 1);
                }
            }
        }
    }
}

TEST(layout, routed_copies_are_where_the_routing_says) {
    built_layout layout({2, 2, 2}, {routed_copy(), tokens(), routed_copy()});
    const chm_routing routing = {2, 4, 0, 1};
    const chm_tensor tensor = {16, 3, 4};
    EXPECT_TRUE(chm_layout_is_routed(layout.get()));
    EXPECT_EQ(chm_layout_routed_size(layout.get()), 4u);
    EXPECT_EQ(chm_layout_routed_index(layout.get(), 6), 2u); // coordinates 1 1 0
    uint64_t bytes = 0;
    for (uint32_t rank = 0; rank < 8; ++rank) {
        uint64_t rows = 0;
        for (uint64_t token = 0; token < 16; ++token) {
            rows += chm_layout_holds_row(layout.get(), &tensor, &routing, rank, token);
        }
        EXPECT_EQ(rows, 4u); // 8 tokens of its block, 2 copies on 4 dies
        bytes += chm_layout_bytes(layout.get(), &tensor, &routing, rank);
    }
    EXPECT_EQ(bytes, 16u * 2 * 12);
    built_layout back({2, 2}, {routed_partial(), routed_partial()});
    EXPECT_TRUE(chm_layout_is_partial(back.get()));
    EXPECT_EQ(chm_layout_holding(back.get(), &tensor, 3).addend, 3u);
}

TEST(layout, check_names_every_fault) {
    const chm_routing routing = {2, 4, 0, 1};
    built_layout twice({3}, {tokens()}, {4, 5, 4});
    EXPECT_EQ(check(twice.get(), small), "layout: die 4 stands twice in it\n");
    built_layout orders({2, 2}, {tokens(0), tokens(0)});
    EXPECT_NE(check(orders.get(), small).find("orders must be 0 .. 1"), std::string::npos);
    built_layout far({2}, {tokens(70)});
    EXPECT_NE(check(far.get(), small).find("orders"), std::string::npos);
    built_layout mixed({2, 2, 2}, {routed_copy(), routed_partial(), partial()});
    std::string text = check(mixed.get(), small);
    EXPECT_NE(text.find("routed_copy and routed_partial"), std::string::npos);
    EXPECT_NE(text.find("partial beside routed"), std::string::npos);
    EXPECT_NE(text.find("without a routing"), std::string::npos);
    built_layout eight({8}, {routed_copy()});
    EXPECT_NE(check(eight.get(), small, &routing).find("over 4 dies"), std::string::npos);
    built_layout four({4}, {routed_copy()});
    EXPECT_EQ(check(four.get(), small, &routing), "");
    built_layout none({0, 2}, {tokens(), replicate()}, {1});
    EXPECT_NE(check(none.get(), {0, 7, 4}).find("extent 0"), std::string::npos);
    EXPECT_NE(check(none.get(), {0, 7, 4}).find("no tokens"), std::string::npos);
    chm_layout empty = {};
    EXPECT_NE(check(&empty, small).find("got 0 dimensions"), std::string::npos);
}

TEST(layout, same_compares_what_is_held_not_how_it_is_written) {
    built_layout a({2, 1}, {tokens(), replicate()}, {3, 4});
    built_layout b({2, 1}, {tokens(), partial()}, {3, 4});
    built_layout c({2, 1}, {tokens(), replicate()}, {4, 3});
    built_layout d({2, 1}, {width(), replicate()}, {3, 4});
    EXPECT_TRUE(chm_layout_same(a.get(), b.get(), &small));
    EXPECT_FALSE(chm_layout_same(a.get(), c.get(), &small));
    EXPECT_FALSE(chm_layout_same(a.get(), d.get(), &small));
    built_layout copies({2}, {routed_copy()}), addends({2}, {routed_partial()}),
        all({2}, {replicate()});
    EXPECT_FALSE(chm_layout_same(copies.get(), addends.get(), &small));
    EXPECT_FALSE(chm_layout_same(copies.get(), all.get(), &small));
}

TEST(layout, slicing_moves_nothing) {
    built_layout all({4}, {replicate()}), shard({4}, {tokens()}), columns({4}, {width()});
    built_layout addends({4}, {partial()}), routed({4}, {routed_copy()});
    built_layout first({2}, {replicate()}, {0, 1}), elsewhere({4}, {tokens()}, {10, 11, 12, 13});
    const chm_routing routing = {2, 4, 0, 1};
    EXPECT_TRUE(chm_layout_slices_to(all.get(), shard.get(), &small, nullptr));
    EXPECT_TRUE(chm_layout_slices_to(all.get(), first.get(), &small, nullptr));
    EXPECT_TRUE(chm_layout_slices_to(shard.get(), shard.get(), &small, nullptr));
    EXPECT_FALSE(chm_layout_slices_to(shard.get(), columns.get(), &small, nullptr));
    EXPECT_FALSE(chm_layout_slices_to(shard.get(), all.get(), &small, nullptr));
    EXPECT_FALSE(chm_layout_slices_to(addends.get(), shard.get(), &small, nullptr));
    EXPECT_FALSE(chm_layout_slices_to(all.get(), addends.get(), &small, nullptr));
    EXPECT_FALSE(chm_layout_slices_to(all.get(), elsewhere.get(), &small, nullptr));
    EXPECT_TRUE(chm_layout_slices_to(all.get(), routed.get(), &small, &routing));
    EXPECT_FALSE(chm_layout_slices_to(shard.get(), routed.get(), &small, &routing));
    EXPECT_TRUE(chm_layout_slices_to(routed.get(), routed.get(), &small, &routing));
    EXPECT_FALSE(chm_layout_slices_to(routed.get(), shard.get(), &small, &routing));
}

TEST(layout, embedding_puts_zeros_elsewhere) {
    built_layout all({4}, {replicate()}), shard({4}, {tokens()}), addends({4}, {partial()});
    EXPECT_TRUE(chm_layout_embeds_to(all.get(), addends.get(), &small));
    EXPECT_TRUE(chm_layout_embeds_to(shard.get(), addends.get(), &small));
    EXPECT_FALSE(chm_layout_embeds_to(addends.get(), addends.get(), &small));
    EXPECT_FALSE(chm_layout_embeds_to(all.get(), shard.get(), &small));
    built_layout nested({2, 2}, {tokens(0), tokens(1)}), swapped({2, 2}, {tokens(1), tokens(0)});
    built_layout outer({2, 2}, {tokens(), partial()});
    EXPECT_TRUE(chm_layout_embeds_to(nested.get(), outer.get(), &small));
    // die (0, 1) has tokens 5..7, which the block 0..4 of `outer` does not contain
    EXPECT_FALSE(chm_layout_embeds_to(swapped.get(), outer.get(), &small));
    built_layout copies({2, 2}, {replicate(), partial()}), mixed({2, 2}, {tokens(), replicate()});
    EXPECT_FALSE(chm_layout_embeds_to(mixed.get(), copies.get(), &small));
}

TEST(layout, format_fits_any_buffer) {
    built_layout layout({2, 2}, {tokens(), partial()}, {0, 1, 5, 6});
    const std::string whole = "[2x2: shard(tokens), partial] on {0 1 5 6}";
    for (size_t size = 1; size <= whole.size() + 2; ++size) {
        std::vector<char> buffer(size, 'x');
        chm_layout_format(layout.get(), buffer.data(), size);
        EXPECT_EQ(std::string(buffer.data()), whole.substr(0, size - 1));
    }
}

TEST(routing, whole_cycles_are_exactly_balanced_and_sets_vary) {
    for (uint32_t dies = 1; dies <= 16; ++dies) {
        for (uint32_t k = 1; k <= 8; ++k) {
            const chm_routing routing = {k, dies, 0, 7};
            const uint32_t copies = std::min(k, dies);
            const uint64_t cycle = dies / std::gcd(dies, copies);
            ASSERT_EQ(chm_routing_cycle(&routing), cycle);
            std::map<std::vector<uint32_t>, int> sets;
            for (uint64_t i = 0; i < 2 * dies; ++i) {
                std::vector<uint64_t> received(dies, 0);
                for (uint64_t token = i * cycle; token < (i + 1) * cycle; ++token) {
                    uint32_t targets[chm_max_top_k];
                    ASSERT_EQ(chm_routing_targets(&routing, token, targets), copies);
                    for (uint32_t j = 0; j < copies; ++j) {
                        ASSERT_LT(targets[j], dies);
                        ASSERT_TRUE(j == 0 || targets[j - 1] < targets[j]);
                        ++received[targets[j]];
                    }
                    ++sets[std::vector<uint32_t>(targets, targets + copies)];
                }
                EXPECT_EQ(received, std::vector<uint64_t>(dies, copies / std::gcd(dies, copies)));
            }
            // the rotation reaches every base: `dies` different sets unless a set is all of them
            EXPECT_EQ(sets.size(), copies == dies ? 1u : dies);
        }
    }
}

TEST(routing, skew_sends_that_fraction_to_die_0) {
    const uint64_t tokens_sent = 8000;
    for (double skew : {0.0, 0.25, 0.5, 1.0}) {
        const chm_routing routing = {2, 8, skew, 3};
        uint64_t at_0 = 0;
        for (uint64_t token = 0; token < tokens_sent; ++token) {
            uint32_t targets[chm_max_top_k];
            ASSERT_EQ(chm_routing_targets(&routing, token, targets), 2u);
            ASSERT_LT(targets[0], targets[1]);
            at_0 += targets[0] == 0;
        }
        // a quarter has die 0 anyway; of the others the fraction `skew` gets it
        const double expected = 0.25 + 0.75 * skew;
        EXPECT_NEAR(static_cast<double>(at_0) / tokens_sent, expected, 0.02);
    }
}
