// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/abstract_machine.h"
#include "tests/support/random_program.h"
#include "traces/driver.h"

// Facts, domains and streams of 1,000 random programs against definitions written here anew.

using chimera::test::abstract_machine;
using chimera::test::random_program;

namespace {

constexpr uint64_t programs = 1000;
constexpr uint32_t platform_dies = 8;

class driven {
public:
    explicit driven(uint64_t seed) : source(seed) {
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        chm_arena_init(&m_arena);
        status = chm_drive(source.get(), platform_dies, &m_arena, &workload, &diagnostics);
        faults = chm_diagnostics_text(&diagnostics);
        chm_diagnostics_free(&diagnostics);
    }
    ~driven() { chm_arena_free(&m_arena); }
    driven(const driven&) = delete;
    driven& operator=(const driven&) = delete;

    random_program source;
    chm_workload workload{};
    chm_status status;
    std::string faults;

    const chm_operation& operation(uint32_t seq) const { return workload.operations[seq]; }
    const chm_value& value(uint32_t v) const { return workload.tables.values[v]; }

    std::set<uint32_t> group(uint32_t seq) const {
        std::set<uint32_t> dies;
        if (operation(seq).kind == chm_operation_wait && operation(seq).waiting_die != CHM_NONE) {
            return {operation(seq).waiting_die};
        }
        add(dies, operation(seq).operands[0].layout);
        if (operation(seq).result != CHM_NONE) {
            add(dies, value(operation(seq).result).layout);
        }
        return dies;
    }

    std::vector<uint32_t> queue(uint32_t die) const {
        std::vector<uint32_t> seqs;
        for (uint32_t i = 0; i < workload.streams[die].count; ++i) {
            if (workload.streams[die].entries[i].kind == chm_stream_descriptor) {
                seqs.push_back(workload.streams[die].entries[i].seq);
            }
        }
        return seqs;
    }

    std::set<uint32_t> domain(uint32_t seq) const {
        std::set<uint32_t> dies;
        for (uint32_t die = 0; die < workload.dies; ++die) {
            std::vector<uint32_t> seqs = queue(die);
            if (std::find(seqs.begin(), seqs.end(), seq) != seqs.end()) {
                dies.insert(die);
            }
        }
        return dies;
    }

    // Most descriptors behind `a` up to `b` that a die of either group queues.
    uint32_t distance(uint32_t a, uint32_t b) const {
        std::set<uint32_t> dies = group(a);
        dies.merge(group(b));
        std::ptrdiff_t most = 0;
        for (uint32_t die : dies) {
            std::vector<uint32_t> seqs = queue(die);
            most = std::max(most, std::count_if(seqs.begin(), seqs.end(),
                                                [&](uint32_t s) { return a < s && s <= b; }));
        }
        return static_cast<uint32_t>(most);
    }

private:
    void add(std::set<uint32_t>& dies, uint32_t layout) const {
        const chm_die_mesh& mesh = workload.tables.layouts[layout].mesh;
        dies.insert(mesh.dies, mesh.dies + chm_mesh_size(&mesh));
    }

    chm_arena m_arena{};
};

// The next operation of every value's line by its definition, whatever the driver may tell.
std::vector<uint32_t> lines_of(const driven& p) {
    uint32_t count = p.workload.operation_count;
    std::vector<uint32_t> next(count, CHM_NONE);
    std::vector<bool> on_line(count);
    for (uint32_t a = 0; a < count; ++a) {
        on_line[a] = on_line[a] || p.operation(a).kind == chm_operation_collective;
        for (uint32_t b = a + 1; b < count && on_line[a] && next[a] == CHM_NONE; ++b) {
            const chm_operation& o = p.operation(b);
            bool movable = o.kind == chm_operation_compute && o.op_class != chm_class_opaque &&
                           o.result != CHM_NONE;
            if (p.operation(a).result != CHM_NONE && o.operands[0].value == p.operation(a).result &&
                (o.kind == chm_operation_collective || movable)) {
                next[a] = b;
                on_line[b] = true;
            }
        }
    }
    return next;
}

// Both on the compute queue of one die.
bool is_behind(const driven& p, uint32_t b, uint32_t a) {
    auto is_compute = [&](uint32_t seq) {
        return p.operation(seq).kind == chm_operation_compute && !p.workload.has_descriptor[seq];
    };
    std::set<uint32_t> first = p.group(a);
    std::set<uint32_t> second = p.group(b);
    return is_compute(a) && is_compute(b) &&
           std::any_of(first.begin(), first.end(),
                       [&](uint32_t die) { return second.count(die) != 0; });
}

// All that waits for `start`, by a value, a buffer or a compute queue, other than by the value that
// its next reads: the transitive closure over all pairs.
uint32_t brute_needed_by(const driven& p, uint32_t start, uint32_t next) {
    uint32_t count = p.workload.operation_count;
    std::vector<bool> reached(count);
    uint32_t lowest = CHM_NONE;
    reached[start] = true;
    for (uint32_t b = start + 1; b < count; ++b) {
        const chm_operation& o = p.operation(b);
        for (uint32_t a = start; a < b && !reached[b]; ++a) {
            if (!reached[a]) {
                continue;
            }
            for (uint32_t i = 0; i < o.operand_count; ++i) {
                bool reads = p.value(o.operands[i].value).producer == a;
                reached[b] = reached[b] || (reads && !(a == start && b == next));
            }
            // b overwrites what a reads: the same buffer, and nothing written to it in between.
            for (uint32_t i = 0; o.result != CHM_NONE && i < p.operation(a).operand_count; ++i) {
                const chm_value& old = p.value(p.operation(a).operands[i].value);
                bool overwrites = old.buffer == p.value(o.result).buffer;
                for (uint32_t w = 0; w < b && overwrites; ++w) {
                    uint32_t written = p.operation(w).result;
                    bool later = old.producer == CHM_NONE || w > old.producer;
                    overwrites =
                        !(later && written != CHM_NONE && p.value(written).buffer == old.buffer);
                }
                reached[b] = reached[b] || overwrites;
            }
            reached[b] = reached[b] || is_behind(p, b, a);
        }
        if (reached[b] && p.workload.has_descriptor[b] && o.kind != chm_operation_wait) {
            lowest = std::min(lowest, b);
        }
    }
    return lowest;
}

// What an operation asks for; a marker may be in a run with the largest window.
uint32_t window_of(const driven& p, uint32_t seq) {
    const chm_tables& tables = p.workload.tables;
    uint32_t communicator = p.operation(seq).communicator;
    uint32_t largest = 0;
    for (uint32_t c = 0; c < tables.communicator_count; ++c) {
        largest = std::max(largest, tables.communicators[c].window_depth);
    }
    return communicator == CHM_NONE ? largest : tables.communicators[communicator].window_depth;
}

} // namespace

TEST(random_program, is_the_same_for_the_same_seed_and_has_what_it_promises) {
    uint64_t kinds[3] = {};
    uint64_t classes[5] = {};
    uint64_t several_readers = 0, looked_through = 0, combines = 0, hand_overs = 0,
             shared_buffers = 0, ahead[3] = {};
    for (uint64_t seed = 0; seed < 100; ++seed) {
        driven p(seed);
        driven again(seed);
        ASSERT_EQ(p.faults, "") << seed;
        ASSERT_EQ(p.workload.operation_count, again.workload.operation_count);
        ++ahead[p.source.get()->lookahead];
        std::set<uint32_t> buffers;
        for (uint32_t seq = 0; seq < p.workload.operation_count; ++seq) {
            const chm_operation& o = p.operation(seq);
            EXPECT_EQ(o.result, again.operation(seq).result);
            ++kinds[o.kind];
            classes[o.op_class] += o.kind == chm_operation_compute;
            hand_overs += o.kind == chm_operation_collective && o.collective >= chm_point_to_point;
            several_readers += p.workload.facts[seq].reader_count > 1;
            looked_through += o.op_class == chm_class_linear &&
                              o.operands[1].layout != p.value(o.operands[1].value).layout;
            combines += o.kind == chm_operation_collective && o.result != CHM_NONE &&
                        p.workload.tables.layouts[o.operands[0].layout].placement[0].kind ==
                            chm_place_routed_partial;
            shared_buffers +=
                o.result != CHM_NONE && !buffers.insert(p.value(o.result).buffer).second;
        }
        EXPECT_EQ(p.workload.streams[p.source.idle_die()].count, 0u);
    }
    for (uint64_t n :
         {kinds[0], kinds[1], kinds[2], classes[chm_class_opaque], classes[chm_class_transparent],
          classes[chm_class_row_wise], classes[chm_class_element_wise], several_readers, hand_overs,
          shared_buffers}) {
        EXPECT_GT(n, 100u);
    }
    EXPECT_GT(looked_through, 50u);
    EXPECT_GT(combines, 20u);
    for (uint64_t n : ahead) {
        EXPECT_GT(n, 3u);
    }
}

TEST(random_program, facts_are_what_their_definitions_say) {
    for (uint64_t seed = 0; seed < programs; ++seed) {
        driven p(seed);
        ASSERT_EQ(p.status, chm_ok) << seed << "\n" << p.faults;
        std::vector<uint32_t> next = lines_of(p);
        bool full = p.source.get()->lookahead == chm_lookahead_full;
        for (uint32_t seq = 0; seq < p.workload.operation_count; ++seq) {
            const chm_facts& facts = p.workload.facts[seq];
            if (!p.workload.has_descriptor[seq] || p.operation(seq).kind == chm_operation_wait) {
                EXPECT_EQ(facts.next_seq, CHM_NONE);
                continue;
            }
            ASSERT_EQ(facts.next_seq, full ? next[seq] : CHM_NONE) << seed << " " << seq;
            ASSERT_EQ(facts.next_unknown, !full);
            ASSERT_EQ(facts.needed_by, brute_needed_by(p, seq, next[seq])) << seed << " " << seq;
            if (facts.next_seq != CHM_NONE) {
                ASSERT_EQ(facts.next_distance, p.distance(seq, next[seq])) << seed << " " << seq;
            }
            for (uint32_t r = 0; r < facts.reader_count; ++r) {
                const chm_reader& reader = p.workload.tables.readers[facts.first_reader + r];
                ASSERT_EQ(reader.value, p.operation(seq).result);
                ASSERT_EQ(reader.distance, p.distance(seq, reader.seq)) << seed << " " << seq;
            }
        }
    }
}

// All dies that take part queue a descriptor; the members of a possible run are queued on the same
// dies, and a wait that may find it open is a fence on all of them.
TEST(random_program, domains_hold_everybody_who_must_decide_alike) {
    uint64_t linked = 0, fences = 0;
    for (uint64_t seed = 0; seed < programs; ++seed) {
        driven p(seed);
        ASSERT_EQ(p.status, chm_ok) << seed;
        uint64_t observers = 0;
        std::vector<std::set<uint32_t>> domains;
        for (uint32_t seq = 0; seq < p.workload.operation_count; ++seq) {
            domains.push_back(p.domain(seq));
            std::set<uint32_t> group = p.group(seq);
            if (p.workload.has_descriptor[seq] && p.operation(seq).kind != chm_operation_wait) {
                ASSERT_TRUE(std::includes(domains[seq].begin(), domains[seq].end(), group.begin(),
                                          group.end()))
                    << seed << " " << seq;
            }
            observers += static_cast<uint64_t>(
                std::count_if(domains[seq].begin(), domains[seq].end(),
                              [&](uint32_t die) { return group.count(die) == 0; }));
        }
        ASSERT_EQ(observers, p.workload.observers) << seed;
        for (uint32_t a = 0; a < p.workload.operation_count; ++a) {
            uint32_t b = p.workload.facts[a].next_seq;
            if (b == CHM_NONE || p.workload.facts[a].next_distance >= window_of(p, a)) {
                continue;
            }
            ++linked;
            ASSERT_EQ(domains[a], domains[b]) << seed << " " << a;
            for (uint32_t w = a + 1; w < b; ++w) {
                std::set<uint32_t> waiting = p.group(w);
                std::set<uint32_t> members = p.group(a);
                bool meets = std::any_of(waiting.begin(), waiting.end(),
                                         [&](uint32_t die) { return members.count(die) != 0; });
                if (p.operation(w).kind == chm_operation_wait && meets) {
                    ++fences;
                    ASSERT_TRUE(std::includes(domains[w].begin(), domains[w].end(),
                                              domains[a].begin(), domains[a].end()))
                        << seed << " " << w;
                }
            }
        }
    }
    EXPECT_GT(linked, programs);
    EXPECT_GT(fences, programs / 10);
}

TEST(random_program, streams_are_in_order_and_complete) {
    for (uint64_t seed = 0; seed < programs; ++seed) {
        driven p(seed);
        ASSERT_EQ(p.status, chm_ok) << seed;
        std::vector<std::set<uint32_t>> computed(p.workload.operation_count);
        for (uint32_t die = 0; die < p.workload.dies; ++die) {
            const chm_die_stream& stream = p.workload.streams[die];
            for (uint32_t i = 0; i < stream.count; ++i) {
                const chm_stream_entry& entry = stream.entries[i];
                if (i > 0) {
                    const chm_stream_entry& before = stream.entries[i - 1];
                    bool fenced = before.seq == entry.seq && before.kind == chm_stream_descriptor &&
                                  entry.kind == chm_stream_wait;
                    ASSERT_TRUE(before.seq < entry.seq || fenced) << seed;
                }
                if (entry.kind != chm_stream_descriptor) {
                    computed[entry.seq].insert(die);
                }
            }
        }
        for (uint32_t seq = 0; seq < p.workload.operation_count; ++seq) {
            bool runs =
                p.operation(seq).kind == chm_operation_wait || !p.workload.has_descriptor[seq];
            ASSERT_EQ(computed[seq], runs ? p.group(seq) : std::set<uint32_t>{}) << seed;
        }
    }
}

TEST(random_program, all_dies_decide_alike_and_everything_completes) {
    uint64_t fused = 0;
    for (uint64_t seed = 0; seed < programs; ++seed) {
        driven p(seed);
        ASSERT_EQ(p.status, chm_ok) << seed;
        for (auto order : {abstract_machine::compute_order::in_order,
                           abstract_machine::compute_order::as_ready}) {
            abstract_machine machine(p.workload, seed, order);
            ASSERT_EQ(machine.run(), "") << seed;
            fused += machine.fused_runs();
        }
    }
    EXPECT_GT(fused, 4 * programs);
}
