/* SPDX-License-Identifier: Apache-2.0 */
/* Open-loop load: one rate and a curve, from the command and from C. */
#include <math.h>

#include "chimera.h"
#include "command.h"

#define QUICK " --warm-up 1000 --measure 3000 --drain 3000"

static void one_rate(void) {
    CHECK(run("load torus_2x2x2 --pattern neighbour --rate 0.2" QUICK) == 0);
    CHECK_CONTAINS(output, "platform torus_2x2x2, pattern neighbour, seed 1\noffered   0.");
    CHECK_CONTAINS(output, "%); least from a die 0.");
    CHECK_CONTAINS(output, ", of which 0 did not arrive\npacket latency  mean ");
    CHECK(run("load torus_2x2x2 --json" QUICK) == 0);
    CHECK_CONTAINS(output, "\"accepted_drift\": ");
    CHECK_CONTAINS(output, "\"busiest_port_flits_per_cycle\": 0.");
    CHECK(strstr(output, "points") == NULL);
}

static void a_curve(void) {
    CHECK(run("load torus_2x2x2 --rate 0.1:0.5:5" QUICK) == 0);
    CHECK_CONTAINS(output, "pattern uniform, seed 1\n      rate   offered  accepted    drift%");
    CHECK_CONTAINS(output, "\n    0.1000 ");
    CHECK_CONTAINS(output, "\n    0.2000 ");
    CHECK_CONTAINS(output, "\n    0.4000 ");
    CHECK_CONTAINS(output, "\n    0.5000 ");
    CHECK(run("load torus_2x2x2 --rate 0.1:0.2:2 --json" QUICK) == 0);
    CHECK_CONTAINS(output, "\"points\": [");
    CHECK_CONTAINS(output, "\"rate\": 0.1,");
    CHECK_CONTAINS(output, "\"rate\": 0.2,");
    CHECK_CONTAINS(output, "\"fidelity\": \"at\"");
}

/* Loosely timed, the error below saturation and the one beyond are both told. */
static void a_loosely_timed_curve(void) {
    CHECK(run("load torus_2x2x2 --pattern hotspot --rate 0.05:1:2 --fidelity lt"
              " --measure 20000 --drain 3000") == 0);
    CHECK_CONTAINS(output, "packets offered below saturation: ");
    CHECK_CONTAINS(output, "packets offered beyond saturation: ");
}

static void bad_rates(void) {
    static const char* const rates[] = {
        "0",         "1.1",     "x",         "0.1:",        "0.1:0.5",     "0.1:0.5:1",
        "0.5:0.1:3", "0.1:2:3", "0.1:0.5:x", "0.1:0.5:3:4", "0.1:0.5:1001"};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i) {
        char command[128];
        snprintf(command, sizeof command, "load mesh_5x5 --rate %s", rates[i]);
        CHECK(run(command) == 2);
        CHECK_CONTAINS(output, "allowed: number above 0, at most 1; or A:B:N");
    }
}

/* The platform's keys reach the network: with a tenth of a round trip under way a stream that is
   alone gets about a tenth of its port. One hop of the ring: 5 + 103 and 7 flits there, 108 back.
 */
static void keys_reach_the_network(void) {
    static const struct {
        const char* setting;
        double accepted;
    } cases[] = {
        {NULL, 0.9}, {"window_round_trips=1", 0.9}, {"window_round_trips=0.1", 28 / 223.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        chm_settings* settings = NULL;
        chm_platform* platform = NULL;
        CHECK(chm_settings_create(&settings) == chm_ok);
        CHECK(cases[i].setting == NULL || chm_settings_parse(settings, cases[i].setting) == chm_ok);
        CHECK(chm_platform_load(&platform, "torus_4x4", settings) == chm_ok);
        chm_load_options options = CHM_LOAD_OPTIONS_INIT;
        options.pattern = "neighbour";
        options.rate = 0.9;
        options.warm_up_cycles = 2000;
        options.drain_cycles = 0;
        chm_load_result result = CHM_LOAD_RESULT_INIT;
        CHECK(chm_measure_load(&result, NULL, chm_format_text, platform, &options) == chm_ok);
        CHECK(fabs(result.accepted - cases[i].accepted) < 0.02 * cases[i].accepted);
        chm_platform_free(platform);
        chm_settings_free(settings);
    }
}

static void a_curve_in_c(void) {
    chm_platform* platform = NULL;
    CHECK(chm_platform_load(&platform, "torus_2x2x2", NULL) == chm_ok);
    chm_load_options options = CHM_LOAD_OPTIONS_INIT;
    options.measure_cycles = 3000;
    chm_load_result results[3] = {CHM_LOAD_RESULT_INIT, CHM_LOAD_RESULT_INIT, CHM_LOAD_RESULT_INIT};
    CHECK(chm_sweep_load(results, 3, 0.3, NULL, chm_format_text, platform, &options) == chm_ok);
    for (int i = 0; i < 3; ++i) {
        CHECK(fabs(results[i].offered - 0.1 * (i + 1)) < 0.02);
        chm_load_result alone = CHM_LOAD_RESULT_INIT;
        options.rate = 0.1 + (0.3 - 0.1) * i / 2;
        CHECK(chm_measure_load(&alone, NULL, chm_format_text, platform, &options) == chm_ok);
        CHECK(alone.packets == results[i].packets && alone.accepted == results[i].accepted &&
              alone.latency_p99 == results[i].latency_p99);
        options.rate = 0.1;
    }
    CHECK(chm_sweep_load(results, 0, 0.3, NULL, chm_format_text, platform, &options) ==
          chm_bad_argument);
    results[2].struct_size = 1;
    CHECK(chm_sweep_load(results, 3, 0.3, NULL, chm_format_text, platform, &options) ==
          chm_bad_argument);
    results[2].struct_size = sizeof results[2];
    CHECK(chm_sweep_load(results, 3, 1.3, NULL, chm_format_text, platform, &options) ==
          chm_bad_input);
    CHECK_CONTAINS(chm_last_error(), "rate: allowed are flits per die per cycle above 0");
    chm_platform_free(platform);
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"one_rate", one_rate},
        {"a_curve", a_curve},
        {"a_loosely_timed_curve", a_loosely_timed_curve},
        {"bad_rates", bad_rates},
        {"keys_reach_the_network", keys_reach_the_network},
        {"a_curve_in_c", a_curve_in_c},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
