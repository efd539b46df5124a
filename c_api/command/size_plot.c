// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // posix_spawnp, waitpid

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outputs.h"
#include "size.h"

extern char** environ;

enum { panels_across = 4, panel_width = 260, panel_height = 220 };

static const char* const endings[] = {".dat", ".gp", ".svg"};

typedef struct plot {
    char* data;
    char* script;
    char* picture;
} plot;

// NAME and an ending. In front of what gnuplot would take for an option: "./".
static char* with_ending(const char* name, const char* ending) {
    size_t size = strlen(name) + strlen(ending) + 3;
    char* made = malloc(size);
    if (made != NULL) {
        snprintf(made, size, "%s%s%s", name[0] == '-' ? "./" : "", name, ending);
    }
    return made;
}

static void free_names(plot* names) {
    free(names->data);
    free(names->script);
    free(names->picture);
}

static int make_names(const char* name, plot* names) {
    *names = (plot){with_ending(name, endings[0]), with_ending(name, endings[1]),
                    with_ending(name, endings[2])};
    if (names->data == NULL || names->script == NULL || names->picture == NULL) {
        free_names(names);
        fputs("out of memory\n", stderr);
        return chm_exit_internal;
    }
    return 0;
}

int size_check_plot(const command_line* line) {
    plot names;
    const char* slash = strrchr(line->plot, '/');
    if ((slash != NULL ? slash[1] : line->plot[0]) == '\0') {
        fprintf(stderr, "--plot: got '%s'; allowed: the beginning of file names\n", line->plot);
        return chm_exit_usage;
    }
    int result = make_names(line->plot, &names);
    if (result == 0) {
        const char* const paths[] = {names.data, names.script, names.picture};
        for (size_t i = 0; i < 3 && result == 0; ++i) {
            result = chm_check_output(line, "--plot", paths[i]);
        }
        free_names(&names);
    }
    return result;
}

static void write_cycles(FILE* file, bool known, uint64_t cycles) {
    if (known) {
        fprintf(file, " %" PRIu64, cycles);
    } else {
        fputs(" ?", file);
    }
}

// One block per key, as gnuplot's `index` counts them.
static void write_data(FILE* file, const size_study* study) {
    fprintf(file,
            "# step, label, value, cycles (%s), engine off, lower bound, cycles at the knee (%s)\n",
            study->fidelity, study->confirms ? "at" : study->fidelity);
    for (size_t i = 0; i < study->count; ++i) {
        const size_sweep* sweep = &study->sweeps[i];
        fprintf(file, "%s# %s\n", i > 0 ? "\n\n" : "", sweep->key->name);
        for (size_t k = 0; k < sweep->count; ++k) {
            const size_outcome* at = &sweep->points[k].outcome;
            const size_outcome* knee = study->confirms ? &sweep->confirmed : at;
            char label[size_value_chars];
            fprintf(file, "%zu %s %" PRIu64, k,
                    size_value_text(sweep, sweep->points[k].value, label), sweep->points[k].value);
            write_cycles(file, at->status == chm_ok, at->on.cycles);
            write_cycles(file, at->off_cycles != 0, at->off_cycles);
            write_cycles(file, at->status == chm_ok, at->on.lower_bound_cycles);
            write_cycles(file, k == sweep->knee && knee->status == chm_ok, knee->on.cycles);
            fputc('\n', file);
        }
    }
}

// In single quotes, as gnuplot reads them.
static void put_quoted(FILE* file, const char* text) {
    fputc('\'', file);
    for (const char* at = text; *at != '\0'; ++at) {
        fputs(*at == '\'' ? "''" : (char[]){*at, '\0'}, file);
    }
    fputc('\'', file);
}

static void write_panel(FILE* file, const size_sweep* sweep, size_t index) {
    char value[size_value_chars], knee[size_value_chars];
    size_value_text(sweep, sweep->points[sweep->at_default].value, value);
    size_value_text(sweep, sweep->points[sweep->knee].value, knee);
    fprintf(file,
            "set title '%s: %s, knee %s'\n"
            "set arrow 1 from %zu, graph 0 to %zu, graph 1 nohead lc rgb '#bbbbbb'\n"
            "plot data index %zu using 1:5 with lines lc rgb '#e0a060', "
            "'' index %zu using 1:6 with lines lc rgb '#999999' dt 2, "
            "'' index %zu using 1:4:xtic(2) with linespoints lc rgb '#1f77b4' pt 7 ps 0.5, "
            "'' index %zu using 1:7 with points lc rgb '#d62728' pt 6 ps 1.2\n",
            sweep->key->name, value, knee, sweep->at_default, sweep->at_default, index, index,
            index, index);
}

static void write_script(FILE* file, const size_study* study, const plot* names) {
    const size_t across = study->count < panels_across ? study->count : panels_across;
    const size_t down = (study->count + across - 1) / across;
    const size_outcome* own = &study->at_default;
    const uint64_t highest = own->on.cycles > own->off_cycles ? own->on.cycles : own->off_cycles;
    fprintf(
        file,
        "# gnuplot draws cycles over each key, from cheap to dear: loosely timed (line), at the "
        "knee (circle),\n# the lower bound (dashes), the value it has (upright line).\n"
        "data = ");
    put_quoted(file, names->data);
    fprintf(file,
            "\nset terminal svg size %zu,%zu noenhanced font ',9' background 'white'\nset output ",
            across * panel_width, down * panel_height + 30);
    put_quoted(file, names->picture);
    fprintf(file,
            "\nset datafile missing '?'\nset yrange [0:%.0f]\nset format y '%%.0s%%c'\n"
            "set border 3\nset xtics nomirror rotate by -40\nset ytics nomirror\nset grid y\nunset "
            "key\n"
            "set offsets 0.3, 0.3, 0, 0\nset multiplot layout %zu,%zu title ",
            1.5 * (double)highest + 1, down, across);
    char title[512];
    snprintf(title, sizeof title,
             "%.100s, %.100s, %" PRIu64
             " bytes: cycles with the engine on (blue, %s) and off (orange), "
             "at the knee (circle, %s), lower bound (dashes)",
             chm_platform_name(study->platform), chm_program_name(study->program),
             chm_program_message_bytes(study->program), study->fidelity,
             study->confirms ? "at" : study->fidelity);
    put_quoted(file, title);
    fputc('\n', file);
    for (size_t i = 0; i < study->count; ++i) {
        write_panel(file, &study->sweeps[i], i);
    }
    fprintf(file, "unset multiplot\n");
}

// Beside its place first: what is there is whole.
static int write_file(const char* path, const size_study* study, const plot* names) {
    char* part = with_ending(path, ".part");
    FILE* file = part != NULL ? fopen(part, "w") : NULL;
    if (file == NULL) {
        free(part);
        return chm_cannot_write("--plot", path);
    }
    if (path == names->data) {
        write_data(file, study);
    } else {
        write_script(file, study, names);
    }
    bool written = ferror(file) == 0;
    written = fclose(file) == 0 && written;
    int result = written && rename(part, path) == 0 ? 0 : chm_cannot_write("--plot", path);
    if (result != 0) {
        remove(part);
    }
    free(part);
    return result;
}

static int draw(const plot* names) {
    char* arguments[] = {(char*)"gnuplot", names->script, NULL};
    pid_t process;
    int error = posix_spawnp(&process, arguments[0], NULL, NULL, arguments, environ);
    if (error == ENOENT) {
        fprintf(stderr, "gnuplot is not there: %s is not drawn\n", names->picture);
        return 0;
    }
    int status = 0;
    while (error == 0 && waitpid(process, &status, 0) < 0) {
        error = errno == EINTR ? 0 : errno;
    }
    if (error != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "--plot: gnuplot %s failed%s%s\n", names->script, error != 0 ? ": " : "",
                error != 0 ? strerror(error) : "");
        remove(names->picture);
        return chm_exit_usage;
    }
    return 0;
}

int size_plot(const size_study* study) {
    plot names;
    int result = make_names(study->line->plot, &names);
    if (result != 0) {
        return result;
    }
    result = write_file(names.data, study, &names);
    if (result == 0) {
        result = write_file(names.script, study, &names);
    }
    if (result == 0) {
        result = draw(&names);
    }
    free_names(&names);
    return result;
}
