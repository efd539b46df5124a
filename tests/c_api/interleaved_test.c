/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "chimera.h"

/* A simulation and what it needs; `step_ps` is how far it goes at a time. */
typedef struct one {
    const char* platform_name;
    const char* program_name;
    const char* fidelity;
    const char* trains;
    double stall;
    uint64_t step_ps;
    chm_settings* settings;
    chm_platform* platform;
    chm_program* program;
    chm_simulation* simulation;
    chm_report* alone;
} one;

static void create(one* each) {
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    options.data = each->step_ps % 2 == 0;
    options.stall_probability = each->stall;
    options.seed = each->step_ps;
    CHECK(chm_simulation_create(&each->simulation, each->platform, each->program, &options) ==
          chm_ok);
}

static chm_report* finish(one* each) {
    chm_report* report = NULL;
    CHECK(chm_simulation_run(each->simulation) == chm_ok);
    CHECK(chm_simulation_statistics(&report, each->simulation) == chm_ok);
    chm_simulation_free(each->simulation);
    each->simulation = NULL;
    return report;
}

static void load(one* each) {
    CHECK(chm_settings_create(&each->settings) == chm_ok);
    CHECK(chm_settings_set(each->settings, "message_bytes", "24KiB") == chm_ok);
    CHECK(chm_settings_set(each->settings, "fidelity", each->fidelity) == chm_ok);
    CHECK(chm_settings_set(each->settings, "trains", each->trains) == chm_ok);
    CHECK(chm_platform_load(&each->platform, each->platform_name, each->settings) == chm_ok);
    CHECK(chm_program_load(&each->program, each->platform, each->program_name, each->settings,
                           each->step_ps) == chm_ok);
    create(each);
    each->alone = finish(each);
}

static void unload(one* each) {
    chm_report_free(each->alone);
    chm_program_free(each->program);
    chm_platform_free(each->platform);
    chm_settings_free(each->settings);
}

/* Six at once, of both fidelities, with trains and without, that go on in unequal steps: each ends
   with the statistics of every die that it has alone, and was really in the middle while others
   went on. */
static void everything_is_as_it_is_alone(void) {
    one all[] = {
        {.platform_name = "mesh_5x5",
         .program_name = "pp_ep",
         .fidelity = "at",
         .trains = "on",
         .step_ps = 33333},
        {.platform_name = "mesh_5x5",
         .program_name = "pp_ep",
         .fidelity = "at",
         .trains = "off",
         .step_ps = 41000},
        {.platform_name = "mesh_5x5",
         .program_name = "pp_ep",
         .fidelity = "lt",
         .trains = "on",
         .step_ps = 20001},
        {.platform_name = "torus_4x4",
         .program_name = "tp_ep",
         .fidelity = "at",
         .trains = "on",
         .stall = 0.05,
         .step_ps = 70000},
        {.platform_name = "torus_4x4",
         .program_name = "tp_ep",
         .fidelity = "lt",
         .trains = "on",
         .step_ps = 99999},
        {.platform_name = "fat_tree_2x8",
         .program_name = "sp_pp_full",
         .fidelity = "lt",
         .trains = "off",
         .step_ps = 50000},
    };
    enum { count = sizeof all / sizeof all[0] };
    for (int i = 0; i < count; ++i) {
        load(&all[i]);
    }
    for (int i = 0; i < count; ++i) {
        create(&all[i]);
    }
    uint32_t running = count;
    for (uint64_t round = 1; running != 0 && round < 1000; ++round) {
        running = 0;
        for (int i = 0; i < count; ++i) {
            uint32_t finished = 0;
            CHECK(chm_simulation_run_until(all[i].simulation, round * all[i].step_ps) == chm_ok);
            CHECK(chm_simulation_time(all[i].simulation, NULL, NULL, &finished) == chm_ok);
            CHECK(round > 2 || !finished);
            running += !finished;
        }
    }
    CHECK(running == 0);
    for (int i = 0; i < count; ++i) {
        chm_report* together = finish(&all[i]);
        CHECK(strcmp(chm_report_text(together), chm_report_text(all[i].alone)) == 0);
        CHECK(chm_report_length(together) > 1000);
        chm_report_free(together);
    }
    for (int i = 0; i < count; ++i) {
        unload(&all[i]);
    }
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"everything_is_as_it_is_alone", everything_is_as_it_is_alone},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
