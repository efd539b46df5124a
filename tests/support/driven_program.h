// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/platform.h"
#include "traces/driver.h"

namespace chimera::test {

// A program placed on a platform and driven; owns all of it. `faults` is empty when all went well.
class driven_program {
public:
    // `program` is the name of a file below traces/ without ".yaml", or the text of a program if it
    // has a line break. `platform` is the name of a shipped platform, read with the settings.
    driven_program(const std::string& platform, const std::string& program,
                   const chm_program_options& options = {},
                   const std::vector<chm_setting>& settings = {});
    ~driven_program();
    driven_program(const driven_program&) = delete;
    driven_program& operator=(const driven_program&) = delete;

    chm_platform_description* platform = nullptr;
    chm_program* program = nullptr;
    chm_workload workload{};
    chm_status status = chm_ok;
    std::string faults;

    const chm_facts& facts(uint32_t seq) const { return workload.facts[seq]; }
    const chm_operation& operation(uint32_t seq) const { return workload.operations[seq]; }

    // Dies whose stream has the descriptor of `seq`, ascending.
    std::vector<uint32_t> queued_on(uint32_t seq) const;
    // Dies of the mesh of an operation's first operand (its result).
    std::vector<uint32_t> dies_in(uint32_t seq) const;
    std::vector<uint32_t> dies_out(uint32_t seq) const;
    // "0D 1D 2C": what a die's stream has, D descriptor, C compute, W wait.
    std::string stream(uint32_t die) const;

private:
    chm_arena m_arena{};
};

} // namespace chimera::test
