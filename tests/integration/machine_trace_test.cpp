// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <regex>
#include <set>
#include <unistd.h>

#include "tests/support/machine_run.h"
#include "tests/support/vcd_file.h"

namespace {

using chimera::test::driven_program;
using chimera::test::machine_run;
using chimera::test::vcd_file;
using namespace chimera;

// A program on a platform, traced.
struct traced_run {
    traced_run(const std::string& platform, const std::string& program,
               const trace::trace_request& request, const test::settings& set = {},
               bool data = false)
        : driven(platform, program, machine_run::program_options(8, 65536)) {
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        const chm_origin origin = {"test", 0, 0};
        for (const auto& [key, value] : set) {
            chm_parameters_set(&driven.platform->parameters, key, value, &origin, &diagnostics);
        }
        die::machine_options options;
        options.data = data;
        machine = std::make_unique<die::machine>(
            driven.platform->topology, driven.platform->parameters, driven.workload, options);
        status = machine->start_trace(request, &diagnostics);
        text = chm_diagnostics_text(&diagnostics);
        chm_diagnostics_free(&diagnostics);
    }

    void finish() {
        ASSERT_EQ(status, chm_ok) << text;
        const kernel::run_result result = machine->run();
        ASSERT_EQ(result.status, chm_ok) << result.text;
        ASSERT_TRUE(machine->stop_trace());
        EXPECT_EQ(machine->trace_late(), 0u);
    }

    driven_program driven;
    std::unique_ptr<die::machine> machine;
    chm_status status = chm_ok;
    std::string text;
};

std::string path_of(const char* name) {
    return testing::TempDir() + "chimera_trace_" + std::to_string(getpid()) + "_" + name;
}

trace::trace_request vcd_request(const char* name) {
    trace::trace_request request;
    request.vcd = path_of(name);
    return request;
}

const char* const programs[] = {"tp_sp", "tp_pp", "tp_ep", "pp_ep", "sp_pp", "sp_ep", "sp_pp_full"};

TEST(machine_trace, takes_the_same_cycles_at_both_fidelities) {
    for (const char* fidelity : {"at", "lt"}) {
        for (const char* program : programs) {
            const test::settings set = {{"fidelity", fidelity}};
            const machine_run plain("torus_4x4", program, 8, 65536, {}, set);
            const trace::trace_request request = vcd_request("same.vcd");
            traced_run traced("torus_4x4", program, request, set);
            traced.finish();
            EXPECT_EQ(traced.machine->statistics().cycles, plain.statistics.cycles)
                << program << " " << fidelity;
            EXPECT_EQ(traced.machine->statistics().kernel_activations,
                      plain.statistics.kernel_activations);
            const vcd_file file(request.vcd);
            EXPECT_TRUE(file.faults.empty()) << file.faults.front();
            EXPECT_EQ(file.times.back(), plain.machine->now_ps()) << program << " " << fidelity;
            std::remove(request.vcd.c_str());
        }
    }
}

} // namespace
