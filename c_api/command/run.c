// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // access, stat

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"

static chm_format format_of(const command_line* line) {
    return line->json ? chm_format_json : chm_format_text;
}

static int cannot_write(const char* option, const char* path) {
    fprintf(stderr, "%s %s: %s\n", option, path, strerror(errno));
    return chm_exit_usage;
}

static bool same_file(const struct stat* file, const char* path) {
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

// Whether the directory of a file that is not there yet can take it.
static bool can_create(const char* path) {
    const char* slash = strrchr(path, '/');
    char directory[4096] = ".";
    if (slash != NULL) {
        size_t length = slash == path ? 1 : (size_t)(slash - path);
        if (length >= sizeof directory || slash[1] == '\0') {
            errno = slash[1] == '\0' ? EISDIR : ENAMETOOLONG;
            return false;
        }
        memcpy(directory, path, length);
        directory[length] = '\0';
    }
    return path[0] != '\0' ? access(directory, W_OK | X_OK) == 0 : (errno = ENOENT, false);
}

// What stands in the way of writing a file is said before the run, but it is written only after it:
// a run that fails leaves no file, and an earlier run's as it was.
static int check_output(const command_line* line, const char* option, const char* path) {
    struct stat info;
    if (path == NULL) {
        return 0;
    }
    if (stat(path, &info) != 0) {
        return errno == ENOENT && can_create(path) ? 0 : cannot_write(option, path);
    }
    for (int i = 0; i < line->count; ++i) {
        if (same_file(&info, line->positional[i])) {
            fprintf(stderr, "%s %s: it is the input; allowed: another file\n", option, path);
            return chm_exit_usage;
        }
    }
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return cannot_write(option, path);
    }
    return access(path, W_OK) == 0 ? 0 : cannot_write(option, path);
}

static int check_outputs(const command_line* line) {
    const char* stats = line->stats_path;
    const char* record = line->options.record;
    if (stats != NULL && record != NULL && strcmp(stats, record) == 0) {
        fprintf(stderr, "--record %s: the statistics go there; allowed: another file\n", record);
        return chm_exit_usage;
    }
    int result = check_output(line, "--stats", stats);
    return result != 0 ? result : check_output(line, "--record", record);
}

static int save(chm_report* statistics, const char* path) {
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        int result = cannot_write("--stats", path);
        chm_report_free(statistics);
        return result;
    }
    int result = fputs(chm_report_text(statistics), file) < 0 || fflush(file) != 0
                     ? cannot_write("--stats", path)
                     : 0;
    chm_report_free(statistics);
    return fclose(file) != 0 && result == 0 ? cannot_write("--stats", path) : result;
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
        if (run != chm_mismatch && run != chm_deadlock) {
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
    int result = check_outputs(line);
    if (result == 0) {
        result = chm_load_run(line, &platform, &program, &options);
    }
    if (result == 0) {
        result = run(platform, program, &options, line);
        chm_program_free(program);
        chm_platform_free(platform);
    }
    return result;
}

int chm_command_compare(const command_line* line) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_run_options options;
    int result = check_outputs(line);
    if (result == 0) {
        result = chm_load_run(line, &platform, &program, &options);
    }
    if (result != 0) {
        return result;
    }
    chm_report* text = NULL;
    chm_report* statistics = NULL;
    chm_status status =
        chm_compare(NULL, &text, format_of(line), line->stats_path != NULL ? &statistics : NULL,
                    platform, program, &options);
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
