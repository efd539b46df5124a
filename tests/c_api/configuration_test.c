/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations: what is written of a run reads back as the same run. */
#include <inttypes.h>
#include <stdlib.h>

#include "check.h"
#include "chimera.h"

enum { configurations = 200 };

static uint32_t state;

static uint32_t pick(uint32_t count) { /* xorshift32 */
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % count;
}

typedef struct choice {
    const char* key;
    const char* values[4];
} choice;

/* Values that all go together; each is taken in one of three configurations. */
static const choice choices[] = {
    {"clock_ghz", {"0.5", "1.7", "2.25", "1.0000001"}},
    {"flit_bytes", {"16", "50", "64", "33"}},
    {"mtu_bytes", {"64", "256", "1KiB", "100"}},
    {"link_latency_cycles", {"1", "20", "100", "317"}},
    {"link_cycles_per_flit", {"1", "2", "3", "11"}},
    {"ports_per_die", {"1", "2", "1", "2"}},
    {"vcs", {"2", "4", "6", "8"}},
    {"vc_depth_flits", {"80", "318", "500", "101"}},
    {"trains", {"on", "off", "yes", "no"}},
    {"fidelity", {"at", "lt", "at", "lt"}},
    {"dma_channels", {"1", "2", "4", "7"}},
    {"dma_setup_cycles", {"0", "8", "31", "1"}},
    {"reduce_bytes_per_cycle", {"64", "256", "1000", "37"}},
    {"reduce_overlapped", {"on", "off", "true", "false"}},
    {"dma_per_destination", {"on", "off", "on", "off"}},
    {"window_depth", {"1", "2", "8", "62"}},
    {"fuse_cycles_per_pair", {"0", "4", "40", "7"}},
    {"staging_bytes", {"64KiB", "256KiB", "1MiB", "100_000"}},
    {"gating_on_compute", {"on", "off", "on", "off"}},
    {"move_schedule", {"auto", "auto", "auto", "auto"}},
    {"memory_bandwidth_bytes_per_cycle", {"0", "100", "64", "1000"}},
    {"capacity_factor", {"1.25", "2", "1.5", "3.125"}},
    {"row_id_bytes", {"0", "4", "8", "2"}},
    {"costs", {"default", "reference", "default", "reference"}},
    {"message_bytes", {"16KiB", "32KiB", "64KiB", "20480"}},
    {"skew", {"0", "0.1", "0.25", "0.05"}},
};

enum { choice_count = sizeof choices / sizeof choices[0] };

static const char* const platforms[] = {"mesh_5x5",     "torus_4x4", "torus_2x2x2",
                                        "fat_tree_2x8", "ring_8",    "two_racks"};
static const char* const programs[] = {"tp_sp", "tp_pp", "tp_ep",     "pp_ep",
                                       "sp_pp", "sp_ep", "sp_pp_full"};

/* The statistics of a run to its end; null if it did not get there. */
static chm_report* statistics(const chm_platform* platform, const chm_program* program,
                              const chm_run_options* options) {
    chm_simulation* simulation = NULL;
    chm_report* report = NULL;
    if (chm_simulation_create(&simulation, platform, program, options) == chm_ok &&
        chm_simulation_run(simulation) == chm_ok) {
        CHECK(chm_simulation_statistics(&report, simulation) == chm_ok);
    }
    chm_simulation_free(simulation);
    return report;
}

static int write_file(const char* path, const char* text) {
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        return 0;
    }
    int good = fputs(text, file) >= 0;
    return fclose(file) == 0 && good;
}

static const char path[] = "configuration_test.yaml";

/* What is written reads back, writes the same again, and runs the same. */
static int expect_same_run(const chm_platform* platform, const chm_program* program,
                           const chm_run_options* options) {
    chm_report* written = NULL;
    CHECK(chm_configuration_report(&written, platform, program, options) == chm_ok);
    CHECK(write_file(path, chm_report_text(written)));
    chm_platform* read_platform = NULL;
    chm_program* read_program = NULL;
    chm_run_options read_options = CHM_RUN_OPTIONS_INIT;
    chm_status status =
        chm_configuration_load(&read_platform, &read_program, &read_options, path, NULL);
    if (status != chm_ok) {
        fprintf(stderr, "%s", chm_last_error());
        CHECK(status == chm_ok);
        chm_report_free(written);
        return 0;
    }
    chm_report* again = NULL;
    CHECK(chm_configuration_report(&again, read_platform, read_program, &read_options) == chm_ok);
    CHECK(strcmp(chm_report_text(again), chm_report_text(written)) == 0);
    chm_report* first = statistics(platform, program, options);
    chm_report* second = statistics(read_platform, read_program, &read_options);
    int ran = first != NULL;
    CHECK((first != NULL) == (second != NULL));
    CHECK(strcmp(chm_report_text(first), chm_report_text(second)) == 0);
    chm_report_free(first);
    chm_report_free(second);
    chm_report_free(again);
    chm_report_free(written);
    chm_program_free(read_program);
    chm_platform_free(read_platform);
    return ran;
}

static int random_configuration(void) {
    chm_settings* settings = NULL;
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    int ran = 0;
    CHECK(chm_settings_create(&settings) == chm_ok);
    for (uint32_t i = 0; i < choice_count; ++i) {
        if (pick(3) == 0 || strcmp(choices[i].key, "message_bytes") == 0) {
            chm_settings_set(settings, choices[i].key, choices[i].values[pick(4)]);
        }
    }
    options.engine = pick(2);
    options.data = pick(2);
    options.stall_probability = pick(3) == 0 ? 0.1 : 0;
    options.seed = pick(1000);
    const char* on = platforms[pick(sizeof platforms / sizeof platforms[0])];
    const char* what = programs[pick(sizeof programs / sizeof programs[0])];
    if (chm_platform_load(&platform, on, settings) == chm_ok &&
        chm_program_load(&program, platform, what, settings, options.seed) == chm_ok) {
        ran = expect_same_run(platform, program, &options);
    }
    chm_program_free(program);
    chm_platform_free(platform);
    chm_settings_free(settings);
    return ran;
}

static void random_configurations_run_the_same_when_read_back(void) {
    int ran = 0;
    state = 20261201;
    for (int tried = 0; ran < configurations && tried < 2 * configurations; ++tried) {
        ran += random_configuration();
    }
    printf("%d configurations ran twice\n", ran);
    CHECK(ran == configurations); /* some pairs of settings are refused, most are not */
}

static void expect_refused(const char* run, const char* message) {
    char text[512];
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    snprintf(text, sizeof text, "platform: ring\ndies: 8\n%s\n", run);
    CHECK(write_file(path, text));
    CHECK(chm_configuration_load(&platform, &program, &options, path, NULL) == chm_bad_input);
    CHECK(platform == NULL && program == NULL && options.seed == 1);
    CHECK_CONTAINS(chm_last_error(), message);
}

static void faults_of_run_are_named(void) {
    expect_refused("", "key 'run': a configuration says what to run");
    expect_refused("run: tp_sp", ":3:6: key 'run': a configuration says what to run");
    expect_refused("run: {seed: 3}", "key 'program' is missing in 'run'");
    expect_refused("run: {program: nothing}", "argument PROGRAM: got 'nothing'; allowed: ");
    expect_refused("run: {program: [tp_sp]}", "key 'program': got a list or mapping");
    expect_refused("run: {program: tp_sp, engine: 3}", "key 'engine': got '3'; allowed: ");
    expect_refused("run: {program: tp_sp, seed: -1}", "key 'seed': got '-1'; allowed: integer 0");
    expect_refused("run: {program: tp_sp, skew: 2}", "key 'skew': got '2'; allowed: number 0 .. 1");
    expect_refused("run: {program: tp_sp, sead: 1}", "unknown key 'sead'; allowed: program, mess");
    expect_refused("run: {program: tp_sp, message_bytes: 8}", "message_bytes 8; allowed");
    expect_refused("runn: {program: tp_sp}", "unknown key 'runn'");
}

static void settings_change_a_configuration(void) {
    chm_settings* settings = NULL;
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    CHECK(write_file(path, "platform: ring\ndies: 8\nrun: {program: tp_sp, message_bytes: 64KiB, "
                           "engine: off, seed: 5}\n"));
    CHECK(chm_settings_create(&settings) == chm_ok);
    chm_settings_set(settings, "message_bytes", "32KiB");
    chm_settings_set(settings, "dies", "9");
    CHECK(chm_configuration_load(&platform, &program, &options, path, settings) == chm_ok);
    CHECK(chm_program_message_bytes(program) == 32768);
    CHECK(chm_platform_dies(platform) == 9);
    CHECK(options.engine == 0 && options.seed == 5 && options.data == 0);
    chm_program_free(program);
    chm_platform_free(platform);
    chm_settings_free(settings);
    CHECK(chm_configuration_load(NULL, NULL, NULL, path, NULL) == chm_bad_argument);
    CHECK(chm_configuration_report(NULL, NULL, NULL, NULL) == chm_bad_argument);
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"random_configurations_run_the_same_when_read_back",
         random_configurations_run_the_same_when_read_back},
        {"faults_of_run_are_named", faults_of_run_are_named},
        {"settings_change_a_configuration", settings_change_a_configuration},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
