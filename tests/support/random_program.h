// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "traces/program.h"

namespace chimera::test {

// A random program: overlapping groups of 2 to 4 dies, lines of collectives and movable operations,
// opaque operations, experts and their way back, linear joins, values with several readers,
// hand-overs, waits, shared buffers, communicators with windows of their own, an idle die, drivers
// that do not look ahead. The body is repeated with two buffers for each value. It is valid by
// construction, the same for the same seed, and small (1 KiB tensors unless asked otherwise).
class random_program {
public:
    struct options {
        uint32_t dies = 8;        // of the platform, 5 .. 64; one of them is idle
        uint32_t iterations = 4;  // of the body
        uint32_t operations = 10; // about so many in the body
        uint64_t tokens = 16;     // of every tensor
        uint64_t width = 16;
    };

    explicit random_program(uint64_t seed) : random_program(seed, options()) {}
    random_program(uint64_t seed, const options& asked);

    // Points into this object.
    const chm_program* get() const { return &m_program; }
    uint32_t idle_die() const { return m_idle; }

private:
    // How a value lies in its group; the layouts of a group follow one another in this order.
    enum form { partial, rows, columns, complete, routed, weighted, forms };

    struct value_template {
        std::string name;
        size_t group;
        form as;
        uint32_t buffer; // of the two per value, counted in pairs
        bool is_input;
    };
    struct read_template {
        size_t value;
        form as;
    };
    struct operation_template {
        chm_operation operation; // all but operands, result, seq
        std::vector<read_template> reads;
        size_t result; // none: no value
    };
    static constexpr size_t none = SIZE_MAX;

    uint64_t draw(uint64_t below);
    bool chance(uint64_t percent) { return draw(100) < percent; }
    uint32_t layout_of(size_t group, form as) const {
        return static_cast<uint32_t>(group * forms + as);
    }

    void make_groups();
    void make_layouts();
    void make_body();
    void close_body();
    void unroll();
    void fill_program();

    size_t add_value(size_t group, form as, bool is_input, const std::vector<read_template>& reads);
    uint32_t communicator(size_t from, size_t to);
    size_t pick_live();
    void retire(size_t value);
    void start_line();
    void extend(size_t value);
    void extend_with(size_t value, form read_as, chm_collective_kind kind, size_t group, form as);
    void hand_over(size_t value);
    void dispatch(size_t value);
    size_t put_movable(size_t value, form as, chm_operation_class op_class);
    void put_opaque(size_t value);
    void put_join(size_t value);
    void put_wait(size_t value);
    void add_side_operands(std::vector<read_template>& reads, form as);

    uint64_t m_seed;
    uint64_t m_drawn = 0;
    options m_asked;
    uint32_t m_idle = 0;
    uint32_t m_routed_size = 0;

    std::deque<std::string> m_names; // stable addresses
    std::vector<std::vector<uint32_t>> m_groups;
    std::vector<value_template> m_value_templates;
    std::vector<operation_template> m_body;
    std::vector<size_t> m_live;  // values that may be read again
    std::vector<size_t> m_freed; // retired: their buffers may be used by another value

    chm_tensor m_tensor{};
    chm_routing m_routing{};
    std::vector<chm_layout> m_layouts;
    std::vector<chm_communicator> m_communicators;
    std::vector<chm_value> m_values;
    std::vector<chm_operation> m_operations;
    chm_program m_program{};
};

} // namespace chimera::test
