/* SPDX-License-Identifier: Apache-2.0 */
/* chimera size: knees, slopes and bounds that are known in closed form. */
#include <math.h>

#include "command.h"

/* tp_sp on a block of 2x2 of the mesh, 64 KiB: fused it is a ring reduce-scatter, in which each die
   sends and receives three quarters of its addend, 48 KiB, to and from a neighbour. */
#define TP_SP "size mesh_5x5 tp_sp --set message_bytes=64KiB --json "

enum { addends = 48 * 1024 };

/* The number behind `key` in the text behind `after`; NaN if there is none. */
static double number_behind(const char* after, const char* key) {
    const char* begin = strstr(output, after);
    const char* at = begin != NULL ? strstr(begin, key) : NULL;
    return at != NULL ? strtod(at + strlen(key), NULL) : (double)NAN;
}

static double of_point(unsigned value, const char* key) {
    char point[64];
    snprintf(point, sizeof point, "{\"value\": %u, \"cycles\"", value);
    return number_behind(point, key);
}

static double cycles_at(unsigned value) {
    return of_point(value, "\"cycles\": ");
}

static double knee(void) {
    return number_behind("\"knee\"", "\"value\": ");
}

/* The all-reduce is seen with its reader behind it from a window of 2 on; more changes nothing. */
static void time_does_not_depend_on_a_window_beyond_the_run(void) {
    CHECK(run(TP_SP "--parameter window_depth") == 0);
    const double fused = cycles_at(8);
    CHECK(cycles_at(1) > 1.5 * fused);
    static const unsigned windows[] = {2, 4, 16, 32};
    for (int i = 0; i < 4; ++i) {
        CHECK(cycles_at(windows[i]) == fused);
    }
    CHECK(knee() == 2);
    CHECK_CONTAINS(output, "\"halved_percent\": 0.000,");
    CHECK_CONTAINS(output, "\"doubled_percent\": 0.000,");
    CHECK_CONTAINS(output, "\"binds\": false");
    /* With a window of one, engine on and off are the same machine. */
    CHECK(of_point(1, "\"engine_off_cycles\": ") == cycles_at(1));
    CHECK(of_point(1, "\"speedup\": ") == 1);
}

/* 192 packets of 256 bytes through the port of a die, ceil(256 / flit_bytes) flits and a header
   each; latency 1 + 3 + 100 + 3 + 1: half the bandwidth, twice the payload flits. */
static void bandwidth_and_its_bound(void) {
    CHECK(run(TP_SP "--set flit_bytes=64 --parameter flit_bytes=16:128:4 --fidelity at") == 0);
    static const unsigned flits[] = {16, 32, 64, 128};
    for (int i = 0; i < 4; ++i) {
        const double bandwidth = addends / 256 * (256.0 / flits[i] + 1);
        CHECK(of_point(flits[i], "\"bandwidth_cycles\": ") == bandwidth);
        CHECK(of_point(flits[i], "\"lower_bound_cycles\": ") == bandwidth + 108);
        CHECK(cycles_at(flits[i]) >= bandwidth + 108);
        CHECK(cycles_at(flits[i]) < 1.06 * (bandwidth + 108) + 65); /* and the engine's own time */
    }
    CHECK(knee() == 128);
    CHECK_CONTAINS(output, "\"dearer_would_gain_more\": true");
    CHECK_CONTAINS(output, "\"binds_first\": \"flit_bytes\"");
    CHECK_CONTAINS(output, "\"fidelity\": \"at\"");
    CHECK(strstr(output, "fidelity_error") == NULL);
    CHECK(fabs(number_behind("\"halved", "percent\": ") -
               100 * (cycles_at(32) / cycles_at(64) - 1)) < 0.001);
}

/* sp_pp on a ring of 8 hands 64 KiB from one half to the other over two links: 128 packets of 7
   flits on each, of which the last has left after 895 times the cycles of a flit, and one. */
static void half_the_bandwidth_of_links_doubles_the_bound(void) {
    CHECK(run("size ring_8 sp_pp --set message_bytes=64KiB --json --fidelity at "
              "--parameter link_cycles_per_flit") == 0);
    static const unsigned speeds[] = {1, 2, 4, 8};
    for (int i = 0; i < 4; ++i) {
        const double bound = 895 * speeds[i] + 1 + 108;
        CHECK(of_point(speeds[i], "\"lower_bound_cycles\": ") == bound);
        CHECK(cycles_at(speeds[i]) >= bound && cycles_at(speeds[i]) < 1.04 * bound + 190);
    }
    CHECK(knee() == 1);
    CHECK_CONTAINS(output, "\"bound_by\": \"cut dies 0..3 outward\"");
}

/* A packet of 256 bytes comes every 7 cycles, 36.6 bytes a cycle. A slower adder binds and takes
   its time for 48 KiB; a faster one never does. */
static void a_slow_adder_binds_and_a_fast_one_does_not(void) {
    CHECK(run(TP_SP "--set reduce_bytes_per_cycle=16 --parameter reduce_bytes_per_cycle=8:512:7 "
                    "--parameter flit_bytes --parameter dma_channels") == 0);
    static const unsigned slow[] = {8, 16, 32};
    for (int i = 0; i < 3; ++i) {
        CHECK(cycles_at(slow[i]) >= addends / slow[i]);
        CHECK(cycles_at(slow[i]) < addends / slow[i] + 350);
    }
    CHECK(knee() == 64);
    CHECK(cycles_at(64) < 1.01 * cycles_at(512));
    CHECK_CONTAINS(output, "\"binds_first\": \"reduce_bytes_per_cycle\"");
    const double doubled = number_behind("\"doubled", "percent\": ");
    CHECK(doubled > -50 && doubled < -45);
    /* Once it is fast enough, the links bind. */
    CHECK_CONTAINS(output, "\"behind\": {\"name\": \"flit_bytes\"");
    CHECK_CONTAINS(output, "\"binds\": true");
}

/* Free is dearer than any rate; latency is the other way round. */
static void points_go_from_cheap_to_dear(void) {
    CHECK(run("size mesh_5x5 tp_sp --set message_bytes=4KiB --parameter fetch_bytes_per_cycle "
              "--parameter link_latency_cycles --parameter fetch_latency_cycles") == 0);
    const char* rate = strstr(output, "  fetch_bytes_per_cycle            4 ");
    CHECK(rate != NULL && strstr(rate, "[64] 100.0  128 ") != NULL);
    CHECK_CONTAINS(output, "400 ");
    CHECK_CONTAINS(output, "  200 ");
    CHECK_CONTAINS(output, "  [100] 100.0  50 ");
    CHECK_CONTAINS(output, "  5 ");
    CHECK_CONTAINS(output, "swept with fidelity lt, measured against at (docs/fidelity.md): "
                           "cycles within 14.0 %, median within 1.0 %");
    CHECK_CONTAINS(output, "all at their knees that are cheaper there: ");
    CHECK_CONTAINS(output, "all at their knees: ");
    CHECK_CONTAINS(output, "as it stands: ");
    CHECK_CONTAINS(output, "lower bound: latency to die_");
}

/* At the knee the figure of the approximately timed machine stands beside it: `run` gives it. */
static void knees_are_confirmed(void) {
    CHECK(run("run mesh_5x5 tp_sp --set message_bytes=64KiB --set window_depth=2 --json") == 0);
    const double expected = number_behind("{", "\"cycles\": ");
    CHECK(run(TP_SP "--parameter window_depth") == 0);
    CHECK(number_behind("\"knee\"", "\"at\": {\"cycles\": ") == expected);
    CHECK_CONTAINS(output, "\"confirmed_with\": \"at\"");
    CHECK(run(TP_SP "--parameter window_depth --fidelity lt") == 0);
    CHECK_CONTAINS(output, "\"confirmed_with\": null");
    CHECK(strstr(output, "\"at\": {") == NULL);
    CHECK(run(TP_SP "--parameter window_depth --set fidelity=at") == 0);
    CHECK_CONTAINS(output, "\"fidelity\": \"at\"");
    CHECK(run(TP_SP "--parameter window_depth --set lt_chunk_bytes=4KiB") == 0);
    CHECK_CONTAINS(output, "\"as_measured\": false");
}

/* Every link of this platform has a latency of its own: the key decides nothing. */
static void a_key_without_effect(void) {
    CHECK(run("size two_racks tp_sp --set message_bytes=4KiB --parameter link_latency_cycles "
              "--parameter flit_bytes") == 0);
    const char* row = strstr(output, "\nlink_latency_cycles ");
    CHECK(row != NULL && strstr(row, "no effect") != NULL);
    CHECK(row != NULL && strstr(row, "no effect") < strstr(row, "\nflit_bytes"));
    const char* other = strstr(output, "\nflit_bytes ");
    CHECK(other != NULL && strstr(other, "no effect") == NULL);
}

/* Taken together the knees are the machine that `run` makes of them. */
static void all_knees_are_one_machine(void) {
    CHECK(run("run mesh_5x5 tp_sp --set message_bytes=64KiB --set window_depth=2 --json "
              "--set flit_bytes=200") == 0);
    const double all = number_behind("{", "\"cycles\": ");
    CHECK(run("run mesh_5x5 tp_sp --set message_bytes=64KiB --set window_depth=2 --json") == 0);
    const double saved = number_behind("{", "\"cycles\": ");
    CHECK(run(TP_SP "--parameter window_depth --parameter flit_bytes") == 0);
    CHECK(number_behind("\"all_at_their_knees\"", "\"cycles\": ") == all);
    CHECK(number_behind("\"all_cheaper_at_their_knees\"", "\"cycles\": ") == saved);
}

static void a_point_that_does_not_fit_is_shown(void) {
    CHECK(run("size mesh_5x5 tp_sp --set message_bytes=4KiB --parameter window_depth=2:128:4 "
              "--parameter vcs --fidelity at") == 0);
    CHECK_CONTAINS(output, "128 does not fit");
    CHECK_CONTAINS(output, "allowed: at most window_depth_max, 62");
    CHECK(run("size mesh_5x5 tp_sp --set message_bytes=4KiB --parameter window_depth=2:128:4 "
              "--json") == 0);
    CHECK_CONTAINS(output, "{\"value\": 128, \"does_not_fit\": \"");
}

static void again_is_the_same(void) {
    static char first[sizeof output];
    CHECK(run("size torus_4x4 sp_ep --set message_bytes=4KiB --json") == 0);
    memcpy(first, output, sizeof first);
    CHECK(run("size torus_4x4 sp_ep --set message_bytes=4KiB --json") == 0);
    CHECK(strcmp(first, output) == 0);
    CHECK(run("size torus_4x4 sp_ep --set message_bytes=4KiB --json --jobs 3") == 0);
    CHECK(strcmp(first, output) == 0);
    /* A configuration is the same machine. */
    CHECK(run("dump torus_4x4 sp_ep --set message_bytes=4KiB > size_test.yaml") == 0);
    CHECK(run("size size_test.yaml --json") == 0);
    CHECK(strcmp(first, output) == 0);
    CHECK(run("size size_test.yaml --seed 7") == 2);
    CHECK_CONTAINS(output, "--seed: the configuration says 1");
    remove("size_test.yaml");
}

/* Every row of the table names a key that can be varied, and stands in the page. */
static void every_key_can_be_varied(void) {
    static char names[4096];
    static char page[1 << 16];
    FILE* file = fopen(CHM_SOURCE_DIR "/docs/sizing.md", "r");
    CHECK(file != NULL && fread(page, 1, sizeof page - 1, file) > 0 && fclose(file) == 0);
    CHECK(run("size mesh_5x5 tp_sp --parameter '?'") == 2);
    const char* list = strstr(output, "KEY being ");
    CHECK(list != NULL);
    snprintf(names, sizeof names, "%s", list != NULL ? list + strlen("KEY being ") : "");
    int count = 0;
    for (char* name = strtok(names, ", \n"); name != NULL; name = strtok(NULL, ", \n")) {
        char arguments[256];
        snprintf(arguments, sizeof arguments,
                 "size torus_2x2x2 tp_ep --set message_bytes=4KiB --fidelity at --parameter %s",
                 name);
        CHECK(run(arguments) == 0);
        CHECK_CONTAINS(output, name);
        CHECK_CONTAINS(output, "[");
        snprintf(arguments, sizeof arguments, "\n| `%s` | ", name);
        CHECK_CONTAINS(page, arguments);
        count++;
    }
    CHECK(count >= 20);
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"time_does_not_depend_on_a_window_beyond_the_run",
         time_does_not_depend_on_a_window_beyond_the_run},
        {"bandwidth_and_its_bound", bandwidth_and_its_bound},
        {"half_the_bandwidth_of_links_doubles_the_bound",
         half_the_bandwidth_of_links_doubles_the_bound},
        {"a_slow_adder_binds_and_a_fast_one_does_not", a_slow_adder_binds_and_a_fast_one_does_not},
        {"points_go_from_cheap_to_dear", points_go_from_cheap_to_dear},
        {"knees_are_confirmed", knees_are_confirmed},
        {"a_key_without_effect", a_key_without_effect},
        {"all_knees_are_one_machine", all_knees_are_one_machine},
        {"a_point_that_does_not_fit_is_shown", a_point_that_does_not_fit_is_shown},
        {"again_is_the_same", again_is_the_same},
        {"every_key_can_be_varied", every_key_can_be_varied},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
