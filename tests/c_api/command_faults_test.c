/* SPDX-License-Identifier: Apache-2.0 */
/* Bad input to the command, file by file and option by option: exit status 2, a message that names
   origin, key, value and what is allowed, and no file written. */
#include "refusal.h"

static void platform_files(void) {
    static const bad_case cases[] = {
        {MESH "rows: 6\n", "p.yaml:4:1: duplicate key 'rows'; it stands at 3:1 already"},
        {"platform: mesh\ncolumns: &n 5\nrows: 5\n", "p.yaml:2:11: anchor 'n'"},
        {"platform: !!str mesh\ncolumns: 5\nrows: 5\n", "p.yaml:1:11: tag 'tag:yaml.org,2002:str'"},
        {MESH "<<: {vcs: 2}\n", "p.yaml:4:1: merge key '<<'"},
        {MESH "---\n" MESH, "p.yaml:4:1: a second document"},
        {MESH "name: \xff\n", "p.yaml:4:7: invalid UTF-8"},
        {"", "the file is empty"},
        {"# nothing\n", "the file is empty"},
        {"[mesh, 5, 5]\n", "a platform is a mapping"},
        {MESH "speed: 3\n", "p.yaml:4:1: unknown key 'speed' (value '3'); allowed: platform,"},
        {MESH "vcs: 9223372036854775808\n",
         "p.yaml:4:6: key 'vcs': got '9223372036854775808'; allowed: integer 1 .. 64"},
        {MESH "vcs: 18446744073709551616\n", "got '18446744073709551616'"},
        {MESH "vcs: -1\n", "got '-1'"},
        {MESH "vcs: 0x4\n", "got '0x4'"},
        {MESH "vcs: 4.0\n", "got '4.0'"},
        {MESH "vcs: [4]\n", "key 'vcs': got a list or mapping; allowed: a single value"},
        {MESH "clock_ghz: 1e400\n", "got '1e400'; allowed: number 0.001 .. 100 GHz"},
        {MESH "clock_ghz: .nan\n", "got '.nan'"},
        {MESH "clock_ghz: .inf\n", "got '.inf'"},
        {MESH "vcs: \"4\\nmesh_5x5: valid platform\"\n", "got '4?mesh_5x5: valid platform'"},
        {MESH "ring_entries: 9\n", "key 'ring_entries': got '9'; allowed: at least window_depth"},
        {"platform: torus\ncolumns: 4\nrows: 4\nvcs: 1\n",
         "key 'vcs': got '1'; allowed on a torus"},
    };
    expect_files_refused("run %s tp_sp", "p.yaml", cases, COUNT(cases));
}

#define TENSORS "name: p\ntensors: {a: {}}\n"
#define GROUPS "meshes: {m: {place: block of 2x2}}\nlayouts: {p: {mesh: m, rank: partial}}\n"
#define PROGRAM TENSORS GROUPS "inputs: {u: {tensor: a, layout: p}}\n"
#define READ "operations: [{compute: {reads: {u: p}}}]\n"

static void program_files(void) {
    static const bad_case cases[] = {
        {PROGRAM READ, "only collectives read addends"},
        {PROGRAM, "'operations' is missing"},
        {PROGRAM "operations:\n", "p.yaml:6:1: "},
        {PROGRAM READ "operations: []\n", "p.yaml:7:1: duplicate key 'operations'"},
        {PROGRAM READ "iterations: 4097\n",
         "p.yaml:7:13: key 'iterations': got '4097'; allowed: integer 1 .. 4096"},
        {PROGRAM READ "message_bytes: 1e400\n", "p.yaml:7:16: key 'message_bytes': got '1e400'"},
        {PROGRAM READ "speed: 3\n", "p.yaml:7:1: unknown key 'speed'"},
        {PROGRAM READ "...\n---\n{}\n", "a second document"},
        {TENSORS "meshes: {m: {dies: [0, 1, 1]}}\n", "got 1 twice; allowed: each die once"},
        {TENSORS "meshes: {m: {dies: [0, 25]}}\n", "mesh_5x5 has dies 0 .. 24"},
        {TENSORS "meshes: {m: {place: block of 6x6}}\n", "does not fit mesh_5x5"},
        {PROGRAM "operations: [{all_reduce: {reads: {v: p}, writes: {x: p}}}]\n",
         "value 'v' is read before"},
        {PROGRAM "operations: [{sum: {}}]\n", "operation: got 'sum'; allowed: one of"},
        {"[]\n", "p.yaml:1:1: "},
        {"name: \xc0\x80\n", "p.yaml:1:7: invalid UTF-8"},
    };
    expect_files_refused("run mesh_5x5 %s", "p.yaml", cases, COUNT(cases));
}

static void settings(void) {
    static const bad_case cases[] = {
        {"--set ''", "--set: got ''; allowed: KEY=VALUE"},
        {"--set =4", "--set: got '=4'; allowed: KEY=VALUE"},
        {"--set speed=4", "--set speed: unknown key 'speed' (value '4'); allowed: costs,"},
        {"--set vcs=", "--set vcs: key 'vcs': got ''; allowed: integer 1 .. 64"},
        {"--set vcs=18446744073709551616", "key 'vcs': got '18446744073709551616'"},
        {"--set clock_ghz=nan", "key 'clock_ghz': got 'nan'; allowed: number 0.001 .. 100 GHz"},
        {"--set window_depth=63", "allowed: at most window_depth_max, 62"},
        {"--set window_depth=62 --set ring_entries=63", "at least window_depth + 2, 64"},
        {"--set vc_depth_flits=6", "allowed: at least a packet of mtu_bytes, 7 flits"},
        {"--set mtu_bytes=65536", "at least a packet of mtu_bytes, 1312 flits"},
        {"--set watchdog_cycles=13",
         "key 'watchdog_cycles': got '13'; allowed: at least twice the"},
        {"--set switches=2", "unknown key 'switches'"},
        {"--set columns=3 --set rows=1", "does not fit mesh_3x1"},
        {"--set message_bytes=63", "message_bytes 63; allowed: whole rows of 4-byte elements"},
        {"--set message_bytes=1025GiB", "key 'message_bytes': got '1025GiB'"},
        {"--set costs=none", "key 'costs': got 'none'; allowed: default, reference"},
        {"--set vcs=0 --set vcs=4", "key 'vcs': got '0'"},
        {"--stall 1", "--stall: got '1'; allowed: number 0 .. 1, 1 excluded"},
        {"--stall nan", "--stall: got 'nan'"},
        {"--seed 18446744073709551616", "--seed: got '18446744073709551616'"},
        {"--engine maybe", "--engine: got 'maybe'; allowed: on, off"},
    };
    for (size_t i = 0; i < COUNT(cases); ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "run mesh_5x5 tp_sp %s", cases[i].text);
        expect_refused(arguments, &cases[i]);
    }
}

/* Found only while it runs: every token goes to few experts, whose slots overflow. */
static void a_run_that_fails_leaves_files_alone(void) {
    static const bad_case overflow = {"skew", "allowed: a larger capacity_factor"};
    const char* arguments = "run mesh_5x5 sp_ep --set message_bytes=16KiB --set skew=1";
    expect_refused(arguments, &overflow);
    char stats[96];
    char line[512];
    path_of(stats, sizeof stats, "earlier.json");
    write_file(stats, "{}", 2);
    snprintf(line, sizeof line, "%s --stats %s", arguments, stats);
    CHECK(run(line) == 2);
    struct stat info;
    CHECK(stat(stats, &info) == 0 && info.st_size == 2);
    unlink(stats);
}

static void places_that_cannot_be_written(void) {
    char path[96];
    char line[512];
    static const char* const commands[] = {"run", "compare"};
    for (int i = 0; i < 2; ++i) {
        static const char* const places[] = {"/no/such/folder/x", "/", "''", "/no_such_folder/"};
        for (int p = 0; p < 4; ++p) {
            snprintf(line, sizeof line, "%s mesh_5x5 tp_sp --stats %s", commands[i], places[p]);
            CHECK(run(line) == 2);
            CHECK_CONTAINS(output, "--stats ");
            CHECK(strstr(output, "cycles") == NULL); /* said before the run */
        }
        path_of(path, sizeof path, "p.yaml");
        write_file(path, MESH, strlen(MESH));
        snprintf(line, sizeof line, "%s %s tp_sp --stats %s", commands[i], path, path);
        CHECK(run(line) == 2);
        CHECK_CONTAINS(output, "p.yaml: it is the input; allowed: another file");
        struct stat info;
        CHECK(stat(path, &info) == 0 && (size_t)info.st_size == strlen(MESH));
        unlink(path);
    }
}

static void graphs(void) {
    static const bad_case cases[] = {
        {"", "g.csv:1:1: got header ''"},
        {"id,kind,die\n", "g.csv:1:1: got header 'id,kind,die'"},
        {HEADER "1,send,0,1,1,,1\n", "a circle, 1 after 1"},
        {HEADER "1,send,0,1,1,,2\n", "g.csv:2:15: key 'after': got '2'; allowed: ids of this file"},
        {HEADER "1,send,0,25,1,,\n", "key 'destination': got '25'; allowed: integer 0 .. 24"},
        {HEADER "1,send,0,1,-1,,\n", "key 'bytes': got '-1'"},
        {HEADER "18446744073709551616,send,0,1,1,,\n", "key 'id': got '18446744073709551616'"},
        {HEADER "1,send,0,1,1,\n", "got 6 fields; allowed: 7"},
        {HEADER "1,\"send\",0,1,1,,\n", "key 'kind': got '\"send\"'; allowed: send, compute"},
        {HEADER "1,send,0,1,1,,\n1,send,0,1,1,,\n", "key 'id': got '1', which line 2 has"},
        {HEADER "1,\x1b[31m,0,1,1,,\n", "key 'kind': got '?[31m'"},
    };
    char path[96];
    char line[256];
    path_of(path, sizeof path, "g.csv");
    for (size_t i = 0; i < COUNT(cases); ++i) {
        write_file(path, cases[i].text, strlen(cases[i].text));
        snprintf(line, sizeof line, "replay mesh_5x5 %s", path);
        CHECK(run(line) == 2);
        CHECK_CONTAINS(output, cases[i].message);
    }
    write_file(path, HEADER, strlen(HEADER));
    snprintf(line, sizeof line, "replay mesh_5x5 %s --set skew=7", path); /* though unused */
    CHECK(run(line) == 2);
    CHECK_CONTAINS(output, "--set skew: key 'skew': got '7'; allowed: number 0 .. 1");
    unlink(path);
}

/* The least watchdog that is allowed does not take a working machine for a stuck one. */
static void the_least_watchdog_is_enough(void) {
    static const char* const programs[] = {"tp_ep", "pp_ep", "sp_pp_full"};
    for (int i = 0; i < 3; ++i) {
        char line[256];
        snprintf(line, sizeof line,
                 "compare torus_2x2x2 %s --data --set message_bytes=4KiB --set watchdog_cycles=14",
                 programs[i]);
        CHECK(run(line) == 0);
        CHECK_CONTAINS(output, "data equal");
    }
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"platform_files", platform_files},
        {"program_files", program_files},
        {"settings", settings},
        {"a_run_that_fails_leaves_files_alone", a_run_that_fails_leaves_files_alone},
        {"places_that_cannot_be_written", places_that_cannot_be_written},
        {"graphs", graphs},
        {"the_least_watchdog_is_enough", the_least_watchdog_is_enough},
    };
    make_folder();
    int result = chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
    rmdir(folder);
    return result;
}
