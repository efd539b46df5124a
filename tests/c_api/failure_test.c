/* SPDX-License-Identifier: Apache-2.0 */
/* Links and dies that fail, from the command line and from C. */
#include "chimera.h"
#include "command.h"

#define RUN "run mesh_5x5 pp_ep --data --set message_bytes=65536 "

static void a_failed_link_is_gone_round(void) {
    CHECK(run(RUN "--fail link:router_1_0-router_2_0@300") == 0);
    CHECK_CONTAINS(output, "data equal");
    CHECK_CONTAINS(output, "returned_packets");
    CHECK(run("compare torus_4x4 tp_pp --data --fail link:router_0_0-router_1_0@100 "
              "--fail link:router_0_1-router_0_0@2000") == 0);
    CHECK_CONTAINS(output, "data equal");
}

static void a_failed_die_is_named(void) {
    CHECK(run(RUN "--fail die:die_1_0@500") == 1);
    CHECK_CONTAINS(output, "chimera run: unreachable\ndie_1_0 failed at cycle 500\n");
    CHECK_CONTAINS(output, "needs die_1_0, which failed at cycle 500");
}

static void what_cannot_fail_is_refused(void) {
    static const char* const bad[] = {"link:router_0_0-router_1_0",
                                      "link:router_0_0-router_1_0@",
                                      "router_0_0-router_1_0@5",
                                      "link:router_0_0-router_2_0@5",
                                      "link:router_0_0@5",
                                      "link:-@5",
                                      "die:die_9_9@5",
                                      "die:@5",
                                      "die:die_0_0@-5",
                                      "die:die_0_0@5c",
                                      "die:die_0_0@1e3",
                                      "@",
                                      "die:die_0_0@9999999999999999999999",
                                      "link:router_0_0-router_0_0@1",
                                      "\"\""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        char arguments[512];
        snprintf(arguments, sizeof arguments, "run mesh_5x5 tp_sp --stats f.json --fail %s",
                 bad[i]);
        CHECK(run(arguments) == 2);
        CHECK_CONTAINS(output, "failure: got '");
        CHECK_CONTAINS(output, "'; allowed: ");
        CHECK(!exists("f.json"));
    }
    CHECK(run("run mesh_5x5 tp_sp --fidelity lt --fail die:die_0_0@5") == 2);
    CHECK_CONTAINS(output, "a network with fidelity lt does not fail");
}

static void write_file(const char* path, const char* text) {
    FILE* file = fopen(path, "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

/* A file's failures make the run they were written for, whatever the defaults; --fail beside it
 * takes their place. */
static void dumped_failures_fail_again(void) {
    char before[sizeof output];
    CHECK(run("dump mesh_5x5 pp_ep --data --set message_bytes=65536 "
              "--fail link:router_1_0-router_2_0@300 --fail link:router_2_1-router_1_1@900 "
              "--seed 3") == 0);
    write_file("failing.yaml", output);
    CHECK(run(RUN "--seed 3 --fail link:router_1_0-router_2_0@300 "
                  "--fail link:router_2_1-router_1_1@900") == 0);
    CHECK_CONTAINS(output, "returned_packets");
    memcpy(before, output, sizeof before);
    CHECK(run("run failing.yaml") == 0);
    CHECK(strcmp(output, before) == 0);
    CHECK(run("dump failing.yaml") == 0);
    CHECK_CONTAINS(output, "  fail:\n    - \"link:router_1_0-router_2_0@300\"\n"
                           "    - \"link:router_2_1-router_1_1@900\"\n");
    CHECK(run("run failing.yaml --fail die:die_1_0@500") == 1);
    CHECK_CONTAINS(output, "needs die_1_0, which failed at cycle 500");
    CHECK(strstr(output, "link router_1_0") == NULL);
    CHECK(run("dump mesh_5x5 pp_ep --fail die:die_9_9@5") == 2);
    CHECK_CONTAINS(output, "failure: got 'die:die_9_9@5'; allowed: a die of the platform");
    remove("failing.yaml");
}

static void faults_of_a_list_of_failures_are_named(void) {
    static const struct {
        const char *list, *message;
    } bad[] = {
        {"die:die_0_0@5", ":1:67: key 'fail': a list of what fails"},
        {"{die: 5}", "key 'fail': a list of what fails"},
        {"[die:die_9_9@5]", ":1:68: got 'die:die_9_9@5'; allowed: a die of the platform"},
        {"[[]]", "got 'a list or mapping'; allowed: link:NODE-NODE@CYCLE"},
        {"['']", "got ''; allowed: link:NODE-NODE@CYCLE"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        char text[256];
        snprintf(text, sizeof text,
                 "{platform: mesh, columns: 4, rows: 4, run: {program: tp_sp, fail: %s}}\n",
                 bad[i].list);
        write_file("bad_failing.yaml", text);
        CHECK(run("run bad_failing.yaml") == 2);
        CHECK_CONTAINS(output, bad[i].message);
    }
    remove("bad_failing.yaml");
}

/* Die 0 to die 4 along the first row, 40 packets; the second link of the way fails. */
static void replays_go_round(void) {
    write_file("failing.csv", "id,kind,die,destination,bytes,cycles,after\n0,send,0,4,10240,,\n");
    CHECK(run("replay mesh_5x5 failing.csv") == 0);
    /* 5 + 4 * 103 cycles, 40 * 7 flits, and one. */
    CHECK_CONTAINS(output, "cycles                      698 cycles");
    CHECK(strstr(output, "returned_packets") == NULL);
    /* At 200 some packets are across and some are not; all arrive. */
    CHECK(run("replay mesh_5x5 failing.csv --fail link:router_1_0-router_2_0@300") == 0);
    CHECK_CONTAINS(output, "returned_packets");
    CHECK(run("replay mesh_5x5 failing.csv --json --fail link:router_1_0-router_2_0@0") == 0);
    CHECK_CONTAINS(output, "\"returned_packets\": 0");
    CHECK(run("replay mesh_5x5 failing.csv --fail die:die_4_0@400") == 1);
    CHECK_CONTAINS(output, "unreachable");
    CHECK_CONTAINS(output, "die_0_0 cannot reach die_4_0");
    CHECK(run("replay mesh_5x5 failing.csv --fidelity lt --fail die:die_4_0@0") == 2);
    CHECK_CONTAINS(output, "a network with fidelity lt does not fail");
    remove("failing.csv");
}

static void load_goes_on(void) {
#define LOAD "load mesh_5x5 --rate 0.05 --warm-up 1000 --measure 2000 --drain 8000 "
    CHECK(run(LOAD) == 0);
    CHECK_CONTAINS(output, "of which 0 did not arrive");
    char before[sizeof output];
    memcpy(before, output, sizeof before);
    /* After a link's failure all arrive, later. */
    CHECK(run(LOAD "--fail link:router_1_0-router_2_0@1500") == 0);
    CHECK_CONTAINS(output, "of which 0 did not arrive");
    CHECK(strcmp(output, before) != 0);
    CHECK(run(LOAD "--fail link:router_1_0-router_2_0") == 2);
    CHECK(run(LOAD "--fail die:die_2_2@1500 --json") == 0);
    CHECK(strstr(output, "\"unfinished\": 0,") == NULL);
    /* Both ways between the racks fail; within each all goes on. Nobody is left: all the same. */
    CHECK(run("load two_racks --rate 0.05 --warm-up 500 --measure 1000 --drain 5000 "
              "--fail link:left-right@700 --fail link:left-relay@700") == 0);
    CHECK(strstr(output, "of which 0 did not") == NULL);
    CHECK(run("load two_racks --rate 0.05 --warm-up 500 --measure 1000 --drain 5000 "
              "--fail die:die_0@0 --fail die:die_1@0 --fail die:die_2@0 --fail die:die_3@0 "
              "--fail die:die_4@0 --fail die:die_5@0 --fail die:die_6@0 --fail die:die_7@0") == 0);
    CHECK_CONTAINS(output, "accepted  0.0000 flits per die per cycle");
    CHECK(run("load mesh_5x5 --fidelity lt --fail die:die_2_2@1500") == 2);
    CHECK_CONTAINS(output, "a network with fidelity lt does not fail");
}

static void options_are_checked(void) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_simulation* simulation = NULL;
    CHECK(chm_platform_load(&platform, "mesh_5x5", NULL) == chm_ok);
    CHECK(chm_program_load(&program, platform, "tp_sp", NULL, 1) == chm_ok);
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    options.failure_count = 1;
    CHECK(chm_simulation_create(&simulation, platform, program, &options) == chm_bad_argument);
    const char* const failures[] = {"die:die_0_0@0"};
    options.failures = failures;
    chm_report* report = NULL;
    CHECK(chm_configuration_report(&report, platform, program, &options) == chm_ok);
    CHECK_CONTAINS(chm_report_text(report), "  fail:\n    - \"die:die_0_0@0\"\n");
    chm_report_free(report);
    CHECK(chm_simulation_create(&simulation, platform, program, &options) == chm_ok);
    CHECK(chm_simulation_run(simulation) == chm_unreachable);
    CHECK_CONTAINS(chm_last_error(), "die_0_0 failed at cycle 0\n");
    CHECK(strcmp(chm_status_string(chm_unreachable), "unreachable") == 0);
    chm_simulation_free(simulation);
    chm_program_free(program);
    chm_platform_free(platform);
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"a_failed_link_is_gone_round", a_failed_link_is_gone_round},
        {"a_failed_die_is_named", a_failed_die_is_named},
        {"what_cannot_fail_is_refused", what_cannot_fail_is_refused},
        {"dumped_failures_fail_again", dumped_failures_fail_again},
        {"faults_of_a_list_of_failures_are_named", faults_of_a_list_of_failures_are_named},
        {"replays_go_round", replays_go_round},
        {"load_goes_on", load_goes_on},
        {"options_are_checked", options_are_checked},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
