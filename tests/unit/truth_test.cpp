// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "hw/golden/truth/truth.h"
#include "tests/support/layouts.h"

namespace {

using namespace chimera::test;

// The line of an expert program: x (addends) -A-R-> y -norm-> n -A2A-> e -expert-> f (weighted
// addends) -combine-> z, and out = activation(z, residual).
class expert_line {
public:
    enum { x, y, n, e, f, z, residual, out, value_count };
    enum { all_reduce, norm, dispatch, expert, combine, activation, operation_count };

    explicit expert_line(uint32_t addends = 4, bool routed = true, uint64_t width = 8)
        : m_addends({addends}, {partial()}), m_copies({addends}, {replicate()}),
          m_experts({4}, {routed_copy()}), m_back({4}, {routed_partial()}) {
        m_tensor = {24, width, 4};
        m_layouts = {*m_addends, *m_copies, *m_experts, *m_back};
        const uint32_t layout[] = {0, 1, 1, 2, 3, 1, 1, 1};
        const uint32_t producer[] = {CHM_NONE, all_reduce, norm,     dispatch,
                                     expert,   combine,    CHM_NONE, activation};
        for (uint32_t v = 0; v < value_count; ++v) {
            const bool has_routing = routed && (v == e || v == f);
            m_values.push_back({"value", 0, has_routing ? 0 : CHM_NONE, layout[v], v, producer[v]});
        }
        add(chm_operation_collective, chm_class_opaque, {x}, y);
        add(chm_operation_compute, chm_class_row_wise, {y}, n);
        add(chm_operation_collective, chm_class_opaque, {n}, e);
        add(chm_operation_compute, chm_class_opaque, {e}, f);
        add(chm_operation_collective, chm_class_opaque, {f}, z);
        add(chm_operation_compute, chm_class_element_wise, {z, residual}, out);
        chm_tables& tables = m_workload.tables;
        tables.tensors = &m_tensor;
        tables.tensor_count = 1;
        tables.layouts = m_layouts.data();
        tables.layout_count = 4;
        tables.routings = &routing;
        tables.routing_count = routed;
        tables.values = m_values.data();
        tables.value_count = routed ? value_count : y + 1;
        m_workload.operations = m_operations.data();
        m_workload.operation_count = routed ? operation_count : norm;
    }
    expert_line(const expert_line&) = delete;
    ~expert_line() { chm_truth_free(m_truth); }

    const chm_truth* truth(uint64_t seed = 1, bool random_floats = false) {
        chm_truth_free(m_truth);
        EXPECT_EQ(create(seed, random_floats), chm_ok);
        return m_truth;
    }
    chm_status create(uint64_t seed, bool random_floats) {
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        chm_status status =
            chm_truth_create(&m_truth, &m_workload, seed, random_floats, &diagnostics);
        EXPECT_EQ(status == chm_ok, diagnostics.errors == 0);
        chm_diagnostics_free(&diagnostics);
        return status;
    }
    std::vector<float> row(uint32_t value, uint64_t token) const {
        const float* from = chm_truth_row(m_truth, value, token);
        return {from, from + m_tensor.width};
    }
    std::vector<float> addend(uint32_t value, uint32_t a, uint32_t of, uint64_t token) const {
        std::vector<float> result(m_tensor.width);
        chm_truth_input(m_truth, value, a, of, token, 0, m_tensor.width, result.data());
        return result;
    }
    const chm_operation& operation(uint32_t seq) const { return m_operations[seq]; }

    chm_tensor m_tensor;
    chm_routing routing = {2, 4, 0.3, 11};

private:
    void add(chm_operation_kind kind, chm_operation_class op_class, std::vector<uint32_t> operands,
             uint32_t result) {
        chm_operation operation = {};
        operation.seq = static_cast<uint32_t>(m_operations.size());
        operation.kind = kind;
        operation.op_class = op_class;
        for (uint32_t operand : operands) {
            operation.operands[operation.operand_count++] = {operand, m_values[operand].layout};
        }
        operation.result = result;
        m_operations.push_back(operation);
    }

    built_layout m_addends, m_copies, m_experts, m_back;
    std::vector<chm_layout> m_layouts;
    std::vector<chm_value> m_values;
    std::vector<chm_operation> m_operations;
    chm_workload m_workload = {};
    chm_truth* m_truth = nullptr;
};

bool whole_and_small(float value) {
    return value >= 1 && value < 16777216 && value == std::floor(value);
}

} // namespace

TEST(truth, addends_are_different_integers_with_exact_sums) {
    for (uint32_t addends : {1u, 2u, 3u, 4u, 7u, 64u, 2048u}) {
        expert_line line(addends, false);
        line.truth();
        for (uint64_t token = 0; token < 24; ++token) {
            std::vector<double> sum(8, 0);
            std::vector<std::set<float>> seen(8);
            for (uint32_t a = addends; a-- > 0;) { // any order: the sums are exact
                const auto part = line.addend(expert_line::x, a, addends, token);
                for (size_t c = 0; c < 8; ++c) {
                    EXPECT_TRUE(whole_and_small(part[c]));
                    EXPECT_TRUE(seen[c].insert(part[c]).second);
                    sum[c] += part[c];
                }
            }
            const auto row = line.row(expert_line::x, token);
            for (size_t c = 0; c < 8; ++c) {
                EXPECT_LT(sum[c], 16777216);
                EXPECT_EQ(row[c], sum[c]);
            }
            EXPECT_EQ(line.row(expert_line::y, token), row); // a collective changes nothing
        }
    }
}

TEST(truth, elements_of_a_value_are_all_different) {
    expert_line line(1, false, 1000); // 24,000 of 2^22
    line.truth();
    std::set<float> seen;
    for (uint64_t token = 0; token < 24; ++token) {
        for (float element : line.row(expert_line::x, token)) {
            EXPECT_TRUE(seen.insert(element).second);
        }
    }
}

TEST(truth, every_row_of_a_line_carries_its_route_code) {
    for (bool random_floats : {false, true}) {
        expert_line line;
        line.truth(1, random_floats);
        for (uint64_t token = 0; token < 24; ++token) {
            uint32_t expected[chm_max_top_k];
            uint32_t got[chm_max_top_k];
            const uint32_t count = chm_routing_targets(&line.routing, token, expected);
            for (uint32_t value = 0; value < expert_line::value_count; ++value) {
                const auto row = line.row(value, token);
                ASSERT_EQ(chm_truth_gate(&line.routing, row.data(), got), count);
                EXPECT_TRUE(std::equal(got, got + count, expected)) << value << " " << token;
                EXPECT_TRUE(whole_and_small(row[0]));
            }
            float sum = 0;
            for (uint32_t a = 0; a < 4; ++a) {
                sum += line.addend(expert_line::x, a, 4, token)[0];
            }
            EXPECT_EQ(sum, line.row(expert_line::x, token)[0]);
        }
    }
}

TEST(truth, computes_follow_the_line) {
    expert_line line;
    const chm_truth* truth = line.truth();
    std::vector<float> got(8);
    for (uint64_t token = 0; token < 24; ++token) {
        const auto y = line.row(expert_line::y, token);
        chm_truth_compute(&line.operation(expert_line::norm), y.data(), 8, 0, 8, got.data());
        EXPECT_EQ(got, line.row(expert_line::n, token));
        EXPECT_NE(got, y);
        EXPECT_EQ(line.row(expert_line::e, token), got);
        // The experts' addends add up to what the expert makes of the row.
        chm_truth_compute(&line.operation(expert_line::expert), got.data(), 8, 0, 8, got.data());
        EXPECT_EQ(line.row(expert_line::f, token), got);
        EXPECT_EQ(line.row(expert_line::z, token), got);
        // The residual is added except to column 0, then the activation applied.
        auto sum = got;
        const auto residual = line.row(expert_line::residual, token);
        for (size_t c = 1; c < 8; ++c) {
            sum[c] += residual[c];
        }
        const chm_operation& activation = line.operation(expert_line::activation);
        std::vector<float> expected(8);
        chm_truth_compute(&activation, sum.data(), 8, 0, 8, expected.data());
        EXPECT_EQ(line.row(expert_line::out, token), expected);
        EXPECT_EQ(chm_truth_apply(truth, &activation, token, got.data(), 8, 2, 5, got.data()),
                  chm_ok);
        EXPECT_TRUE(std::equal(got.begin(), got.begin() + 3, expected.begin() + 2));
        for (float element : expected) {
            EXPECT_TRUE(whole_and_small(element));
        }
    }
}

TEST(truth, classes_depend_on_what_they_may_depend_on) {
    chm_operation operation = {};
    operation.kind = chm_operation_compute;
    operation.seq = 5;
    const std::vector<float> in = {4097, 2, 3, 4};
    std::vector<float> other = in, a(4), b(4);
    other[3] = 5;
    auto both = [&](chm_operation_class op_class) {
        operation.op_class = op_class;
        chm_truth_compute(&operation, in.data(), 4, 0, 4, a.data());
        chm_truth_compute(&operation, other.data(), 4, 0, 4, b.data());
    };
    for (chm_operation_class op_class : {chm_class_element_wise, chm_class_opaque}) {
        both(op_class);
        EXPECT_TRUE(std::equal(a.begin(), a.begin() + 3, b.begin()));
        EXPECT_NE(a[3], b[3]);
        std::vector<float> range(2); // of a width shard, what else stands in the row is not read
        chm_truth_compute(&operation, other.data(), 4, 1, 3, range.data());
        EXPECT_TRUE(std::equal(range.begin(), range.end(), a.begin() + 1));
    }
    both(chm_class_row_wise);
    EXPECT_NE(a[1], b[1]);
    for (chm_operation_class op_class : {chm_class_transparent, chm_class_linear}) {
        both(op_class);
        EXPECT_EQ(a, in);
    }
    both(chm_class_element_wise);
    operation.seq = 6; // another operation is another function
    chm_truth_compute(&operation, in.data(), 4, 0, 4, b.data());
    EXPECT_NE(a, b);
}

TEST(truth, parts_add_up) {
    for (uint32_t parts = 1; parts < 9; ++parts) {
        for (float whole : {1.0f, 2.0f, 4095.0f, 4194304.0f}) {
            float sum = 0;
            for (uint32_t a = 0; a < parts; ++a) {
                sum += chm_truth_part(whole, 3, a, parts);
            }
            EXPECT_EQ(sum, whole);
        }
    }
}

TEST(truth, random_floats_are_summed_in_canonical_order) {
    expert_line line(16);
    line.truth(1, true);
    uint32_t order_matters = 0;
    for (uint64_t token = 0; token < 24; ++token) {
        auto up = line.addend(expert_line::x, 0, 16, token);
        auto down = line.addend(expert_line::x, 15, 16, token);
        for (uint32_t a = 1; a < 16; ++a) {
            const auto next = line.addend(expert_line::x, a, 16, token);
            const auto before = line.addend(expert_line::x, 15 - a, 16, token);
            for (size_t c = 0; c < 8; ++c) {
                EXPECT_TRUE(std::isnormal(next[c]));
                up[c] += next[c];
                down[c] += before[c];
            }
        }
        EXPECT_EQ(line.row(expert_line::x, token), up);
        order_matters += up != down;
    }
    EXPECT_GT(order_matters, 20u);
}

TEST(truth, seed_and_value_change_the_data) {
    expert_line line;
    line.truth(1);
    const auto x = line.row(expert_line::x, 3), residual = line.row(expert_line::residual, 3);
    EXPECT_NE(x, residual);
    line.truth(1);
    EXPECT_EQ(line.row(expert_line::x, 3), x);
    line.truth(2);
    EXPECT_NE(line.row(expert_line::x, 3), x);
}

TEST(truth, refuses_what_it_cannot_make) {
    expert_line halves;
    halves.m_tensor.element_bytes = 2;
    EXPECT_EQ(halves.create(1, false), chm_unsupported);
    expert_line many(2049, false);
    EXPECT_EQ(many.create(1, false), chm_unsupported);
    expert_line wide;
    wide.routing.dies = 2048;
    EXPECT_EQ(wide.create(1, false), chm_unsupported);
}
