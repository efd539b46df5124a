/* SPDX-License-Identifier: Apache-2.0 */
/* chimera size: bad command lines, and the files of --plot. */
#include <dirent.h>
#include <unistd.h>

#include "command.h"

#define SMALL "size mesh_5x5 tp_sp --set message_bytes=4KiB "

static char folder[] = "/tmp/chimera_size_test_XXXXXX";

static int files_in_folder(void) {
    DIR* directory = opendir(folder);
    int count = 0;
    for (struct dirent* entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return count;
}

static void empty_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -f %s/*", folder);
    CHECK(system(command) == 0);
}

static void bad_command_lines_run_nothing(void) {
    static const struct {
        const char* arguments;
        const char* text;
    } cases[] = {
        {"size", "needed: PLATFORM PROGRAM|CONFIGURATION"},
        {"size mesh_9 tp_sp", "argument PLATFORM: got 'mesh_9'; allowed: "},
        {"size mesh_5x5 tp_xx", "argument PROGRAM: got 'tp_xx'; allowed: "},
        {SMALL "--set vcs=0", "key 'vcs': got '0'; allowed: integer 1 .. 64"},
        {SMALL "--set colour=red", "unknown key 'colour'"},
        {SMALL "--fidelity xt", "'fidelity': got 'xt'; allowed: at, lt"},
        {SMALL "--parameter columns", "--parameter: got 'columns'; allowed: KEY or KEY=A:B:STEPS"},
        {SMALL "--parameter ''", "--parameter: got ''"},
        {SMALL "--parameter =1:2:3", "--parameter: got '=1:2:3'"},
        {SMALL "--parameter window_depth=", "--parameter window_depth: got ''; allowed: A:B:STEPS"},
        {SMALL "--parameter window_depth=4", "got '4'; allowed: A:B:STEPS"},
        {SMALL "--parameter window_depth=4:8", "got '4:8'; allowed: A:B:STEPS"},
        {SMALL "--parameter window_depth=4:8:1", "2 .. 32 values"},
        {SMALL "--parameter window_depth=4:8:33", "2 .. 32 values"},
        {SMALL "--parameter window_depth=8:4:3", "from A up to B"},
        {SMALL "--parameter window_depth=1:8:3x", "got '1:8:3x'"},
        {SMALL "--parameter window_depth=-1:8:3", "got '-1:8:3'"},
        {SMALL "--parameter window_depth=1:99999999999999999999:3",
         "got '1:99999999999999999999:3'"},
        {SMALL "--parameter staging_bytes=1:9007199254740991GiB:3",
         "got '1:9007199254740991GiB:3'"},
        {SMALL "--parameter window_depth=0:8:3",
         "--parameter window_depth: got 0; allowed: integer 1 .. 65535 descriptors"},
        {SMALL "--parameter window_depth=1:70000:3", "got 70000; allowed: integer 1 .. 65535"},
        {SMALL "--parameter dma_channels --parameter dma_channels=1:2:2", "stands there twice"},
        {SMALL "--parameter vc_depth_flits", "needed: --fidelity at"},
        {SMALL "--engine off", "unrecognized option"},
        {SMALL "--set drop_probability=0.1", "fidelity"},
        {SMALL "--jobs 0", "--jobs: got '0'; allowed: integer 1 .. 64"},
        {SMALL "--jobs 65", "--jobs: got '65'"},
        {SMALL "--plot /no/such/folder/x", "--plot /no/such/folder/x.dat: No such file"},
        {SMALL "--plot ''", "allowed: the beginning of file names"},
        {SMALL "--plot /tmp/", "allowed: the beginning of file names"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char arguments[1024];
        const int plots = strstr(cases[i].arguments, "--plot") != NULL;
        snprintf(arguments, sizeof arguments, "%s%s%s%s", cases[i].arguments,
                 plots ? "" : " --plot ", plots ? "" : folder, plots ? "" : "/x");
        CHECK(run(arguments) == 2);
        CHECK_CONTAINS(output, cases[i].text);
        CHECK(strstr(output, "knee") == NULL);
        CHECK(files_in_folder() == 0);
    }
}

/* A machine that cannot end is no machine to vary; loosely timed ones cannot fail at all. */
static void a_machine_that_does_not_run(void) {
    char arguments[512];
    snprintf(arguments, sizeof arguments,
             "dump mesh_5x5 tp_sp --fail die:die_0_0@1 --set message_bytes=4KiB > %s/c.yaml",
             folder);
    CHECK(run(arguments) == 0);
    snprintf(arguments, sizeof arguments,
             "size %s/c.yaml --fidelity at --parameter dma_channels --jobs 2", folder);
    CHECK(run(arguments) == 1);
    CHECK_CONTAINS(output, "the machine that is to be varied: ");
    CHECK_CONTAINS(output, "die_0_0");
    CHECK(strstr(output, "knee") == NULL);
    snprintf(arguments, sizeof arguments, "size %s/c.yaml --parameter dma_channels", folder);
    CHECK(run(arguments) == 2);
    CHECK_CONTAINS(output, "allowed: fidelity at");
    empty_folder();
    CHECK(run(SMALL "--set window_depth=64 --parameter dma_channels") == 2);
    CHECK_CONTAINS(output, "allowed: at most window_depth_max, 62");
    CHECK(strstr(output, "knee") == NULL);
}

static void plots_are_written_whole(void) {
    char arguments[512], path[128];
    snprintf(arguments, sizeof arguments, SMALL "--parameter dma_channels --plot \"%s/it's\"",
             folder);
    CHECK(setenv("PATH", "/nowhere", 1) == 0);
    CHECK(run(arguments) == 0);
    CHECK_CONTAINS(output, "gnuplot is not there: ");
    CHECK(files_in_folder() == 2);
    snprintf(path, sizeof path, "%s/it's.dat", folder);
    FILE* file = fopen(path, "r");
    CHECK(file != NULL);
    size_t length = file != NULL ? fread(output, 1, sizeof output - 1, file) : 0;
    output[length] = '\0';
    CHECK_CONTAINS(output, "# dma_channels\n0 1 1 ");
    CHECK_CONTAINS(output, "\n4 16 16 ");
    CHECK(file == NULL || fclose(file) == 0);
}

/* gnuplot that fails leaves no picture; one that is there gets the script. */
static void gnuplot_is_called(const char* body, int expected) {
    char path[128], arguments[512];
    snprintf(path, sizeof path, "%s/gnuplot", folder);
    FILE* file = fopen(path, "w");
    CHECK(file != NULL && fprintf(file, "#!/bin/sh\n%s\n", body) > 0 && fclose(file) == 0);
    CHECK(chmod(path, 0755) == 0);
    CHECK(setenv("PATH", folder, 1) == 0);
    snprintf(arguments, sizeof arguments, SMALL "--parameter dma_channels --plot %s/x", folder);
    CHECK(run(arguments) == expected);
}

static void a_picture_is_drawn_or_not(void) {
    char old[4096], picture[128];
    snprintf(old, sizeof old, "%s", getenv("PATH"));
    snprintf(picture, sizeof picture, "%s/x.svg", folder);
    gnuplot_is_called("echo \"script $1\"; : >\"${1%.gp}.svg\"", 0);
    CHECK_CONTAINS(output, "/x.gp\n");
    CHECK(exists(picture));
    gnuplot_is_called(": >\"${1%.gp}.svg\"; exit 1", 2);
    CHECK_CONTAINS(output, "--plot: gnuplot ");
    CHECK(!exists(picture));
    CHECK(setenv("PATH", old, 1) == 0);
}

static void inputs_are_not_overwritten(void) {
    char arguments[512];
    snprintf(arguments, sizeof arguments, "dump mesh_5x5 tp_sp > %s/x.dat", folder);
    CHECK(run(arguments) == 0);
    snprintf(arguments, sizeof arguments, "size %s/x.dat --plot %s/x", folder, folder);
    CHECK(run(arguments) == 2);
    CHECK_CONTAINS(output, "x.dat: it is the input; allowed: another file");
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"bad_command_lines_run_nothing", bad_command_lines_run_nothing},
        {"a_machine_that_does_not_run", a_machine_that_does_not_run},
        {"plots_are_written_whole", plots_are_written_whole},
        {"a_picture_is_drawn_or_not", a_picture_is_drawn_or_not},
        {"inputs_are_not_overwritten", inputs_are_not_overwritten},
    };
    if (mkdtemp(folder) == NULL) {
        return 2;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH") != NULL ? getenv("PATH") : "");
    int failed = chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
    setenv("PATH", path, 1);
    empty_folder();
    rmdir(folder);
    return failed;
}
