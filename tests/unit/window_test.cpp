// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <ostream>
#include <vector>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/golden/fusion/window.h"
#include "tests/support/random_lines.h"
#include "tests/support/value_line.h"

using chimera::test::random_lines;
using chimera::test::table_builder;
using chimera::test::value_line;

namespace {

struct issued_run {
    std::vector<uint32_t> members;
    uint32_t key;
    chm_join rule;
    friend void PrintTo(const issued_run& run, std::ostream* out) {
        *out << "key " << run.key << ", " << chm_join_name(run.rule) << ", members";
        for (uint32_t seq : run.members) {
            *out << ' ' << seq;
        }
    }
    bool operator==(const issued_run& other) const {
        return members == other.members && key == other.key;
    }
};

struct window_deleter {
    void operator()(chm_window* window) const { chm_window_free(window); }
};
using window_ptr = std::unique_ptr<chm_window, window_deleter>;

void pop_all(chm_window* window, std::vector<issued_run>* runs) {
    chm_decided_run decided;
    while (chm_window_pop(window, &decided)) {
        issued_run run{{}, decided.run->key, decided.end_rule};
        for (uint32_t i = 0; i < decided.run->count; ++i) {
            run.members.push_back(decided.run->members[i].seq);
        }
        runs->push_back(run);
    }
}

// What a window makes of a stream; `lazy` pops only now and then.
std::vector<issued_run> issue(const chm_tables* tables, const std::vector<chm_descriptor>& stream,
                              uint64_t lazy = 0) {
    window_ptr window(chm_window_create(tables));
    std::vector<issued_run> runs;
    for (const chm_descriptor& d : stream) {
        EXPECT_EQ(chm_window_push(window.get(), &d), chm_ok);
        if (lazy == 0 || chm_hash2(lazy, d.seq) % 4 == 0) {
            pop_all(window.get(), &runs);
        }
    }
    chm_window_drain(window.get());
    pop_all(window.get(), &runs);
    EXPECT_EQ(chm_window_occupancy(window.get()), 0u);
    return runs;
}

std::vector<chm_descriptor> stream_of(const random_lines& lines, uint32_t die) {
    std::vector<chm_descriptor> stream;
    for (size_t i = 0; i < lines.list().size(); ++i) {
        if (lines.queued(die, i)) {
            stream.push_back(lines.list()[i]);
        }
    }
    return stream;
}

size_t expect_ascending(const std::vector<issued_run>& runs) {
    size_t fused = 0;
    for (size_t i = 0; i < runs.size(); ++i) {
        fused += runs[i].members.size() > 1;
        if (i > 0) {
            const issued_run &a = runs[i - 1], &b = runs[i];
            EXPECT_LT(std::make_pair(a.key, a.members.back()),
                      std::make_pair(b.key, b.members.back()));
        }
    }
    return fused;
}

// Every die that queues any member of a run decides the same run with the same issue key. Since
// each die issues in ascending (key, last member), shared runs come in the same order everywhere.
TEST(window, all_dies_decide_alike_on_random_lists) {
    size_t fused = 0, cut = 0, observed = 0;
    for (uint64_t seed = 1; seed <= 2000; ++seed) {
        uint32_t dies = 4 + static_cast<uint32_t>(seed % 5);
        random_lines lines(seed, dies, 60);
        std::map<uint32_t, issued_run> by_member; // seq -> the run it is in, from the first die
        for (uint32_t die = 0; die < dies; ++die) {
            auto stream = stream_of(lines, die);
            auto runs = issue(lines.tables(), stream);
            ASSERT_EQ(issue(lines.tables(), stream, seed), runs) << "seed " << seed;
            fused += expect_ascending(runs);
            for (const issued_run& run : runs) {
                cut += run.rule == chm_join_fence;
                for (uint32_t seq : run.members) {
                    observed += !lines.member(die, seq);
                    auto [at, is_new] = by_member.emplace(seq, run);
                    ASSERT_EQ(at->second, run)
                        << "seed " << seed << " die " << die << " operation " << seq;
                }
            }
        }
        // A die that saw the whole list would decide the same.
        for (const issued_run& run : issue(lines.tables(), lines.list())) {
            ASSERT_EQ(by_member.at(run.members[0]), run) << "seed " << seed;
        }
    }
    // The lists do exercise what they are for.
    EXPECT_GT(fused, 25000u);
    EXPECT_GT(cut, 2500u);
    EXPECT_GT(observed, 25000u);
}

class window_cases : public ::testing::Test {
protected:
    void SetUp() override { tensor = build.tensor(12, 12); }

    uint32_t group(const std::vector<uint32_t>& dies, const char* placement) {
        return build.layout({{static_cast<uint32_t>(dies.size())}, dies}, placement);
    }

    std::vector<issued_run> issue_all(const std::vector<chm_descriptor>& stream) {
        return issue(build.tables(), stream);
    }

    chm_descriptor fence(uint32_t seq, uint32_t communicator, uint32_t die) {
        chm_descriptor d{};
        d.kind = chm_descriptor_fence;
        d.seq = seq;
        d.communicator = communicator;
        d.value_in = d.value_out = d.layout_in = d.layout_out = CHM_NONE;
        d.waiting_die = die;
        d.facts.next_seq = d.facts.needed_by = CHM_NONE;
        return d;
    }

    table_builder build;
    uint32_t tensor;
};

// A on {0,2}, hand-over to {1,2,3}, hand-over to {0,1,6}, window 4. Die 6 takes part in the last
// only; it must have seen A, or it would run a hand-over that the others have fused away.
TEST_F(window_cases, a_die_of_the_last_group_must_see_the_first_operation) {
    uint32_t a_in = group({0, 2}, "T"), a_out = group({0, 2}, "R");
    uint32_t middle = group({1, 2, 3}, "T"), last = group({0, 1, 6}, "T");
    uint32_t comm = build.communicator(a_out, 4);
    auto list = value_line(build, tensor)
                    .collective(chm_all_gather, a_in, a_out, comm)
                    .collective(chm_many_to_many, a_out, middle, comm)
                    .collective(chm_many_to_many, middle, last, comm)
                    .finish();
    auto everywhere = issue_all(list);
    ASSERT_EQ(everywhere.size(), 1u);
    EXPECT_EQ(everywhere[0].members, (std::vector<uint32_t>{10, 11, 12}));
    EXPECT_EQ(everywhere[0].key, 12u);
    auto only_own = issue_all({list[2]}); // what the domain rule prevents
    EXPECT_EQ(only_own[0].members, (std::vector<uint32_t>{12}));
}

// R-S(x, {a,b}); A-G(y, {a,c}) reading x's result on a; A2A(x, {a,b}). Only a sees the A-G, but
// needed_by tells b as well: fused, A2A would wait on a for an A-G that waits for x.
TEST_F(window_cases, a_dependency_on_one_die_forbids_everywhere) {
    uint32_t p = group({0, 1}, "P"), t = group({0, 1}, "T"), w = group({0, 1}, "W");
    uint32_t y = group({0, 2}, "T"), y_all = group({0, 2}, "R");
    uint32_t ab = build.communicator(t, 8), ac = build.communicator(y, 8);
    auto x = value_line(build, tensor, 10)
                 .collective(chm_reduce_scatter, p, t, ab)
                 .at(12)
                 .collective(chm_all_to_all, t, w, ab)
                 .finish();
    auto other = value_line(build, tensor, 11).collective(chm_all_gather, y, y_all, ac).finish();
    x[0].facts.needed_by = 11;
    auto on_a = issue_all({x[0], other[0], x[1]});
    auto on_b = issue_all({x[0], x[1]});
    ASSERT_EQ(on_a.size(), 3u);
    ASSERT_EQ(on_b.size(), 2u);
    EXPECT_EQ(on_b[0], on_a[0]);
    EXPECT_EQ(on_b[1], on_a[2]);
    EXPECT_EQ(on_b[0].rule, chm_join_needed_by);
    EXPECT_EQ(on_b[0].key, 10u); // decided at its own decode: nothing is held back
}

// Y0; Y1; X1; r reads X1 and Y0; Y2 reuses Y0's buffer; X2. Y2 waits for r to be done with Y0, and
// r for X1: needed_by of X1 is Y2, before X2.
TEST_F(window_cases, waiting_for_a_buffer_counts_as_depending) {
    uint32_t t = group({0, 1}, "T"), w = group({0, 1}, "W");
    uint32_t comm = build.communicator(t, 8);
    auto y = value_line(build, tensor, 0)
                 .collective(chm_all_to_all, t, w, comm)
                 .collective(chm_all_to_all, w, t, comm)
                 .at(4) // 3 is the compute operation r
                 .collective(chm_all_to_all, t, w, comm)
                 .finish();
    auto x = value_line(build, tensor, 2)
                 .collective(chm_all_to_all, t, w, comm)
                 .at(5)
                 .collective(chm_all_to_all, w, t, comm)
                 .finish();
    x[0].facts.needed_by = 4;
    y[0].facts.needed_by = 4; // r reads Y0 too
    auto runs = issue_all({y[0], y[1], x[0], y[2], x[1]});
    std::vector<std::vector<uint32_t>> members;
    for (const issued_run& run : runs) {
        members.push_back(run.members);
    }
    // X1 may not wait for X2, nor {Y0,Y1} for Y2.
    EXPECT_EQ(members, (std::vector<std::vector<uint32_t>>{{0, 1}, {2}, {4}, {5}}));
}

// 64 dies, 32 pairs: a collective along one mesh dimension is one operation for all pairs.
TEST_F(window_cases, many_parallel_pairs_still_fuse) {
    std::vector<uint32_t> dies(64);
    for (uint32_t i = 0; i < 64; ++i) {
        dies[i] = i;
    }
    uint32_t sums = build.layout({{32, 2}, dies}, "TP"), all = build.layout({{32, 2}, dies}, "TR");
    uint32_t shards = build.layout({{32, 2}, dies}, "TT"),
             widths = build.layout({{32, 2}, dies}, "TW");
    tensor = build.tensor(128, 16);
    uint32_t comm = build.communicator(all, 8);
    auto runs = issue_all(value_line(build, tensor)
                              .collective(chm_all_reduce, sums, all, comm)
                              .collective(chm_all_to_all, shards, widths, comm)
                              .finish());
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].members.size(), 2u);
}

// Die 1 is in both groups and queues eight unrelated descriptors between; the others none. The
// distance is the largest of any die, so nobody fuses, also where the successor is right behind.
TEST_F(window_cases, unrelated_operations_on_a_shared_die_count_for_all) {
    uint32_t a = group({0, 1}, "T"), a_all = group({0, 1}, "R"), b = group({1, 2}, "T");
    uint32_t comm = build.communicator(a, 8);
    auto list = value_line(build, tensor, 0)
                    .collective(chm_all_gather, a, a_all, comm)
                    .at(9)
                    .collective(chm_many_to_many, a_all, b, comm)
                    .finish();
    list[0].facts.next_distance = 9;
    std::vector<chm_descriptor> shared{list[0]};
    for (uint32_t seq = 1; seq <= 8; ++seq) {
        shared.push_back(
            value_line(build, tensor, seq).collective(chm_all_to_all, b, b, comm).finish()[0]);
    }
    shared.push_back(list[1]);
    auto on_shared = issue_all(shared);
    auto alone = issue_all(list);
    EXPECT_EQ(alone[0], on_shared.front());
    EXPECT_EQ(alone[1], on_shared.back());
    EXPECT_EQ(alone[0].rule, chm_join_window);
    EXPECT_EQ(alone[0].members.size(), 1u);
}

TEST_F(window_cases, a_rank_that_blocks_alone_cuts_the_runs_it_is_in) {
    uint32_t t = group({0, 1}, "T"), w = group({0, 1}, "W");
    uint32_t other = group({2, 3}, "T"), other_w = group({2, 3}, "W");
    uint32_t comm = build.communicator(t, 8), comm2 = build.communicator(other, 8);
    auto mine = value_line(build, tensor, 0)
                    .collective(chm_all_to_all, t, w, comm)
                    .at(3)
                    .collective(chm_all_to_all, w, t, comm)
                    .finish();
    auto theirs = value_line(build, tensor, 1)
                      .collective(chm_all_to_all, other, other_w, comm2)
                      .at(4)
                      .collective(chm_all_to_all, other_w, other, comm2)
                      .finish();
    auto runs = issue_all({mine[0], theirs[0], fence(2, comm, 1), mine[1], theirs[1]});
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_EQ(runs[0].members, (std::vector<uint32_t>{0}));
    EXPECT_EQ(runs[0].key, 2u);
    EXPECT_EQ(runs[0].rule, chm_join_fence);
    EXPECT_EQ(runs[1].members, (std::vector<uint32_t>{3}));
    EXPECT_EQ(runs[2].members, (std::vector<uint32_t>{1, 4}));
    // Every die of the group: the same cut.
    auto group_wait =
        issue_all({mine[0], theirs[0], fence(2, comm2, CHM_NONE), mine[1], theirs[1]});
    EXPECT_EQ(group_wait[0].members, (std::vector<uint32_t>{1}));
    EXPECT_EQ(group_wait[1].members, (std::vector<uint32_t>{0, 3}));
}

TEST_F(window_cases, a_successor_that_is_never_queued_here_keeps_its_place) {
    uint32_t t = group({0, 1}, "T"), w = group({0, 1}, "W");
    uint32_t comm = build.communicator(t, 8);
    auto list = value_line(build, tensor, 0)
                    .collective(chm_all_to_all, t, w, comm)
                    .compute(chm_class_opaque, w, w)
                    .collective(chm_all_to_all, w, t, comm)
                    .finish();
    auto seen = issue_all(list);
    auto passed_over = issue_all({list[0], list[2]});
    EXPECT_EQ(seen[0], passed_over[0]); // key 1 either way
    EXPECT_EQ(seen[0].key, 1u);
    EXPECT_EQ(seen[2], passed_over[1]);
}

TEST_F(window_cases, what_nothing_can_join_is_never_held) {
    uint32_t t = group({0, 1}, "T"), w = group({0, 1}, "W");
    uint32_t comm = build.communicator(t, 8);
    auto list = value_line(build, tensor, 0)
                    .collective(chm_all_to_all, t, w, comm)
                    .collective(chm_all_to_all, w, t, comm)
                    .finish();
    auto leaves_at_once = [&](const chm_descriptor& d) {
        window_ptr window(chm_window_create(build.tables()));
        EXPECT_EQ(chm_window_push(window.get(), &d), chm_ok);
        EXPECT_EQ(chm_window_occupancy(window.get()), 1u);
        chm_decided_run decided;
        return chm_window_pop(window.get(), &decided);
    };
    EXPECT_FALSE(leaves_at_once(list[0])); // waits for its successor
    EXPECT_TRUE(leaves_at_once(list[1]));  // has none
    auto far = list[0];
    far.facts.next_distance = 8;
    EXPECT_TRUE(leaves_at_once(far));
    auto blind = list[0];
    blind.facts.next_seq = CHM_NONE;
    blind.facts.next_distance = 0;
    blind.facts.next_unknown = blind.facts.readers_unknown = true;
    blind.facts.reader_count = 0;
    EXPECT_TRUE(leaves_at_once(blind));
}

TEST_F(window_cases, descriptors_out_of_order_are_refused_without_a_trace) {
    uint32_t t = group({0, 1}, "T"), w = group({0, 1}, "W");
    uint32_t comm = build.communicator(t, 8);
    auto list = value_line(build, tensor, 5).collective(chm_all_to_all, t, w, comm).finish();
    window_ptr window(chm_window_create(build.tables()));
    EXPECT_EQ(chm_window_push(window.get(), &list[0]), chm_ok);
    EXPECT_EQ(chm_window_push(window.get(), &list[0]), chm_bad_input);
    EXPECT_EQ(chm_window_occupancy(window.get()), 1u);
}

TEST_F(window_cases, an_idle_die_has_nothing_to_say) {
    EXPECT_TRUE(issue_all({}).empty());
}

} // namespace
