/* SPDX-License-Identifier: Apache-2.0 */
/* The chimera command as a user sees it: exit status, stdout, stderr, files. */
#include <unistd.h>

#include "command.h"

static void help_and_version(void) {
    CHECK(run("--version") == 0);
    CHECK_CONTAINS(output, "chimera 0.1.0");
    CHECK(run("--help") == 0);
    CHECK_CONTAINS(output, "replay");
    CHECK(run("replay --help") == 0);
    CHECK_CONTAINS(output, "--seed");
}

static void bad_command_lines(void) {
    CHECK(run("") == 2);
    CHECK(run("simulate") == 2);
    CHECK_CONTAINS(output, "got 'simulate'");
    CHECK(run("replay mesh_5x5") == 2);
    CHECK_CONTAINS(output, "got 1 arguments; needed: PLATFORM GRAPH.csv");
    CHECK(run("list colours") == 2);
    CHECK_CONTAINS(output, "got 'colours'; allowed: platforms, programs, parameters");
    CHECK(run("replay mesh_5x5 x.csv --seed -1") == 2);
    CHECK_CONTAINS(output, "--seed: got '-1'; allowed: integer 0 .. 18446744073709551615");
    CHECK(run("replay mesh_5x5 x.csv --no-such-option") == 2);
    CHECK(run("replay mesh_5x5 x.csv --set vcs") == 2);
    CHECK_CONTAINS(output, "--set: got 'vcs'; allowed: KEY=VALUE");
}

static void lists(void) {
    CHECK(run("list platforms") == 0);
    CHECK_CONTAINS(output, "mesh_5x5");
    CHECK(run("list parameters --json") == 0);
    CHECK_CONTAINS(output, "\"name\": \"window_depth\"");
}

static void replays(void) {
    /* 896 flits arrive at 1,004, compute at 1,005, next send at 1,007, 448 flits arrive at 1,563,
       compute at 1,564; plus 1. */
    CHECK(run("replay mesh_5x5 " CHM_SOURCE_DIR
              "/tests/reference/transitions/tp_sp.fused.mesh_5x5.65536.csv --json") == 0);
    CHECK_CONTAINS(output, "\"cycles\": 1565,");
    CHECK_CONTAINS(output, "\"time_ps\": 1565000,");
    /* The same number of cycles at 1.7 GHz: ceil(1565 / 1.7e-3) ps. */
    CHECK(run("replay mesh_5x5 " CHM_SOURCE_DIR
              "/tests/reference/transitions/tp_sp.fused.mesh_5x5.65536.csv --json"
              " --set clock_ghz=1.7") == 0);
    CHECK_CONTAINS(output, "\"cycles\": 1565,");
    CHECK_CONTAINS(output, "\"time_ps\": 920589,");
    CHECK(run("replay mesh_5x5 no_such_file.csv") == 2);
    CHECK_CONTAINS(output, "no_such_file.csv: cannot read");
    CHECK(run("replay mesh_5x5 " CHM_SOURCE_DIR "/README.md") == 2);
    CHECK_CONTAINS(output, "README.md:1:1: got header");
    CHECK(run("replay mesh_9 x.csv") == 2);
    CHECK_CONTAINS(output, "argument PLATFORM: got 'mesh_9'; allowed: ");
}

#define GRAPHS CHM_SOURCE_DIR "/tests/reference/"

/* Every loosely timed figure says so, and how far it may be off for its kind of traffic. */
static void loosely_timed_figures_carry_their_error(void) {
    static const struct {
        const char* arguments;
        const char* text;
        const char* json;
    } cases[] = {
        {"run mesh_5x5 tp_sp --set message_bytes=4KiB", "collectives one after the other: cycles",
         "\"traffic\": \"transitions\""},
        {"compare mesh_5x5 tp_sp --set message_bytes=4KiB",
         "collectives one after the other: cycles", "\"traffic\": \"transitions\""},
        {"replay mesh_5x5 " GRAPHS "transitions/tp_sp.fused.mesh_5x5.65536.csv",
         "collectives one after the other: cycles", "\"traffic\": \"transitions\""},
        {"replay torus_8x8 " GRAPHS "messages/tornado_torus8_64k.csv",
         "block each other at the heads of queues: cycles within 25.0 %",
         "\"traffic\": \"blocked\""},
        {"load mesh_5x5 --rate 0.1", "packets offered below saturation: accepted rate and mean",
         "\"traffic\": \"load\""},
        {"load mesh_5x5 --pattern hotspot --rate 0.9",
         "packets offered beyond saturation: accepted rate and mean", "\"traffic\": \"saturated\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char command[512];
        snprintf(command, sizeof command, "%s --fidelity lt", cases[i].arguments);
        CHECK(run(command) == 0);
        CHECK_CONTAINS(output, "fidelity lt, measured against at (docs/fidelity.md):");
        CHECK_CONTAINS(output, cases[i].text);
        CHECK(strstr(output, "this run has others") == NULL);
        snprintf(command, sizeof command, "%s --json --set fidelity=lt --set lt_chunk_bytes=4KiB",
                 cases[i].arguments);
        CHECK(run(command) == 0);
        CHECK_CONTAINS(output, "\"fidelity\": \"lt\"");
        CHECK_CONTAINS(output, cases[i].json);
        CHECK_CONTAINS(output, "\"fidelity_errors_as_measured\": false");
        snprintf(command, sizeof command, "%s --json", cases[i].arguments);
        CHECK(run(command) == 0);
        CHECK_CONTAINS(output, "\"fidelity\": \"at\"");
        CHECK(strstr(output, "fidelity_errors") == NULL);
        CHECK(run(cases[i].arguments) == 0);
        CHECK(strstr(output, "fidelity") == NULL);
    }
    CHECK(run("run mesh_5x5 tp_sp --fidelity xt") == 2);
    CHECK_CONTAINS(output, "'fidelity': got 'xt'; allowed: at, lt");
}

static void bad_input_writes_nothing(void) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/chimera_command_test_%ld.json", (long)getpid());
    char arguments[256];
    snprintf(arguments, sizeof arguments, "run mesh_5x5 tp_sp --stats %s --set vcs=0", path);
    CHECK(run(arguments) == 2);
    CHECK_CONTAINS(output, "--set vcs: key 'vcs': got '0'; allowed: integer 1 .. 64");
    CHECK(!exists(path));
    snprintf(arguments, sizeof arguments, "run mesh_5x5 tp_sp --stats %s --set skew=2", path);
    CHECK(run(arguments) == 2);
    CHECK(!exists(path));
    CHECK(run("run mesh_5x5 tp_sp --engine maybe") == 2);
    CHECK_CONTAINS(output, "--engine: got 'maybe'; allowed: on, off");
    CHECK(run("run mesh_5x5 tp_sp --stall 1.5") == 2);
    CHECK_CONTAINS(output, "--stall: got '1.5'; allowed: number 0 .. 1");
}

static void runs_and_compares(void) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/chimera_command_test_%ld.json", (long)getpid());
    char arguments[256];
    snprintf(arguments, sizeof arguments,
             "compare torus_2x2x2 tp_sp --set message_bytes=4KiB --data --json --stats %s", path);
    CHECK(run(arguments) == 0);
    static const char* const keys[] = {"platform\": \"torus_2x2x2\"",
                                       "program\": \"tp_sp\"",
                                       "message_bytes\": 4096",
                                       "seed\": 1",
                                       "unfused\": {",
                                       "fused\": {",
                                       "cycles\": ",
                                       "time_ps\": ",
                                       "bytes_asked\": ",
                                       "bytes_moved\": ",
                                       "metadata_bytes\": ",
                                       "byte_hops\": ",
                                       "exposed_communication_cycles\": ",
                                       "lower_bound_cycles\": ",
                                       "bandwidth_cycles\": ",
                                       "latency_cycles\": ",
                                       "bound_by\": \"",
                                       "runner_up\": \"",
                                       "peak_memory_bytes\": ",
                                       "speedup\": ",
                                       "data\": \"equal\""};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        CHECK_CONTAINS(output, keys[i]);
    }
    CHECK(exists(path));
    unlink(path);
    snprintf(arguments, sizeof arguments,
             "run torus_2x2x2 tp_sp --set message_bytes=4KiB --engine off --stats %s", path);
    CHECK(run(arguments) == 0);
    CHECK_CONTAINS(output, "engine                                   off");
    CHECK_CONTAINS(output, "data off");
    CHECK(exists(path));
    unlink(path);
    CHECK(run("run torus_2x2x2 tp_sp --set message_bytes=4KiB --stats /no/such/dir/x") == 2);
    CHECK_CONTAINS(output, "--stats /no/such/dir/x: ");
}

static void explains(void) {
    /* tp_ep scatters along tokens because gating, which needs complete rows, follows. */
    CHECK(run("explain tp_ep --platform torus_4x4") == 0);
    CHECK_CONTAINS(output, "chosen R-S(tokens); gating; A2A");
    CHECK_CONTAINS(output, "[opaque]");
    CHECK(run("explain tp_ep --set window_depth=1") == 0);
    CHECK_CONTAINS(output, "[window]");
    CHECK(run("explain tp_ep --set message_bytes=64KiB --json") == 0);
    CHECK_CONTAINS(output, "\"message_bytes\": 65536,");
    CHECK_CONTAINS(output, "\"transfers\"");
    CHECK(run("explain") == 2);
    CHECK(run("explain no_such_program") == 2);
    CHECK_CONTAINS(output, "argument PROGRAM: got 'no_such_program'; allowed: ");
    CHECK_CONTAINS(output, ", pp_ep, sp_ep, ");
}

static void explains_pairs(void) {
    static const char* const kinds[] = {"R-S", "A-G", "A2A", "P2P", "M2MS"};
    CHECK(run("explain --pairs --platform mesh_5x5") == 0);
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 5; ++j) {
            char pair[32];
            snprintf(pair, sizeof pair, "\n%s + %s -> ", kinds[i], kinds[j]);
            CHECK_CONTAINS(output, pair);
        }
    }
    CHECK(run("explain --pairs tp_ep") == 2);
    CHECK(run("explain --pairs --set message_bytes=4KiB --json") == 0);
    CHECK_CONTAINS(output, "\"message_bytes\": 4096,");
}

static void validates(void) {
    CHECK(run("validate " CHM_SOURCE_DIR "/platforms/mesh_5x5.yaml " CHM_SOURCE_DIR
              "/traces/tp_ep.yaml") == 0);
    CHECK_CONTAINS(output, "mesh_5x5.yaml: valid platform");
    CHECK_CONTAINS(output, "tp_ep.yaml: valid program");
    CHECK(run("validate " CHM_SOURCE_DIR "/c_api/examples/broken.yaml " CHM_SOURCE_DIR
              "/traces/tp_ep.yaml") == 2);
    CHECK_CONTAINS(output, "broken.yaml:5:1: duplicate key 'tensors'");
    CHECK_CONTAINS(output, "tp_ep.yaml: valid program");
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"help_and_version", help_and_version},
        {"bad_command_lines", bad_command_lines},
        {"lists", lists},
        {"replays", replays},
        {"loosely_timed_figures_carry_their_error", loosely_timed_figures_carry_their_error},
        {"bad_input_writes_nothing", bad_input_writes_nothing},
        {"runs_and_compares", runs_and_compares},
        {"explains", explains},
        {"explains_pairs", explains_pairs},
        {"validates", validates},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
