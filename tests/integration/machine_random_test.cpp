// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include <gtest/gtest.h>

#include "hw/base/random.h"
#include "hw/die/machine.h"
#include "platforms/platform.h"
#include "tests/support/random_program.h"
#include "traces/driver.h"

using chimera::test::random_program;

namespace {

// A random program on a mesh of 4 x 2 dies, with queue timings drawn from the seed.
struct random_run {
    explicit random_run(uint64_t seed, const chimera::die::machine_options& options,
                        double clock_ghz = 1) {
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
            machine =
                std::make_unique<chimera::die::machine>(topology, parameters, workload, options);
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
    std::unique_ptr<chimera::die::machine> machine;
    chimera::kernel::run_result result;
};

class random_programs : public ::testing::TestWithParam<uint64_t> {};

constexpr uint64_t per_case = 50;

// The members and keys of every die's decisions, as text.
std::string decisions_of(const random_run& run) {
    std::string text;
    for (uint32_t die = 0; die < run.topology.dies; ++die) {
        text += "die " + std::to_string(die) + ":";
        for (const chimera::fusion::decision& made : run.machine->decisions().of(die)) {
            text += " " + std::to_string(made.key) + "{";
            for (uint32_t seq : made.recipe->members()) {
                text += std::to_string(seq) + " ";
            }
            text += "}";
        }
        text += "\n";
    }
    return text;
}

// Every die decides alike (the machine fails if not), everything completes, and all data are equal.
TEST_P(random_programs, decide_alike_and_complete_with_equal_data) {
    for (uint64_t seed = GetParam() * per_case; seed < (GetParam() + 1) * per_case; ++seed) {
        chimera::die::machine_options options;
        options.data = true;
        options.seed = seed;
        const random_run run(seed, options);
        ASSERT_EQ(run.result.status, chm_ok) << "seed " << seed << "\n" << run.result.text;
        EXPECT_EQ(run.machine->data(), chimera::die::data_result::equal)
            << "seed " << seed << "\n"
            << run.machine->first_difference();
        EXPECT_TRUE(run.machine->finished());
        if (seed % 10 == 0) { // other timings, the same decisions
            options.stall_probability = 0.2;
            const random_run stalled(seed, options);
            ASSERT_EQ(stalled.result.status, chm_ok) << stalled.result.text;
            EXPECT_EQ(decisions_of(run), decisions_of(stalled));
            EXPECT_EQ(stalled.machine->data(), chimera::die::data_result::equal);
            options.stall_probability = 0;
            const random_run faster(seed, options, 1.7); // another clock, the same cycles
            EXPECT_EQ(faster.machine->statistics().cycles, run.machine->statistics().cycles);
            EXPECT_LT(faster.machine->statistics().time_ps, run.machine->statistics().time_ps);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, random_programs, ::testing::Range<uint64_t>(0, 20));

} // namespace
