// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/die/machine.h"
#include "platforms/platform.h"
#include "tests/support/checked_link.h"
#include "tests/support/random_program.h"
#include "traces/driver.h"

namespace chimera::test {

// A random program on a mesh of 4 x 2 dies, with queue timings drawn from the seed.
struct random_run {
    explicit random_run(uint64_t seed, const die::machine_options& options, double clock_ghz = 1) {
        chm_arena_init(&arena);
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        chm_parameters_default(&parameters);
        parameters.fabric.clock_ghz = clock_ghz;
        const uint32_t extent[3] = {4, 2, 1};
        EXPECT_EQ(chm_build_mesh(&topology, extent, 2, &parameters.fabric, &arena), chm_ok);
        draw_timings(seed);
        program = std::make_unique<random_program>(seed);
        shorten_ring(seed);
        const chm_status status =
            chm_drive(program->get(), topology.dies, &arena, &workload, &diagnostics);
        result = {status, chm_diagnostics_text(&diagnostics)};
        chm_diagnostics_free(&diagnostics);
        if (status == chm_ok) {
            die::machine_options checked = options;
            if (!checked.bind) {
                checked.bind = checked_link;
            }
            machine = std::make_unique<die::machine>(topology, parameters, workload, checked);
            result = machine->run();
        }
    }
    ~random_run() {
        machine.reset();
        chm_arena_free(&arena);
    }

    // Every other program has the shortest ring that its windows allow.
    void shorten_ring(uint64_t seed) {
        uint64_t window = 1;
        const chm_tables& tables = program->get()->tables;
        for (uint32_t i = 0; i < tables.communicator_count; ++i) {
            window = std::max<uint64_t>(window, tables.communicators[i].window_depth);
        }
        parameters.engine.ring_entries = seed % 2 == 0 ? 64 : window + 2;
    }

    void draw_timings(uint64_t seed) {
        uint64_t drawn = 0;
        auto draw = [&](uint64_t below) { return chm_hash3(seed, 77, ++drawn) % below; };
        parameters.engine.enqueue_cycles_per_descriptor = draw(3) * draw(200);
        parameters.engine.fetch_latency_cycles = draw(100);
        parameters.engine.fuse_cycles_per_pair = draw(20);
        parameters.engine.gating_on_compute = draw(2) != 0;
        parameters.dma.channels = 1 + draw(4);
        parameters.dma.setup_cycles = draw(30);
        parameters.dma.per_destination = draw(2) != 0;
        parameters.dma.reduce_overlapped = draw(2) != 0;
        parameters.engine.staging_bytes = uint64_t{192} << draw(10);
        parameters.memory.bandwidth_bytes_per_cycle = draw(2) * (1 + draw(64));
    }

    chm_arena arena;
    chm_topology topology{};
    chm_parameters parameters{};
    chm_workload workload{};
    std::unique_ptr<random_program> program;
    std::unique_ptr<die::machine> machine;
    kernel::run_result result;
};

} // namespace chimera::test
