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
    CHECK(chm_configuration_report(&report, platform, program, &options) == chm_unsupported);
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
        {"options_are_checked", options_are_checked},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
