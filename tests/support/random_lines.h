// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/table_builder.h"

namespace chimera::test {

// A random common list with its facts, and which die queues which descriptor: value lines over
// overlapping groups, markers of all classes, waits, side readers, several window depths. The facts
// and domains are worked out here by their definitions (a driver of its own, no shared code).
class random_lines {
public:
    random_lines(uint64_t seed, uint32_t dies, uint32_t operations);

    const chm_tables* tables() { return m_build.tables(); }
    const std::vector<chm_descriptor>& list() const { return m_list; }
    // The die queues the operation, as member or observer.
    bool queued(uint32_t die, size_t operation) const { return m_queued[operation] >> die & 1; }
    // The die takes part in the operation.
    bool member(uint32_t die, size_t operation) const { return m_groups[operation] >> die & 1; }

private:
    struct place { // one group with the layouts that lines may be in
        uint32_t partial, replicate, tokens, width, copies, addends, communicator;
        uint64_t dies;
    };

    struct line {
        size_t at;                      // place
        uint32_t layout;                // of the value now
        uint32_t value;                 // now
        std::vector<size_t> operations; // on the line
    };

    uint64_t draw(uint64_t below);
    void make_places();
    void make_operations(uint32_t count);
    void extend_line(size_t line);
    void add_fence();
    void put_marker(size_t line, const place& here);
    void put_collective(size_t line);
    void choose_collective(line& l, const place& from, chm_descriptor& d);
    void hand_over(line& l, const place& from, chm_descriptor& d);
    uint32_t add_value(uint32_t layout, uint32_t producer);
    void put_facts();
    void put_readers(size_t operation);
    uint32_t distance(size_t from, size_t to) const;
    void queue_domains();
    void queue_fences();

    table_builder m_build;
    uint64_t m_seed;
    uint64_t m_drawn = 0;
    uint32_t m_dies;
    uint32_t m_tensor;
    uint32_t m_routing;
    std::vector<place> m_places;
    std::vector<line> m_lines;
    std::vector<chm_descriptor> m_list;
    std::vector<uint64_t> m_groups; // dies that take part, per operation
    std::vector<uint64_t> m_queued; // dies that queue it
};

} // namespace chimera::test
