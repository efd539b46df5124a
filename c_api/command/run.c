// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "commands.h"
#include "outputs.h"

static chm_format format_of(const command_line* line) {
    return line->json ? chm_format_json : chm_format_text;
}

static int save(chm_report* statistics, const char* path) {
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        int result = chm_cannot_write("--stats", path);
        chm_report_free(statistics);
        return result;
    }
    int result = fputs(chm_report_text(statistics), file) < 0 || fflush(file) != 0
                     ? chm_cannot_write("--stats", path)
                     : 0;
    chm_report_free(statistics);
    return fclose(file) != 0 && result == 0 ? chm_cannot_write("--stats", path) : result;
}

static int save_statistics(const chm_simulation* simulation, const char* path) {
    chm_report* report = NULL;
    chm_status status = chm_simulation_statistics(&report, simulation);
    return status == chm_ok ? save(report, path) : chm_fail("chimera run", status);
}

static int report(const chm_simulation* simulation, chm_status run, const command_line* line) {
    int result = 0;
    if (run != chm_ok) {
        result = chm_fail("chimera run", run);
        if (run != chm_mismatch && run != chm_deadlock && run != chm_unreachable) {
            return result;
        }
    }
    chm_report* text = NULL;
    chm_status status = chm_simulation_report(&text, simulation, format_of(line));
    int printed = status == chm_ok ? chm_print(text) : chm_fail("chimera run", status);
    int written = line->stats_path != NULL ? save_statistics(simulation, line->stats_path) : 0;
    return result != 0 ? result : printed != 0 ? printed : written;
}

static int run(const chm_platform* platform, const chm_program* program,
               const chm_run_options* options, const command_line* line) {
    chm_simulation* simulation = NULL;
    chm_status status = chm_simulation_create(&simulation, platform, program, options);
    if (status != chm_ok) {
        return chm_fail("chimera run", status);
    }
    int result = report(simulation, chm_simulation_run(simulation), line);
    chm_simulation_free(simulation);
    return result;
}

int chm_command_run(const command_line* line) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_run_options options;
    int result = chm_check_outputs(line, &line->trace, NULL);
    if (result == 0) {
        result = chm_load_run(line, &platform, &program, &options);
    }
    if (result == 0) {
        options.trace = chm_traces(&line->trace) ? &line->trace : NULL;
        result = run(platform, program, &options, line);
        chm_program_free(program);
        chm_platform_free(platform);
    }
    return result;
}

static int compare(const chm_platform* platform, const chm_program* program,
                   const chm_run_options* options, const command_line* line) {
    chm_report* text = NULL;
    chm_report* statistics = NULL;
    chm_status status =
        chm_compare(NULL, &text, format_of(line), line->stats_path != NULL ? &statistics : NULL,
                    platform, program, options);
    int result = status != chm_ok ? chm_fail("chimera compare", status) : 0;
    if (status == chm_ok || status == chm_mismatch) {
        int printed = chm_print(text);
        int saved = line->stats_path != NULL ? save(statistics, line->stats_path) : 0;
        result = result != 0 ? result : printed != 0 ? printed : saved;
    }
    return result;
}

int chm_command_compare(const command_line* line) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_run_options options;
    trace_side off, on;
    if (!chm_trace_sides(&line->trace, &off, &on)) {
        return chm_fail("chimera compare", chm_no_memory);
    }
    int result = chm_check_outputs(line, &off.options, &on.options);
    if (result == 0) {
        result = chm_load_run(line, &platform, &program, &options);
    }
    if (result == 0) {
        options.trace_unfused = chm_traces(&off.options) ? &off.options : NULL;
        options.trace = chm_traces(&on.options) ? &on.options : NULL;
        result = compare(platform, program, &options, line);
        chm_program_free(program);
        chm_platform_free(platform);
    }
    chm_trace_side_free(&off);
    chm_trace_side_free(&on);
    return result;
}
