// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hw/golden/fusion/fusion.h"
#include "tests/support/table_builder.h"

namespace chimera::test {

// One value's line, written by hand: every operation reads what the one before left and stands one
// descriptor behind it. Facts and readers follow from that; extra readers and
// facts can be put on top.
class value_line {
public:
    value_line(table_builder& build, uint32_t tensor, uint32_t first_seq = 10)
        : m_build(build), m_tensor(tensor), m_next_seq(first_seq) {}

    // Every value from now on has this routing.
    value_line& routed(uint32_t routing) {
        m_routing = routing;
        return *this;
    }

    // The seq of the next operation; without it, one more than the last.
    value_line& at(uint32_t seq) {
        m_next_seq = seq;
        return *this;
    }

    value_line& collective(chm_collective_kind kind, uint32_t in, uint32_t out,
                           uint32_t communicator) {
        chm_descriptor d = start(in, out);
        d.kind = chm_descriptor_collective;
        d.collective = kind;
        d.communicator = communicator;
        d.value_out = m_build.value(m_tensor, out, d.seq, m_routing);
        m_members.push_back(d);
        return *this;
    }

    // Without a layout of its own the result is the operand (a pure reader).
    value_line& compute(chm_operation_class op_class, uint32_t in, uint32_t out = CHM_NONE,
                        const std::vector<uint32_t>& available = {}) {
        chm_descriptor d = start(in, out == CHM_NONE ? in : out);
        d.kind = chm_descriptor_marker;
        d.op_class = op_class;
        d.communicator = CHM_NONE;
        d.value_out = out == CHM_NONE ? d.value_in : m_build.value(m_tensor, out, d.seq, m_routing);
        d.available_count = static_cast<uint32_t>(available.size());
        for (size_t i = 0; i < available.size(); ++i) {
            uint32_t at = m_build.available(available[i]);
            d.first_available = i == 0 ? at : d.first_available;
        }
        m_members.push_back(d);
        return *this;
    }

    // One more reader of what member `index` leaves.
    value_line& read(size_t index, uint32_t layout, uint32_t distance = 1, uint32_t seq = 1000) {
        m_extra.push_back({index, {0, layout, seq, distance}});
        return *this;
    }

    // The descriptors with facts; call once, when the line is complete.
    std::vector<chm_descriptor>& finish() {
        for (size_t i = 0; i < m_members.size(); ++i) {
            chm_descriptor& d = m_members[i];
            bool has_next = i + 1 < m_members.size();
            d.facts.next_seq = has_next ? m_members[i + 1].seq : CHM_NONE;
            d.facts.next_distance = has_next ? 1 : 0;
            d.facts.needed_by = CHM_NONE;
            list_readers(i);
        }
        return m_members;
    }

private:
    struct extra_reader {
        size_t member;
        chm_reader reader;
    };

    chm_descriptor start(uint32_t in, uint32_t out) {
        chm_descriptor d{};
        d.seq = m_next_seq++;
        d.value_in = m_members.empty() ? m_build.value(m_tensor, in, CHM_NONE, m_routing)
                                       : m_members.back().value_out;
        d.layout_in = in;
        d.layout_out = out;
        d.waiting_die = CHM_NONE;
        return d;
    }

    void list_readers(size_t member) {
        chm_descriptor& d = m_members[member];
        bool pass_through = member > 0 && d.value_out == d.value_in;
        if (pass_through) {
            return; // listed at the producer
        }
        uint32_t count = 0;
        auto add = [&](uint32_t layout, uint32_t seq, uint32_t distance) {
            uint32_t at = m_build.reader(d.value_out, layout, seq, distance);
            d.facts.first_reader = count++ == 0 ? at : d.facts.first_reader;
        };
        for (size_t j = member + 1; j < m_members.size(); ++j) {
            if (m_members[j].value_in == d.value_out) {
                add(m_members[j].layout_in, m_members[j].seq, static_cast<uint32_t>(j - member));
            }
        }
        for (const extra_reader& e : m_extra) {
            if (e.member == member) {
                add(e.reader.layout, e.reader.seq, e.reader.distance);
            }
        }
        d.facts.reader_count = count;
    }

    table_builder& m_build;
    uint32_t m_tensor;
    uint32_t m_next_seq;
    uint32_t m_routing = CHM_NONE;
    std::vector<chm_descriptor> m_members;
    std::vector<extra_reader> m_extra;
};

// Joins from the front of `line` as far as the rules allow; *rule says why it ended there
// (chm_join_not_next: the line ended).
inline chm_run run_of(const chm_tables* tables, const std::vector<chm_descriptor>& line,
                      chm_join* rule, size_t begin = 0) {
    chm_run run;
    chm_run_start(&run, &line[begin]);
    *rule = chm_join_not_next;
    for (size_t i = begin + 1; i < line.size(); ++i) {
        *rule = chm_run_may_join(tables, &run, &line[i]);
        if (*rule != chm_join_yes) {
            return run;
        }
        chm_run_append(tables, &run, &line[i]);
        *rule = chm_join_not_next;
    }
    return run;
}

} // namespace chimera::test
