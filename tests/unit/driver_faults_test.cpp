// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/random_program.h"
#include "traces/driver.h"

// What the driver refuses of programs that no file reader has looked at: a sound one is damaged.

using chimera::test::random_program;

namespace {

class damaged {
public:
    damaged() : m_source(7), m_program(*m_source.get()) {
        m_operations.assign(m_program.operations, m_program.operations + m_program.operation_count);
        const chm_tables& tables = m_program.tables;
        values.assign(tables.values, tables.values + tables.value_count);
        m_program.operations = m_operations.data();
        m_program.tables.values = values.data();
    }

    // The first operation of a kind.
    chm_operation& first(chm_operation_kind kind) {
        for (chm_operation& operation : m_operations) {
            if (operation.kind == kind) {
                return operation;
            }
        }
        ADD_FAILURE() << "no operation of kind " << kind;
        return m_operations[0];
    }

    void expect(chm_status status, const std::string& message, uint32_t dies = 8) {
        chm_diagnostics diagnostics;
        chm_arena arena;
        chm_workload workload{};
        chm_diagnostics_init(&diagnostics);
        chm_arena_init(&arena);
        EXPECT_EQ(chm_drive(&m_program, dies, &arena, &workload, &diagnostics), status);
        std::string text = chm_diagnostics_text(&diagnostics);
        EXPECT_NE(text.find(message), std::string::npos) << message << "\n" << text;
        chm_arena_free(&arena);
        chm_diagnostics_free(&diagnostics);
    }

    std::vector<chm_value> values;

private:
    random_program m_source;
    chm_program m_program;
    std::vector<chm_operation> m_operations;
};

} // namespace

TEST(driver_faults, the_undamaged_program_is_sound) {
    damaged().expect(chm_ok, "");
}

TEST(driver_faults, operands_and_results) {
    using damage = std::function<void(damaged&)>;
    const std::pair<damage, const char*> cases[] = {
        {[](damaged& p) { p.first(chm_operation_collective).operands[0].value = 1u << 20; },
         "an operand is undefined"},
        {[](damaged& p) { p.first(chm_operation_compute).operands[0].layout = CHM_NONE; },
         "an operand is undefined"},
        {[](damaged& p) {
             chm_operation& o = p.first(chm_operation_collective);
             o.operands[0].value = o.result; // reads what it writes
         },
         "(a cycle)"},
        {[](damaged& p) { p.first(chm_operation_collective).operand_count = 2; },
         "wrong number of operands"},
        {[](damaged& p) { p.first(chm_operation_collective).result = CHM_NONE; },
         "a collective writes a value"},
        {[](damaged& p) { p.first(chm_operation_collective).communicator = CHM_NONE; },
         "it has no communicator"},
        {[](damaged& p) { p.first(chm_operation_collective).result = 0; },
         "its result is written twice"}, // an input
        {[](damaged& p) { p.values[0].buffer = 1u << 24; }, "allowed: 0 .. 16777215"},
    };
    for (const auto& [harm, message] : cases) {
        damaged p;
        harm(p);
        p.expect(chm_bad_input, message);
    }
}

TEST(driver_faults, dies_that_are_not_there) {
    damaged().expect(chm_bad_input, "there are 2 dies", 2);
}

TEST(driver_faults, inputs_in_one_buffer) {
    damaged p;
    std::vector<chm_value*> inputs;
    for (chm_value& value : p.values) {
        if (value.producer == CHM_NONE) {
            inputs.push_back(&value);
        }
    }
    ASSERT_GE(inputs.size(), 2u);
    inputs[1]->buffer = inputs[0]->buffer;
    p.expect(chm_bad_input, "are in one buffer");
}
