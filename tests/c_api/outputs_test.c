/* SPDX-License-Identifier: Apache-2.0 */
/* Where the command writes: links, devices, pipes, closed streams, and one file asked for twice. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"

#define RUN "run mesh_5x5 tp_sp --set message_bytes=4KiB "

static char folder[] = "/tmp/chimera_outputs_XXXXXX";

static int kind_of(const char* path) {
    struct stat info;
    return lstat(path, &info) == 0 ? (int)(info.st_mode & S_IFMT) : 0;
}

/* A graph replaces what a link leads to, and never a device or a pipe. */
static void a_recording_leaves_links_and_devices(void) {
    CHECK(symlink("real.csv", "link.csv") == 0);
    CHECK(run(RUN "--record link.csv") == 0);
    CHECK(kind_of("link.csv") == S_IFLNK && kind_of("real.csv") == S_IFREG);
    CHECK(run("replay mesh_5x5 real.csv") == 0);
    CHECK(run(RUN "--record link.csv") == 0); /* where it is there already */
    CHECK(kind_of("link.csv") == S_IFLNK && kind_of("link.csv.part") == 0);

    CHECK(mkfifo("pipe", 0600) == 0);
    CHECK(system("timeout 60 cat pipe >piped.csv & timeout 60 " CHM_COMMAND " " RUN
                 "--record pipe >/dev/null; wait") == 0);
    CHECK(kind_of("pipe") == S_IFIFO);
    CHECK(system("cmp -s piped.csv real.csv") == 0);

    if (access("/dev/full", W_OK) == 0) {
        CHECK(symlink("/dev/full", "full") == 0); /* a fault would hit the link only */
        CHECK(run(RUN "--record full") == 2);
        CHECK_CONTAINS(output, "/dev/full: cannot write: No space left");
        CHECK(kind_of("full") == S_IFLNK);
        CHECK(run(RUN "--timeline full") == 2);
        CHECK_CONTAINS(output, "full: could not be written whole");
        CHECK(run("replay mesh_5x5 real.csv --packet-log full") == 2);
        CHECK_CONTAINS(output, "full: could not be written whole");
    }
}

/* A trace that cannot begin takes its files away again, but not what is no file. */
static void a_trace_withdraws_files_only(void) {
    CHECK(symlink("target.json", "timeline") == 0);
    CHECK(mkdir("run.gtkw", 0700) == 0);
    CHECK(run(RUN "--vcd run.vcd --timeline timeline") == 2);
    CHECK(kind_of("timeline") == S_IFLNK && kind_of("run.vcd") == 0);
}

/* However its name is spelled, and whether it is there or not. */
static void one_file_is_not_written_twice(void) {
    static const char* const pairs[] = {
        "--vcd a.out --timeline ./a.out", "--stats a.out --record ../%s/a.out",
        "--stats a.out --packet-log to_a", "--stats b.gtkw --vcd b.vcd",
        "--vcd c --record c.engine.enum"};
    CHECK(symlink("a.out", "to_a") == 0);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
        char options[256], arguments[512];
        snprintf(options, sizeof options, pairs[i], strrchr(folder, '/') + 1);
        snprintf(arguments, sizeof arguments, RUN "%s", options);
        CHECK(run(arguments) == 2);
        CHECK_CONTAINS(output, "goes there; allowed: another file");
    }
    CHECK(kind_of("a.out") == 0 && kind_of("b.vcd") == 0 && kind_of("c") == 0);
    CHECK(run(RUN "--vcd d.vcd --stats d.json --record e.gtkw") == 0);
}

static void what_cannot_be_printed_is_told(void) {
    static const char* const commands[] = {"--help", "--version", "list platforms",
                                           "validate real.csv", "explain tp_sp"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "sh -c '%s %s >&-' 2>&1", CHM_COMMAND, commands[i]);
        int status = system(arguments);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    }
    /* No file takes the number of a closed stream and gets what is printed. */
    int status = system(CHM_COMMAND " " RUN "--vcd quiet.vcd --stats quiet.json >&- 2>&- <&-");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    CHECK(system("grep -q bytes_asked quiet.vcd") != 0);
    CHECK(system("tail -c 2 quiet.json | grep -q '}'") == 0);
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"a_recording_leaves_links_and_devices", a_recording_leaves_links_and_devices},
        {"a_trace_withdraws_files_only", a_trace_withdraws_files_only},
        {"one_file_is_not_written_twice", one_file_is_not_written_twice},
        {"what_cannot_be_printed_is_told", what_cannot_be_printed_is_told},
    };
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return 1;
    }
    int result = chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
    char clean[64];
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    return system(clean) == 0 ? result : 1;
}
