// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/die/machine.h"
#include "tests/support/checked_link.h"
#include "tests/support/driven_program.h"

namespace chimera::test {

using settings = std::vector<std::pair<const char*, const char*>>;

// A program on a shipped platform, as a machine that has run to its end. Breaches of the base
// protocol on a memory-mapped link of any die fail the test when the machine goes.
struct machine_run {
    machine_run(const std::string& platform, const std::string& program, uint64_t window,
                uint64_t message_bytes, const die::machine_options& options = {},
                const settings& set = {})
        : driven(platform, program, program_options(window, message_bytes), settings_of(set)) {
        result = {driven.status, driven.faults};
        if (result.status == chm_ok) {
            die::machine_options checked = options;
            if (!checked.bind) {
                checked.bind = checked_link;
            }
            machine = std::make_unique<die::machine>(
                driven.platform->topology, driven.platform->parameters, driven.workload, checked);
            result = machine->run();
            statistics = machine->statistics();
        }
    }

    static chm_program_options program_options(uint64_t window, uint64_t message_bytes) {
        chm_program_options options = {};
        options.window_depth = window;
        options.message_bytes = message_bytes;
        return options;
    }

    static std::vector<chm_setting> settings_of(const settings& set) {
        std::vector<chm_setting> list;
        for (const auto& [key, value] : set) {
            list.push_back({key, value});
        }
        return list;
    }

    bool equal() const { return machine->data() == die::data_result::equal; }

    driven_program driven;
    kernel::run_result result;
    std::unique_ptr<die::machine> machine;
    die::machine_statistics statistics;
};

} // namespace chimera::test
