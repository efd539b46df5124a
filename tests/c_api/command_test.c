/* SPDX-License-Identifier: Apache-2.0 */
/* The chimera command as a user sees it: exit status, stdout, stderr, files. */
#include <stdlib.h>
#include <sys/wait.h>

#include "check.h"

static char output[1 << 20];

/* Runs "chimera ARGUMENTS"; stdout and stderr go to `output`. Returns the exit status. */
static int run(const char* arguments) {
    char command[4096];
    snprintf(command, sizeof command, "%s %s 2>&1", CHM_COMMAND, arguments);
    FILE* pipe = popen(command, "r");
    if (pipe == NULL) {
        return -1;
    }
    size_t length = fread(output, 1, sizeof output - 1, pipe);
    output[length] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

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
        {"validates", validates},
    };
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
