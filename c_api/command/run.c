// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"

static chm_format format_of(const command_line* line) {
    return line->json ? chm_format_json : chm_format_text;
}

static int cannot_write(const char* path) {
    fprintf(stderr, "--stats %s: %s\n", path, strerror(errno));
    return chm_exit_usage;
}

// Writes a report to a file that is open, and frees the report.
static int write_report(chm_report* report, FILE* file, const char* path) {
    int failed = fputs(chm_report_text(report), file) < 0;
    chm_report_free(report);
    return fflush(file) != 0 || failed ? cannot_write(path) : 0;
}

static int write_statistics(const chm_simulation* simulation, FILE* file, const char* path) {
    chm_report* report = NULL;
    chm_status status = chm_simulation_statistics(&report, simulation);
    return status == chm_ok ? write_report(report, file, path) : chm_fail("chimera run", status);
}

static int report(const chm_simulation* simulation, chm_status run, FILE* stats,
                  const command_line* line) {
    int result = 0;
    if (run != chm_ok) {
        result = chm_fail("chimera run", run);
        if (run != chm_mismatch && run != chm_deadlock) {
            return result;
        }
    }
    chm_report* text = NULL;
    chm_status status = chm_simulation_report(&text, simulation, format_of(line));
    int printed = status == chm_ok ? chm_print(text) : chm_fail("chimera run", status);
    int written = stats != NULL ? write_statistics(simulation, stats, line->stats_path) : 0;
    return result != 0 ? result : printed != 0 ? printed : written;
}

// The file for statistics is opened only now that all input has proved good.
static int run(const chm_platform* platform, const chm_program* program, const command_line* line) {
    chm_simulation* simulation = NULL;
    chm_status status = chm_simulation_create(&simulation, platform, program, &line->options);
    if (status != chm_ok) {
        return chm_fail("chimera run", status);
    }
    FILE* stats = line->stats_path != NULL ? fopen(line->stats_path, "w") : NULL;
    int result;
    if (line->stats_path != NULL && stats == NULL) {
        result = cannot_write(line->stats_path);
    } else {
        status = chm_simulation_run(simulation);
        result = report(simulation, status, stats, line);
    }
    if (stats != NULL && fclose(stats) != 0 && result == 0) {
        result = cannot_write(line->stats_path);
    }
    chm_simulation_free(simulation);
    return result;
}

int chm_command_run(const command_line* line) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    int result = chm_load(line, line->positional[0], line->positional[1], &platform, &program);
    if (result == 0) {
        result = run(platform, program, line);
        chm_program_free(program);
        chm_platform_free(platform);
    }
    return result;
}

static int save(chm_report* statistics, const char* path) {
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        chm_report_free(statistics);
        return cannot_write(path);
    }
    int result = write_report(statistics, file, path);
    return fclose(file) != 0 && result == 0 ? cannot_write(path) : result;
}

int chm_command_compare(const command_line* line) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    int result = chm_load(line, line->positional[0], line->positional[1], &platform, &program);
    if (result != 0) {
        return result;
    }
    chm_report* text = NULL;
    chm_report* statistics = NULL;
    chm_status status =
        chm_compare(NULL, &text, format_of(line), line->stats_path != NULL ? &statistics : NULL,
                    platform, program, &line->options);
    if (status != chm_ok) {
        result = chm_fail("chimera compare", status);
    }
    if (status == chm_ok || status == chm_mismatch) {
        int printed = chm_print(text);
        int saved = line->stats_path != NULL ? save(statistics, line->stats_path) : 0;
        result = result != 0 ? result : printed != 0 ? printed : saved;
    }
    chm_program_free(program);
    chm_platform_free(platform);
    return result;
}
