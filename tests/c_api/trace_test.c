/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "chimera.h"
#include "command.h"

static char base[64]; /* files of this process */

static const char* const beside[] = {".gtkw",         ".engine.enum",    ".host.enum",
                                     ".channel.enum", ".operation.enum", ".die.enum"};

static const char* path_of(const char* name) {
    static char paths[8][128];
    static int next;
    char* path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s%s", base, name);
    return path;
}

static long size_of(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

/* A dump and what stands beside it; returns how many of them there were. */
static int remove_dump(const char* stem) {
    char name[64];
    snprintf(name, sizeof name, "%s.vcd", stem);
    int removed = unlink(path_of(name)) == 0;
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; ++i) {
        snprintf(name, sizeof name, "%s%s", stem, beside[i]);
        removed += unlink(path_of(name)) == 0;
    }
    return removed;
}

static int run_with(const char* format, const char* a, const char* b, const char* c) {
    char arguments[1024];
    snprintf(arguments, sizeof arguments, format, a, b, c);
    return run(arguments);
}

static void a_run_writes_what_is_asked_for(void) {
    CHECK(run("run torus_4x4 tp_pp --set message_bytes=64KiB") == 0);
    char plain[256];
    const char* cycles = strstr(output, "cycles");
    CHECK(cycles != NULL);
    snprintf(plain, sizeof plain, "%.40s", cycles != NULL ? cycles : "");
    CHECK(run_with("run torus_4x4 tp_pp --set message_bytes=64KiB --vcd %s --timeline %s "
                   "--packet-log %s",
                   path_of("a.vcd"), path_of("a.json"), path_of("a.csv")) == 0);
    CHECK_CONTAINS(output, plain);
    long whole = size_of(path_of("a.vcd")), log = size_of(path_of("a.csv"));
    CHECK(whole > 10000 && log > 10000 && size_of(path_of("a.json")) > 10000);
    CHECK(run_with("run torus_4x4 tp_pp --set message_bytes=64KiB --vcd %s --packet-log %s "
                   "--vcd-scope die_0_0 --vcd-scope router_0_0 --vcd-window %s",
                   path_of("a.vcd"), path_of("a.csv"), "100000:900c") == 0);
    CHECK(size_of(path_of("a.vcd")) < whole / 4 && size_of(path_of("a.csv")) < log / 4);
    CHECK(remove_dump("a") == 7);
    CHECK(unlink(path_of("a.json")) == 0 && unlink(path_of("a.csv")) == 0);
}

static void a_comparison_writes_both_sides(void) {
    CHECK(run_with("compare mesh_5x5 sp_pp --set message_bytes=16KiB --vcd %s --timeline %s%s",
                   path_of("b.vcd"), path_of("b"), "") == 0);
    CHECK(remove_dump("b.off") == 7 && remove_dump("b.on") == 7);
    CHECK(unlink(path_of("b.off")) == 0 && unlink(path_of("b.on")) == 0);
    CHECK(!exists(path_of("b.vcd")) && !exists(path_of("b")));
}

static void a_replay_writes_too(void) {
    const char* graph = CHM_SOURCE_DIR "/tests/reference/messages/incast_fat2x8_64k.csv";
    CHECK(run_with("replay fat_tree_2x8 %s --vcd %s --packet-log %s", graph, path_of("c.vcd"),
                   path_of("c.csv")) == 0);
    CHECK(size_of(path_of("c.vcd")) > 10000 && size_of(path_of("c.csv")) > 10000);
    CHECK(remove_dump("c") == 7 && unlink(path_of("c.csv")) == 0);
    CHECK(run_with("replay fat_tree_2x8 %s --vcd %s%s", graph, graph, "") == 2);
    CHECK_CONTAINS(output, "it is the input");
}

static void bad_input_writes_nothing(void) {
    CHECK(run_with("run mesh_5x5 tp_sp --vcd %s --vcd-scope %s%s", path_of("d.vcd"), "die_7_7",
                   "") == 2);
    CHECK_CONTAINS(output, "trace scope 'die_7_7'");
    CHECK(run_with("run mesh_5x5 tp_sp --vcd %s --vcd-window %s%s", path_of("d.vcd"), "9c:2c",
                   "") == 2);
    CHECK_CONTAINS(output, "trace window '9c:2c'");
    CHECK(run_with("run mesh_5x5 no_such_program --vcd %s%s%s", path_of("d.vcd"), "", "") == 2);
    CHECK(run_with("run mesh_5x5 tp_sp --vcd %s --timeline %s%s", path_of("d.vcd"),
                   path_of("d.vcd"), "") == 2);
    CHECK_CONTAINS(output, "--vcd goes there");
    CHECK(run_with("run mesh_5x5 tp_sp --stats %s --packet-log %s%s", path_of("d.json"),
                   path_of("d.json"), "") == 2);
    CHECK_CONTAINS(output, "--stats goes there");
    CHECK(run_with("run mesh_5x5 tp_sp --vcd %s --timeline %s%s", path_of("d.vcd"),
                   path_of("d.gtkw"), "") == 2);
    CHECK_CONTAINS(output, "--vcd goes there");
    CHECK(run("run mesh_5x5 tp_sp --timeline /no/such/dir/x") == 2);
    CHECK_CONTAINS(output, "--timeline /no/such/dir/x: ");
    CHECK(run("run mesh_5x5 tp_sp --vcd-scope die_0_0") == 2); /* of what? */
    CHECK_CONTAINS(output, "--vcd-scope");
    CHECK(remove_dump("d") == 0 && !exists(path_of("d.json")));
}

static chm_simulation* simulation_of(chm_platform** platform, chm_program** program,
                                     const chm_trace_options* trace) {
    chm_settings* settings = NULL;
    chm_simulation* simulation = NULL;
    CHECK(chm_settings_create(&settings) == chm_ok);
    CHECK(chm_settings_parse(settings, "message_bytes=64KiB") == chm_ok);
    CHECK(chm_platform_load(platform, "torus_4x4", NULL) == chm_ok);
    CHECK(chm_program_load(program, *platform, "tp_pp", settings, 1) == chm_ok);
    chm_run_options options = CHM_RUN_OPTIONS_INIT;
    options.trace = trace;
    CHECK(chm_simulation_create(&simulation, *platform, *program, &options) == chm_ok);
    chm_settings_free(settings);
    return simulation;
}

static void free_all(chm_simulation* simulation, chm_platform* platform, chm_program* program) {
    chm_simulation_free(simulation);
    chm_program_free(program);
    chm_platform_free(platform);
}

static uint64_t cycles_of(const chm_simulation* simulation) {
    chm_result result = CHM_RESULT_INIT;
    CHECK(chm_simulation_result(simulation, &result) == chm_ok);
    return result.cycles;
}

static void starts_stops_and_selects_at_run_time(void) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_simulation* simulation = simulation_of(&platform, &program, NULL);
    CHECK(chm_simulation_run(simulation) == chm_ok);
    const uint64_t cycles = cycles_of(simulation);
    free_all(simulation, platform, program);

    simulation = simulation_of(&platform, &program, NULL);
    CHECK(chm_simulation_trace_stop(simulation) == chm_ok); /* nothing to stop */
    CHECK(chm_simulation_run_until(simulation, 500000) == chm_ok);
    const char* scopes[] = {"die_0_0.engine", "die_1_0"};
    chm_trace_options options = CHM_TRACE_OPTIONS_INIT;
    const char* vcd = options.vcd = path_of("e.vcd");
    options.scopes = scopes;
    options.scope_count = 2;
    CHECK(chm_simulation_trace_start(simulation, &options) == chm_ok);
    CHECK(chm_simulation_trace_start(simulation, &options) == chm_bad_argument);
    CHECK_CONTAINS(chm_last_error(), "a trace is on");
    const long header = size_of(vcd);
    CHECK(chm_simulation_run_until(simulation, 1000000) == chm_ok);
    const long flushed = size_of(vcd); /* as far as it is certain, at each stop of the run */
    CHECK(flushed > header);
    CHECK(chm_simulation_trace_stop(simulation) == chm_ok);
    const long stopped = size_of(vcd);
    CHECK(stopped > flushed);
    CHECK(chm_simulation_run_until(simulation, 1500000) == chm_ok);
    CHECK(size_of(vcd) == stopped);
    const char* other = options.vcd = path_of("f.vcd");
    options.scope_count = 1;
    CHECK(chm_simulation_trace_start(simulation, &options) == chm_ok);
    CHECK(chm_simulation_run(simulation) == chm_ok);
    CHECK(cycles_of(simulation) == cycles);
    const long ended = size_of(other); /* complete when the program has ended */
    CHECK(ended > 0);
    free_all(simulation, platform, program);
    CHECK(size_of(other) == ended);
    CHECK(remove_dump("e") == 7 && remove_dump("f") == 7);
}

/* Freed in the middle: the trace has what was there. */
static void is_flushed_when_freed(void) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_trace_options options = CHM_TRACE_OPTIONS_INIT;
    const char* timeline = options.timeline = path_of("g.json");
    chm_simulation* simulation = simulation_of(&platform, &program, &options);
    CHECK(chm_simulation_run_until(simulation, 1000000) == chm_ok);
    free_all(simulation, platform, program);
    FILE* file = fopen(timeline, "r");
    CHECK(file != NULL);
    if (file != NULL) {
        char end[4] = "";
        CHECK(fseek(file, -3, SEEK_END) == 0 && fread(end, 1, 3, file) == 3);
        CHECK(strcmp(end, "]}\n") == 0);
        fclose(file);
    }
    unlink(timeline);
}

static void arguments(void) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_simulation* simulation = simulation_of(&platform, &program, NULL);
    chm_trace_options options = CHM_TRACE_OPTIONS_INIT;
    CHECK(chm_simulation_trace_start(NULL, &options) == chm_bad_argument);
    CHECK(chm_simulation_trace_start(simulation, NULL) == chm_bad_argument);
    CHECK(chm_simulation_trace_stop(NULL) == chm_bad_argument);
    CHECK(chm_simulation_trace_start(simulation, &options) == chm_bad_argument);
    CHECK_CONTAINS(chm_last_error(), "names no file");
    options.packet_log = path_of("h.csv");
    options.scope_count = 1;
    CHECK(chm_simulation_trace_start(simulation, &options) == chm_bad_argument);
    CHECK_CONTAINS(chm_last_error(), "scope 0 is null");
    options.scope_count = 0;
    options.struct_size = 8;
    CHECK(chm_simulation_trace_start(simulation, &options) == chm_bad_argument);
    CHECK(!exists(path_of("h.csv")));
    options.struct_size = sizeof options;
    options.packet_log = "/dev/full";
    if (exists("/dev/full")) {
        CHECK(chm_simulation_trace_start(simulation, &options) == chm_ok);
        CHECK(chm_simulation_run(simulation) == chm_io);
        CHECK_CONTAINS(chm_last_error(), "could not be written");
        CHECK(cycles_of(simulation) > 0);
    }
    free_all(simulation, platform, program);
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"a_run_writes_what_is_asked_for", a_run_writes_what_is_asked_for},
        {"a_comparison_writes_both_sides", a_comparison_writes_both_sides},
        {"a_replay_writes_too", a_replay_writes_too},
        {"bad_input_writes_nothing", bad_input_writes_nothing},
        {"starts_stops_and_selects_at_run_time", starts_stops_and_selects_at_run_time},
        {"is_flushed_when_freed", is_flushed_when_freed},
        {"arguments", arguments},
    };
    snprintf(base, sizeof base, "/tmp/chimera_trace_%d_", (int)getpid());
    return chm_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);
}
