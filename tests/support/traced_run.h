// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/support/machine_run.h"

namespace chimera::test {

// A program on a shipped platform, traced from the start; its files go with it.
struct traced_run {
    traced_run(const std::string& platform, const std::string& program, trace::trace_request asked,
               const settings& set = {}, const die::machine_options& options = {})
        : driven(platform, program, machine_run::program_options(8, 65536)),
          request(std::move(asked)) {
        if (driven.status != chm_ok) {
            text = driven.faults;
            return;
        }
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        const chm_origin origin = {"test", 0, 0};
        for (const auto& [key, value] : set) {
            chm_parameters_set(&driven.platform->parameters, key, value, &origin, &diagnostics);
        }
        driven.platform->topology.clock_ghz = driven.platform->parameters.fabric.clock_ghz;
        machine = std::make_unique<die::machine>(
            driven.platform->topology, driven.platform->parameters, driven.workload, options);
        status = machine->start_trace(request, &diagnostics);
        text = chm_diagnostics_text(&diagnostics);
        chm_diagnostics_free(&diagnostics);
    }
    ~traced_run() {
        for (const std::string& path : request.files()) {
            std::remove(path.c_str());
        }
    }
    traced_run(const traced_run&) = delete;
    traced_run& operator=(const traced_run&) = delete;

    void run(uint64_t until_ps = UINT64_MAX) {
        ASSERT_EQ(status, chm_ok) << text;
        const kernel::run_result result = machine->run(until_ps);
        ASSERT_EQ(result.status, chm_ok) << result.text;
    }
    void stop() {
        ASSERT_TRUE(machine->stop_trace());
        EXPECT_EQ(machine->trace_late(), 0u); // everything could be put where it belongs
    }
    void finish() {
        run();
        stop();
    }

    driven_program driven;
    trace::trace_request request;
    std::unique_ptr<die::machine> machine;
    chm_status status = chm_bad_input;
    std::string text;
};

// A path of this process's own.
inline std::string trace_path(const std::string& name) {
    return testing::TempDir() + "chimera_" + std::to_string(getpid()) + "_" + name;
}

inline trace::trace_request vcd_request(const std::string& name) {
    trace::trace_request request;
    request.vcd = trace_path(name + ".vcd");
    return request;
}

} // namespace chimera::test
