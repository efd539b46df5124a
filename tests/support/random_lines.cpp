// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_lines.h"

#include <algorithm>

#include "hw/base/random.h"

namespace chimera::test {

namespace {

constexpr uint32_t largest_window = 8;

bool is_opaque(const chm_descriptor& d) {
    return d.kind == chm_descriptor_marker && d.op_class == chm_class_opaque;
}

} // namespace

random_lines::random_lines(uint64_t seed, uint32_t dies, uint32_t operations)
    : m_seed(seed), m_dies(dies) {
    m_tensor = m_build.tensor(12, 12);
    make_places();
    make_operations(operations);
    queue_domains();
    queue_fences();
    put_facts();
}

uint64_t random_lines::draw(uint64_t below) {
    return chm_hash2(m_seed, ++m_drawn) % below;
}

void random_lines::make_places() {
    static const uint32_t depths[] = {1, 2, 4, 8, 8, 8};
    // Hand-overs need equal sizes: all groups have two or three dies.
    uint32_t size = 2 + static_cast<uint32_t>(draw(2));
    m_routing = m_build.routing(1 + static_cast<uint32_t>(draw(2)), size);
    for (uint32_t i = 0; i < 5; ++i) {
        std::vector<uint32_t> dies;
        while (dies.size() < size) {
            uint32_t die = static_cast<uint32_t>(draw(m_dies));
            if (std::find(dies.begin(), dies.end(), die) == dies.end()) {
                dies.push_back(die);
            }
        }
        place p{};
        for (uint32_t die : dies) {
            p.dies |= uint64_t{1} << die;
        }
        p.partial = m_build.layout({{size}, dies}, "P");
        p.copies = m_build.layout({{size}, dies}, "C");
        p.addends = m_build.layout({{size}, dies}, "Q");
        p.replicate = m_build.layout({{size}, dies}, "R");
        p.tokens = m_build.layout({{size}, dies}, "T");
        p.width = m_build.layout({{size}, dies}, "W");
        p.communicator = m_build.communicator(p.replicate, depths[draw(6)]);
        m_places.push_back(p);
    }
}

void random_lines::make_operations(uint32_t count) {
    for (uint32_t i = 0; i < 4; ++i) {
        size_t at = draw(m_places.size());
        uint32_t layout = draw(2) == 0 ? m_places[at].tokens : m_places[at].partial;
        m_lines.push_back({at, layout, add_value(layout, CHM_NONE), {}});
    }
    while (m_list.size() < count) {
        if (draw(8) == 0) {
            add_fence();
        } else {
            extend_line(draw(m_lines.size()));
        }
    }
}

void random_lines::add_fence() {
    const place& p = m_places[draw(m_places.size())];
    chm_descriptor d{};
    d.kind = chm_descriptor_fence;
    d.seq = static_cast<uint32_t>(m_list.size());
    d.communicator = p.communicator;
    d.value_in = d.value_out = d.layout_in = d.layout_out = CHM_NONE;
    d.facts.next_seq = d.facts.needed_by = CHM_NONE;
    d.waiting_die = CHM_NONE;
    uint64_t waiting = p.dies;
    if (draw(3) != 0) { // one rank blocks alone
        uint32_t die = static_cast<uint32_t>(draw(m_dies));
        if (p.dies >> die & 1) {
            d.waiting_die = die;
            waiting = uint64_t{1} << die;
        }
    }
    m_list.push_back(d);
    m_groups.push_back(waiting);
}

uint32_t random_lines::add_value(uint32_t layout, uint32_t producer) {
    return m_build.value(m_tensor, layout, producer, m_routing);
}

void random_lines::extend_line(size_t index) {
    line& l = m_lines[index];
    const place& here = m_places[l.at];
    bool addends = l.layout == here.partial || l.layout == here.addends;
    if (l.layout == here.copies || (!addends && draw(4) == 0)) {
        put_marker(index, here);
    } else {
        put_collective(index);
    }
    l.operations.push_back(m_list.size() - 1);
}

// On routed copies the experts run, an opaque operation that leaves addends.
void random_lines::put_marker(size_t index, const place& here) {
    static const chm_operation_class classes[] = {
        chm_class_transparent,  chm_class_transparent, chm_class_row_wise, chm_class_row_wise,
        chm_class_element_wise, chm_class_linear,      chm_class_opaque};
    line& l = m_lines[index];
    bool experts = l.layout == here.copies;
    chm_descriptor d{};
    d.kind = chm_descriptor_marker;
    d.op_class = experts ? chm_class_opaque : classes[draw(7)];
    d.seq = static_cast<uint32_t>(m_list.size());
    d.communicator = CHM_NONE;
    d.waiting_die = CHM_NONE;
    d.value_in = l.value;
    d.layout_in = l.layout;
    d.layout_out = l.layout = experts ? here.addends : l.layout;
    d.value_out = l.value = add_value(l.layout, d.seq);
    bool computes = !experts && d.op_class != chm_class_opaque;
    if (computes && draw(3) == 0) { // another operand: here mostly, or on a group of its own
        const place& there = draw(8) == 0 ? m_places[draw(m_places.size())] : here;
        const uint32_t layouts[] = {there.tokens, there.tokens, there.width, there.replicate};
        d.first_available = m_build.available(layouts[draw(4)]);
        d.available_count = 1;
    }
    m_list.push_back(d);
    m_groups.push_back(here.dies);
}

void random_lines::hand_over(line& l, const place& from, chm_descriptor& d) {
    l.at = draw(m_places.size());
    const place& to = m_places[l.at];
    bool point_to_point = l.layout == from.partial || draw(3) == 0;
    d.collective = point_to_point ? chm_point_to_point : chm_many_to_many;
    if (point_to_point) {
        d.layout_out = l.layout == from.partial     ? to.partial
                       : l.layout == from.replicate ? to.replicate
                       : l.layout == from.tokens    ? to.tokens
                                                    : to.width;
    } else {
        d.layout_out = draw(2) == 0 ? to.tokens : to.width;
    }
}

void random_lines::choose_collective(line& l, const place& from, chm_descriptor& d) {
    uint32_t axis = draw(2) == 0 ? from.tokens : from.width;
    bool sharded = l.layout == from.tokens || l.layout == from.width;
    if (l.layout == from.addends) { // combine
        d.collective = chm_all_to_all;
        d.layout_out = from.tokens;
    } else if (draw(3) == 0 || l.layout == from.replicate) {
        hand_over(l, from, d);
    } else if (!sharded) {
        bool complete = draw(2) == 0;
        d.collective = complete ? chm_all_reduce : chm_reduce_scatter;
        d.layout_out = complete ? from.replicate : axis;
    } else if (draw(2) == 0) {
        d.collective = chm_all_gather;
        d.layout_out = from.replicate;
    } else {
        d.collective = chm_all_to_all;
        bool dispatch = l.layout == from.tokens && draw(2) == 0;
        d.layout_out = dispatch ? from.copies : l.layout == from.tokens ? from.width : from.tokens;
    }
}

void random_lines::put_collective(size_t index) {
    line& l = m_lines[index];
    const place& from = m_places[l.at];
    chm_descriptor d{};
    d.kind = chm_descriptor_collective;
    d.seq = static_cast<uint32_t>(m_list.size());
    d.communicator = from.communicator;
    d.waiting_die = CHM_NONE;
    d.value_in = l.value;
    // What is replicated may also be taken as a slice.
    d.layout_in = l.layout;
    if (l.layout == from.replicate && draw(2) == 0) {
        d.layout_in = l.layout = from.tokens;
    }
    choose_collective(l, from, d);
    l.layout = d.layout_out;
    d.value_out = l.value = add_value(l.layout, d.seq);
    m_list.push_back(d);
    m_groups.push_back(from.dies | m_places[l.at].dies);
}

// Most descriptors any die of the two groups queues from one to the other.
uint32_t random_lines::distance(size_t from, size_t to) const {
    uint32_t most = 1;
    for (uint32_t die = 0; die < m_dies; ++die) {
        if (((m_groups[from] | m_groups[to]) >> die & 1) == 0) {
            continue;
        }
        uint32_t count = 0;
        for (size_t i = from + 1; i <= to; ++i) {
            count += m_queued[i] >> die & 1;
        }
        most = std::max(most, count);
    }
    return most;
}

// Stretches of a line between opaque operations and gaps of a window are queued on all dies of the
// stretch. Gaps are measured before observers are added: they only grow.
void random_lines::queue_domains() {
    m_queued = m_groups;
    std::vector<uint64_t> queued = m_groups;
    for (const line& l : m_lines) {
        for (size_t begin = 0; begin < l.operations.size();) {
            size_t end = begin + 1;
            uint64_t domain = m_groups[l.operations[begin]];
            while (end < l.operations.size() && !is_opaque(m_list[l.operations[end]]) &&
                   !is_opaque(m_list[l.operations[end - 1]]) &&
                   distance(l.operations[end - 1], l.operations[end]) < largest_window) {
                domain |= m_groups[l.operations[end++]];
            }
            for (size_t i = begin; i < end; ++i) {
                queued[l.operations[i]] |= domain;
            }
            begin = end;
        }
    }
    m_queued = queued;
}

// A fence goes to the whole domain of every line that is open there and has had a member whose
// group the waiting die is in. Where the driver cannot look ahead, the end of a line stays open for
// a window more.
void random_lines::queue_fences() {
    for (size_t f = 0; f < m_list.size(); ++f) {
        if (m_list[f].kind != chm_descriptor_fence) {
            continue;
        }
        for (const line& l : m_lines) {
            uint64_t before = 0, domain = 0;
            bool open = false;
            for (size_t operation : l.operations) {
                before |= operation < f ? m_groups[operation] : 0;
                domain |= operation < f ? m_queued[operation] : 0;
                open |= operation + largest_window > f;
            }
            if (open && (before & m_groups[f]) != 0) {
                m_queued[f] |= domain;
            }
        }
    }
}

void random_lines::put_readers(size_t operation) {
    chm_descriptor& d = m_list[operation];
    uint32_t count = 0;
    auto add = [&](uint32_t layout, uint32_t seq, uint32_t far) {
        uint32_t at = m_build.reader(d.value_out, layout, seq, far);
        d.facts.first_reader = count++ == 0 ? at : d.facts.first_reader;
    };
    if (d.facts.next_seq != CHM_NONE) {
        add(m_list[d.facts.next_seq].layout_in, d.facts.next_seq, d.facts.next_distance);
    }
    if (draw(3) == 0) { // beside the line: on its own dies mostly
        const place* p = &m_places[draw(m_places.size())];
        for (const place& own : m_places) {
            bool here = d.layout_out == own.replicate || d.layout_out == own.tokens;
            p = here && draw(4) != 0 ? &own : p;
        }
        uint32_t layout = draw(3) == 0 ? p->width : p->tokens;
        uint32_t far = 1 + (uint32_t)draw(12);
        add(draw(8) == 0 ? CHM_NONE : layout, d.seq + far, far);
    }
    d.facts.reader_count = count;
    if (draw(12) == 0) { // a driver that cannot look ahead
        d.facts.next_seq = CHM_NONE;
        d.facts.next_distance = 0;
        d.facts.next_unknown = true;
        if (draw(2) == 0) {
            d.facts.readers_unknown = true;
            d.facts.first_reader = d.facts.reader_count = 0;
        }
    }
}

void random_lines::put_facts() {
    for (const line& l : m_lines) {
        for (size_t i = 0; i < l.operations.size(); ++i) {
            size_t at = l.operations[i];
            chm_facts& facts = m_list[at].facts;
            facts.next_seq = CHM_NONE;
            facts.needed_by = draw(6) == 0 ? (uint32_t)at + 1 + (uint32_t)draw(20) : CHM_NONE;
            if (i + 1 < l.operations.size()) {
                facts.next_seq = (uint32_t)l.operations[i + 1];
                facts.next_distance = distance(at, l.operations[i + 1]);
            }
            put_readers(at);
        }
    }
}

} // namespace chimera::test
