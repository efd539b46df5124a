/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "chimera.h"

/* A program on a platform, 16 KiB per group unless the settings say otherwise. */
typedef struct fixture {
    chm_settings* settings;
    chm_platform* platform;
    chm_program* program;
} fixture;

static fixture load(const char* platform, const char* program, const char* setting) {
    fixture f = {NULL, NULL, NULL};
    CHECK(chm_settings_create(&f.settings) == chm_ok);
    CHECK(chm_settings_parse(f.settings, "message_bytes=16KiB") == chm_ok);
    if (setting != NULL) {
        CHECK(chm_settings_parse(f.settings, setting) == chm_ok);
    }
    CHECK(chm_platform_load(&f.platform, platform, f.settings) == chm_ok);
    CHECK(chm_program_load(&f.program, f.platform, program, f.settings, 1) == chm_ok);
    return f;
}

static void unload(fixture* f) {
    chm_program_free(f->program);
    chm_platform_free(f->platform);
    chm_settings_free(f->settings);
}

static chm_simulation* create(const fixture* f, uint32_t engine, uint32_t data) {
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    options.engine = engine;
    options.data = data;
    chm_simulation* simulation = NULL;
    CHECK(chm_simulation_create(&simulation, f->platform, f->program, &options) == chm_ok);
    if (simulation == NULL) {
        fprintf(stderr, "%s\n", chm_last_error());
        exit(1);
    }
    return simulation;
}

static chm_result result_of(const chm_simulation* simulation) {
    chm_result result = CHM_RESULT_INIT;
    CHECK(chm_simulation_result(simulation, &result) == chm_ok);
    return result;
}

static chm_result run_alone(const fixture* f, uint32_t engine, uint32_t data) {
    chm_simulation* simulation = create(f, engine, data);
    CHECK(chm_simulation_run(simulation) == chm_ok);
    chm_result result = result_of(simulation);
    chm_simulation_free(simulation);
    return result;
}

static void data_arrive_and_bounds_hold(void) {
    static const char* const platforms[] = {"mesh_5x5", "torus_4x4", "torus_2x2x2", "fat_tree_2x8"};
    for (int i = 0; i < 4; ++i) {
        fixture f = load(platforms[i], "tp_ep", NULL);
        chm_result off = run_alone(&f, 0, 1);
        chm_result on = run_alone(&f, 1, 1);
        CHECK(off.data == chm_data_equal && on.data == chm_data_equal);
        CHECK(on.cycles <= off.cycles);
        CHECK(on.cycles >= on.lower_bound_cycles && on.lower_bound_cycles > 0);
        CHECK(on.lower_bound_cycles == on.bandwidth_cycles + on.latency_cycles);
        CHECK(off.lower_bound_cycles == on.lower_bound_cycles);
        CHECK(on.bytes_moved < off.bytes_moved);
        CHECK(on.bytes_asked == off.bytes_asked);
        CHECK(on.metadata_bytes > 0 && on.bound_by[0] != '\0');
        CHECK(on.time_ps == on.cycles * 1000);
        unload(&f);
    }
}

static void data_off_changes_no_time(void) {
    fixture f = load("mesh_5x5", "sp_ep", NULL);
    chm_result with = run_alone(&f, 1, 1);
    chm_result without = run_alone(&f, 1, 0);
    CHECK(with.data == chm_data_equal && without.data == chm_data_off);
    CHECK(with.cycles == without.cycles && with.bytes_moved == without.bytes_moved);
    unload(&f);
}

static void a_clock_scales_time_and_not_cycles(void) {
    fixture f = load("torus_4x4", "tp_pp", NULL);
    fixture fast = load("torus_4x4", "tp_pp", "clock_ghz=1.7");
    chm_result one = run_alone(&f, 1, 0);
    chm_result other = run_alone(&fast, 1, 0);
    CHECK(one.cycles == other.cycles);
    CHECK(other.time_ps == (one.cycles * 1000000000u + 1699999u) / 1700000u); /* rounded up */
    unload(&fast);
    unload(&f);
}

static void steps_end_at_the_picosecond(void) {
    fixture f = load("mesh_5x5", "tp_pp", "clock_ghz=1.7");
    chm_result whole = run_alone(&f, 1, 1);
    chm_simulation* simulation = create(&f, 1, 1);
    uint32_t finished = 0;
    for (uint64_t until = 0; finished == 0 && until < 2 * whole.time_ps; until += 99991) {
        uint64_t now = 0;
        CHECK(chm_simulation_run_until(simulation, until) == chm_ok);
        CHECK(chm_simulation_time(simulation, &now, NULL, &finished) == chm_ok);
        CHECK(finished || now == until);
        CHECK(chm_simulation_run_until(simulation, until / 2) == chm_ok); /* the past: nothing */
    }
    CHECK(finished == 1);
    chm_result stepped = result_of(simulation);
    CHECK(stepped.cycles == whole.cycles && stepped.time_ps == whole.time_ps);
    CHECK(stepped.bytes_moved == whole.bytes_moved && stepped.data == chm_data_equal);
    CHECK(chm_simulation_run(simulation) == chm_ok); /* again: nothing */
    CHECK(result_of(simulation).cycles == whole.cycles);
    /* Past what 32 bits of nanoseconds hold. */
    CHECK(chm_simulation_run_until(simulation, 6000000000000u) == chm_ok);
    CHECK(result_of(simulation).cycles == whole.cycles);
    chm_simulation_free(simulation);
    unload(&f);
}

static void interleaved_simulations_do_not_meet(void) {
    fixture a = load("mesh_5x5", "pp_ep", NULL);
    fixture b = load("fat_tree_2x8", "tp_ep", NULL);
    chm_result alone_a = run_alone(&a, 1, 1);
    chm_result alone_b = run_alone(&b, 0, 1);
    chm_simulation* first = create(&a, 1, 1);
    chm_simulation* second = create(&b, 0, 1);
    for (uint64_t until = 0; until < 1000000; until += 33333) {
        CHECK(chm_simulation_run_until(first, until) == chm_ok);
        CHECK(chm_simulation_run_until(second, until) == chm_ok);
    }
    CHECK(chm_simulation_run(second) == chm_ok);
    CHECK(chm_simulation_run(first) == chm_ok);
    CHECK(result_of(first).cycles == alone_a.cycles);
    CHECK(result_of(second).cycles == alone_b.cycles);
    CHECK(result_of(first).data == chm_data_equal && result_of(second).data == chm_data_equal);
    chm_simulation_free(first);
    chm_simulation_free(second);
    unload(&a);
    unload(&b);
}

static void creating_and_freeing_beside_a_live_one(void) {
    fixture f = load("mesh_5x5", "tp_ep", NULL);
    fixture small = load("torus_2x2x2", "tp_sp", NULL);
    chm_result alone = run_alone(&f, 1, 1);
    chm_simulation* live = create(&f, 1, 1);
    for (int i = 0; i < 300; ++i) {
        chm_simulation* other = create(&small, (uint32_t)(i % 2), 0);
        CHECK(chm_simulation_run_until(other, (uint64_t)i * 1000) == chm_ok);
        CHECK(chm_simulation_run_until(live, (uint64_t)i * 1000) == chm_ok);
        chm_simulation_free(other);
    }
    CHECK(chm_simulation_run(live) == chm_ok);
    CHECK(result_of(live).cycles == alone.cycles);
    CHECK(result_of(live).data == chm_data_equal);
    chm_simulation_free(live);
    unload(&small);
    unload(&f);
}

static void* run_in_thread(void* argument) {
    const fixture* f = argument;
    uint64_t* cycles = malloc(sizeof *cycles);
    *cycles = run_alone(f, 1, 1).cycles;
    chm_platform* platform = NULL;
    CHECK(chm_platform_load(&platform, "no_such", NULL) == chm_bad_input);
    CHECK_CONTAINS(chm_last_error(), "no_such"); /* this thread's own */
    return cycles;
}

static void threads_take_turns(void) {
    fixture f = load("torus_4x4", "sp_pp_full", NULL);
    chm_result alone = run_alone(&f, 1, 1);
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) {
        CHECK(pthread_create(&threads[i], NULL, run_in_thread, &f) == 0);
    }
    for (int i = 0; i < 4; ++i) {
        void* cycles = NULL;
        CHECK(pthread_join(threads[i], &cycles) == 0);
        CHECK(*(uint64_t*)cycles == alone.cycles);
        free(cycles);
    }
    unload(&f);
}

static void reruns_are_identical_and_stalls_change_time_only(void) {
    fixture f = load("torus_4x4", "tp_ep", NULL);
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    options.data = 1;
    chm_report* first = NULL;
    chm_report* second = NULL;
    CHECK(chm_compare(NULL, &first, chm_format_json, NULL, f.platform, f.program, &options) ==
          chm_ok);
    CHECK(chm_compare(NULL, &second, chm_format_json, NULL, f.platform, f.program, &options) ==
          chm_ok);
    CHECK(strcmp(chm_report_text(first), chm_report_text(second)) == 0);
    CHECK_CONTAINS(chm_report_text(first), "\"data\": \"equal\"");
    chm_report_free(first);
    chm_report_free(second);
    chm_comparison plain = CHM_COMPARISON_INIT;
    chm_comparison stalled = CHM_COMPARISON_INIT;
    CHECK(chm_compare(&plain, NULL, chm_format_text, NULL, f.platform, f.program, &options) ==
          chm_ok);
    options.stall_probability = 0.2;
    CHECK(chm_compare(&stalled, NULL, chm_format_text, NULL, f.platform, f.program, &options) ==
          chm_ok);
    CHECK(stalled.data == chm_data_equal);
    CHECK(stalled.fused.cycles > plain.fused.cycles);
    CHECK(stalled.fused.bytes_moved == plain.fused.bytes_moved);
    unload(&f);
}

static void counters_add_up(void) {
    fixture f = load("mesh_5x5", "tp_ep", NULL);
    chm_simulation* simulation = create(&f, 1, 0);
    CHECK(chm_simulation_run(simulation) == chm_ok);
    uint64_t moved = 0;
    uint64_t fused = 0;
    for (uint32_t die = 0; die < chm_platform_dies(f.platform); ++die) {
        chm_die_counters counters = CHM_DIE_COUNTERS_INIT;
        CHECK(chm_simulation_die(simulation, die, &counters) == chm_ok);
        moved += counters.bytes_moved;
        fused += counters.descriptors_fused;
    }
    CHECK(moved == result_of(simulation).bytes_moved);
    CHECK(fused == 4 * 3); /* all-reduce, gating and all-to-all, on each of the four dies */
    chm_die_counters counters = CHM_DIE_COUNTERS_INIT;
    CHECK(chm_simulation_die(simulation, 25, &counters) == chm_bad_argument);
    CHECK_CONTAINS(chm_last_error(), "argument die: got 25; allowed: 0 .. 24");
    chm_report* report = NULL;
    CHECK(chm_simulation_statistics(&report, simulation) == chm_ok);
    CHECK_CONTAINS(chm_report_text(report), "\"die\": \"die_4_4\"");
    chm_report_free(report);
    CHECK(chm_simulation_report(&report, simulation, chm_format_text) == chm_ok);
    CHECK_CONTAINS(chm_report_text(report), "lower_bound_cycles");
    chm_report_free(report);
    chm_simulation_free(simulation);
    unload(&f);
}

static int log_lines;

static void count_line(void* user, const char* text) {
    CHECK(user == &log_lines && text[0] != '\0');
    log_lines++;
}

static void arguments_are_checked(void) {
    fixture f = load("mesh_5x5", "tp_sp", NULL);
    chm_simulation* simulation = NULL;
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    options.struct_size = 3;
    CHECK(chm_simulation_create(&simulation, f.platform, f.program, &options) == chm_bad_argument);
    CHECK_CONTAINS(chm_last_error(), "got struct_size 3");
    options.struct_size = sizeof options;
    options.stall_probability = 1;
    CHECK(chm_simulation_create(&simulation, f.platform, f.program, &options) == chm_bad_argument);
    CHECK(chm_simulation_create(&simulation, NULL, f.program, &options) == chm_bad_argument);
    CHECK(simulation == NULL);
    CHECK(chm_simulation_run(NULL) == chm_bad_argument);
    CHECK(chm_simulation_run_until(NULL, 1) == chm_bad_argument);
    CHECK(chm_simulation_time(NULL, NULL, NULL, NULL) == chm_bad_argument);
    chm_simulation_free(NULL);
    chm_report_free(NULL);
    options.stall_probability = 0;
    options.log = count_line;
    options.log_user = &log_lines;
    CHECK(chm_simulation_create(&simulation, f.platform, f.program, &options) == chm_ok);
    CHECK(chm_simulation_run(simulation) == chm_ok);
    CHECK(log_lines > 0);
    chm_result result = {0};
    CHECK(chm_simulation_result(simulation, &result) == chm_bad_argument);
    chm_simulation_free(simulation);
    unload(&f);
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"data_arrive_and_bounds_hold", data_arrive_and_bounds_hold},
        {"data_off_changes_no_time", data_off_changes_no_time},
        {"a_clock_scales_time_and_not_cycles", a_clock_scales_time_and_not_cycles},
        {"steps_end_at_the_picosecond", steps_end_at_the_picosecond},
        {"interleaved_simulations_do_not_meet", interleaved_simulations_do_not_meet},
        {"creating_and_freeing_beside_a_live_one", creating_and_freeing_beside_a_live_one},
        {"threads_take_turns", threads_take_turns},
        {"reruns_are_identical_and_stalls_change_time_only",
         reruns_are_identical_and_stalls_change_time_only},
        {"counters_add_up", counters_add_up},
        {"arguments_are_checked", arguments_are_checked},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
