/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "chimera.h"
#include "command.h"

static const char* const platforms[] = {"mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"};
static const char* const programs[] = {"tp_sp", "tp_pp", "tp_ep",     "pp_ep",
                                       "sp_pp", "sp_ep", "sp_pp_full"};

static char path[64];

static chm_status run_recorded(const chm_platform* platform, const chm_program* program,
                               const chm_run_options* options, chm_result* result) {
    chm_simulation* simulation = NULL;
    chm_status status = chm_simulation_create(&simulation, platform, program, options);
    if (status == chm_ok) {
        CHECK(!exists(options->record)); /* not before the run has ended */
        status = chm_simulation_run(simulation);
        CHECK(chm_simulation_result(simulation, result) == chm_ok);
        chm_simulation_free(simulation);
    }
    return status;
}

static void check(const chm_platform* platform, const chm_program* program,
                  const chm_run_options* options) {
    chm_result ran = CHM_RESULT_INIT;
    CHECK(run_recorded(platform, program, options, &ran) == chm_ok);
    chm_replay_options same = CHM_REPLAY_OPTIONS_INIT;
    same.seed = options->seed;
    same.stall_probability = options->stall_probability;
    chm_replay_result replayed = CHM_REPLAY_RESULT_INIT;
    CHECK(chm_replay(&replayed, NULL, chm_format_text, platform, path, &same) == chm_ok);
    CHECK(ran.cycles > 0 && replayed.cycles == ran.cycles && replayed.time_ps == ran.time_ps);
    unlink(path);
}

/* Through the file, at a clock whose period is no whole number of picoseconds. */
static void files_replay_to_the_cycle(void) {
    chm_settings* settings = NULL;
    CHECK(chm_settings_create(&settings) == chm_ok);
    CHECK(chm_settings_parse(settings, "message_bytes=12KiB") == chm_ok);
    CHECK(chm_settings_parse(settings, "clock_ghz=1.7") == chm_ok);
    for (int p = 0; p < 4; ++p) {
        chm_platform* platform = NULL;
        CHECK(chm_platform_load(&platform, platforms[p], settings) == chm_ok);
        for (int i = 0; i < 7; ++i) {
            chm_program* program = NULL;
            CHECK(chm_program_load(&program, platform, programs[i], settings, 4) == chm_ok);
            for (uint32_t engine = 0; engine < 2; ++engine) {
                chm_run_options options = CHM_RUN_OPTIONS_INIT;
                options.engine = engine;
                options.seed = 4;
                options.stall_probability = i % 2 == 0 ? 0.03 : 0;
                options.record = path;
                check(platform, program, &options);
            }
            chm_program_free(program);
        }
        chm_platform_free(platform);
    }
    chm_settings_free(settings);
}

static uint64_t replayed_at(const char* latency, uint64_t* ran) {
    chm_settings* settings = NULL;
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    CHECK(chm_settings_create(&settings) == chm_ok);
    CHECK(chm_settings_set(settings, "costs", "reference") == chm_ok);
    CHECK(chm_settings_set(settings, "link_latency_cycles", latency) == chm_ok);
    CHECK(chm_platform_load(&platform, "mesh_5x5", settings) == chm_ok);
    CHECK(chm_program_load(&program, platform, "tp_pp", settings, 1) == chm_ok);
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    options.engine = 0;
    chm_simulation* simulation = NULL;
    chm_result result = CHM_RESULT_INIT;
    CHECK(chm_simulation_create(&simulation, platform, program, &options) == chm_ok);
    CHECK(chm_simulation_run(simulation) == chm_ok);
    CHECK(chm_simulation_result(simulation, &result) == chm_ok);
    chm_simulation_free(simulation);
    *ran = result.cycles;
    chm_replay_options same = CHM_REPLAY_OPTIONS_INIT;
    chm_replay_result replayed = CHM_REPLAY_RESULT_INIT;
    CHECK(chm_replay(&replayed, NULL, chm_format_text, platform, path, &same) == chm_ok);
    chm_program_free(program);
    chm_platform_free(platform);
    chm_settings_free(settings);
    return replayed.cycles;
}

/* What is recorded are dependencies, not times: one after the other, as here where nothing but
   messages takes time and every die sends to one other at a time, they say how long the run would
   take with other links. */
static void dependencies_hold_at_other_latencies(void) {
    char arguments[512];
    snprintf(arguments, sizeof arguments,
             "run mesh_5x5 tp_pp --engine off --set costs=reference --record %s", path);
    CHECK(run(arguments) == 0);
    uint64_t near = 0, far = 0;
    CHECK(replayed_at("20", &near) == near);
    CHECK(replayed_at("400", &far) == far);
    CHECK(near < far);
    unlink(path);
}

/* An overflow: the file of an earlier run stays. */
static void failed_runs_write_nothing(void) {
    char arguments[512];
    snprintf(arguments, sizeof arguments, "run mesh_5x5 tp_sp --set message_bytes=4KiB --record %s",
             path);
    CHECK(run(arguments) == 0);
    struct stat before, after;
    CHECK(stat(path, &before) == 0 && before.st_size > 100);
    snprintf(arguments, sizeof arguments,
             "run mesh_5x5 sp_ep --set message_bytes=4KiB --set skew=1 --record %s", path);
    CHECK(run(arguments) == 2);
    CHECK_CONTAINS(output, "slot overflow");
    CHECK(stat(path, &after) == 0 && after.st_ino == before.st_ino &&
          after.st_size == before.st_size);
    char part[80];
    snprintf(part, sizeof part, "%s.part", path);
    CHECK(!exists(part));
    unlink(path);
}

static void refuses_before_the_run(void) {
    CHECK(run("run mesh_5x5 tp_sp --record /no/such/dir/x.csv") == 2);
    CHECK_CONTAINS(output, "--record /no/such/dir/x.csv: ");
    CHECK(run("run mesh_5x5 tp_sp --record /") == 2);
    CHECK_CONTAINS(output, "--record /: ");
    char arguments[512];
    snprintf(arguments, sizeof arguments, "run mesh_5x5 tp_sp --fidelity lt --record %s", path);
    CHECK(run(arguments) == 2);
    CHECK_CONTAINS(output, "allowed: fidelity at");
    snprintf(arguments, sizeof arguments, "run mesh_5x5 tp_sp --stats %s --record %s", path, path);
    CHECK(run(arguments) == 2);
    CHECK(!exists(path));
    CHECK(run("compare mesh_5x5 tp_sp --record x.csv") == 2);

    chm_platform* platform = NULL;
    chm_program* program = NULL;
    CHECK(chm_platform_load(&platform, "mesh_5x5", NULL) == chm_ok);
    CHECK(chm_program_load(&program, platform, "tp_sp", NULL, 1) == chm_ok);
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    options.record = "/no/such/dir/x.csv";
    chm_simulation* simulation = NULL;
    CHECK(chm_simulation_create(&simulation, platform, program, &options) == chm_io);
    CHECK(simulation == NULL);
    CHECK_CONTAINS(chm_last_error(), "/no/such/dir/x.csv");
    chm_program_free(program);
    chm_platform_free(platform);
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"files_replay_to_the_cycle", files_replay_to_the_cycle},
        {"dependencies_hold_at_other_latencies", dependencies_hold_at_other_latencies},
        {"failed_runs_write_nothing", failed_runs_write_nothing},
        {"refuses_before_the_run", refuses_before_the_run},
    };
    snprintf(path, sizeof path, "/tmp/chimera_record_%d.csv", (int)getpid());
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
