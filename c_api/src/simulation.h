// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "c_api/include/chimera.h"
#include "c_api/src/result_report.h"
#include "hw/base/arena.h"
#include "hw/die/machine.h"
#include "hw/golden/bound/bound.h"
#include "hw/golden/fusion/workload.h"
#include "traces/graph.h"

struct chm_simulation {
    chm_simulation() { chm_arena_init(&arena); }
    ~chm_simulation() {
        chm_graph_file_discard(record);
        machine.reset(); // uses what the arena owns
        chm_arena_free(&arena);
    }
    chm_simulation(const chm_simulation&) = delete;
    chm_simulation& operator=(const chm_simulation&) = delete;

    const chm_platform* platform = nullptr;
    const chm_program* program = nullptr;
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    chm_arena arena{};
    chm_workload workload{};
    chm_bound bound{};
    std::unique_ptr<chimera::die::machine> machine;
    chm_graph_file* record = nullptr; // to be written at the end
    uint64_t reached_ps = 0;          // nothing that is due until then is left to do
};

namespace chimera::c_api {

// The whole program was executed: not stopped before, and not by a fault.
bool has_ended(const chm_simulation& simulation);
chm_run_header header_of(const chm_simulation& simulation);
chm_result result_of(const chm_simulation& simulation);
chm_die_counters counters_of(const chm_simulation& simulation,
                             const die::machine_statistics& statistics, uint32_t die);

} // namespace chimera::c_api
