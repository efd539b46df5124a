// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "size.h"

// A step that gains less than this many percent binds nothing.
static const double least_gain_percent = 0.5;

// "KEY" or "KEY=A:B:STEPS": the key, and what stands behind the '='.
static int select_key(size_study* study, const char* text) {
    char name[chm_name_chars] = "";
    const char* equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    if (length < sizeof name) {
        memcpy(name, text, length);
    }
    const size_key* key = size_find_key(name);
    if (key == NULL) {
        fprintf(stderr, "--parameter: got '%s'; allowed: KEY or KEY=A:B:STEPS, KEY being ", text);
        for (size_t i = 0; i < size_key_count; ++i) {
            fprintf(stderr, "%s%s", i > 0 ? ", " : "", size_keys[i].name);
        }
        fputc('\n', stderr);
        return chm_exit_usage;
    }
    for (size_t i = 0; i < study->count; ++i) {
        if (study->sweeps[i].key == key) {
            fprintf(stderr, "--parameter %s: stands there twice\n", name);
            return chm_exit_usage;
        }
    }
    if (key->at_only && strcmp(study->fidelity, "lt") == 0) {
        fprintf(stderr,
                "--parameter %s: has no effect on loosely timed machines; needed: --fidelity at\n",
                name);
        return chm_exit_usage;
    }
    size_sweep* sweep = &study->sweeps[study->count];
    sweep->key = key;
    sweep->parameter = (chm_parameter)CHM_PARAMETER_INIT;
    chm_status status = chm_platform_parameter(study->platform, name, &sweep->parameter);
    if (status != chm_ok) {
        return chm_fail("chimera size", status);
    }
    ++study->count;
    return size_make_points(sweep, equals != NULL ? equals + 1 : NULL);
}

static int select_keys(size_study* study) {
    const command_line* line = study->line;
    study->sweeps = calloc(size_key_count, sizeof *study->sweeps);
    if (study->sweeps == NULL) {
        fputs("out of memory\n", stderr);
        return chm_exit_internal;
    }
    int result = 0;
    for (size_t i = 0; i < line->parameter_count && result == 0; ++i) {
        result = select_key(study, line->parameters[i]);
    }
    for (size_t i = 0; i < size_key_count && line->parameter_count == 0 && result == 0; ++i) {
        result = size_keys[i].swept ? select_key(study, size_keys[i].name) : 0;
    }
    return result;
}

static int measure(const size_study* study, const char* fidelity, const size_change* changes,
                   size_t count, size_outcome* outcome) {
    chm_status status = size_measure(study->line, fidelity, changes, count, true, outcome);
    return status == chm_ok ? 0 : chm_fail("chimera size", status);
}

static int measure_sweep(const size_study* study, size_sweep* sweep) {
    int result = 0;
    for (size_t i = 0; i < sweep->count && result == 0; ++i) {
        size_point* point = &sweep->points[i];
        if (i == sweep->at_default) {
            point->outcome = study->at_default;
        } else {
            const size_change change = {sweep->key->name, point->value};
            result = measure(study, study->fidelity, &change, 1, &point->outcome);
        }
    }
    if (result == 0) {
        size_find_knee(sweep);
    }
    return result;
}

static int measure_default(size_study* study, const char* fidelity, size_outcome* outcome) {
    int result = measure(study, fidelity, NULL, 0, outcome);
    if (result == 0 && outcome->status != chm_ok) {
        fprintf(stderr, "the machine that is to be varied: %s\n", outcome->reason);
        result = outcome->status == chm_deadlock || outcome->status == chm_unreachable
                     ? chm_exit_failed
                     : chm_exit_usage;
    }
    return result;
}

// Percent of `from` that the step to `to` saves.
static double gain(uint64_t from, uint64_t to) {
    return 100 * (1 - (double)to / (double)from);
}

const size_sweep* size_first_binding(const size_study* study) {
    const size_sweep* first = NULL;
    double most = least_gain_percent;
    for (size_t i = 0; i < study->count; ++i) {
        const size_sweep* sweep = &study->sweeps[i];
        const size_t next = size_next_dearer(sweep, sweep->at_default);
        if (next != size_no_point) {
            const double gained =
                gain(study->at_default.on.cycles, sweep->points[next].outcome.on.cycles);
            first = gained > most ? sweep : first;
            most = gained > most ? gained : most;
        }
    }
    return first;
}

// With the sweep's key at its knee, which other key gains most by one step?
static int find_behind(const size_study* study, size_sweep* sweep) {
    const size_point* knee = &sweep->points[sweep->knee];
    double most = least_gain_percent;
    int result = 0;
    for (size_t i = 0; i < study->count && result == 0; ++i) {
        const size_sweep* other = &study->sweeps[i];
        const size_t next = size_next_dearer(other, other->at_default);
        if (other == sweep || next == size_no_point) {
            continue;
        }
        const size_change changes[] = {{sweep->key->name, knee->value},
                                       {other->key->name, other->points[next].value}};
        size_outcome outcome;
        chm_status status = size_measure(study->line, study->fidelity, changes, 2, false, &outcome);
        result = status == chm_ok ? 0 : chm_fail("chimera size", status);
        const double gained = result == 0 && outcome.status == chm_ok
                                  ? gain(knee->outcome.on.cycles, outcome.on.cycles)
                                  : 0;
        if (gained > most) {
            most = gained;
            sweep->behind = other;
            sweep->behind_percent = gained;
        }
    }
    return result;
}

static int confirm_knee(const size_study* study, size_sweep* sweep) {
    if (sweep->knee == sweep->at_default) {
        sweep->confirmed = study->confirmed;
        return 0;
    }
    const size_change change = {sweep->key->name, sweep->points[sweep->knee].value};
    return measure(study, "at", &change, 1, &sweep->confirmed);
}

// Every key at its knee, or only those that are cheaper there.
static int measure_knees(const size_study* study, bool savings_alone, size_outcome* outcome) {
    size_change* changes = calloc(size_key_count, sizeof *changes);
    if (changes == NULL) {
        fputs("out of memory\n", stderr);
        return chm_exit_internal;
    }
    size_t count = 0;
    for (size_t i = 0; i < study->count; ++i) {
        const size_sweep* sweep = &study->sweeps[i];
        if (!savings_alone || sweep->knee < sweep->at_default) {
            changes[count++] = (size_change){sweep->key->name, sweep->points[sweep->knee].value};
        }
    }
    int result = measure(study, study->confirms ? "at" : study->fidelity, changes, count, outcome);
    free(changes);
    return result;
}

static int measure_all(size_study* study) {
    int result = measure_default(study, study->fidelity, &study->at_default);
    if (result == 0 && study->confirms) {
        result = measure_default(study, "at", &study->confirmed);
    }
    for (size_t i = 0; i < study->count && result == 0; ++i) {
        result = measure_sweep(study, &study->sweeps[i]);
    }
    for (size_t i = 0; i < study->count && result == 0; ++i) {
        size_sweep* sweep = &study->sweeps[i];
        result = sweep->binds ? find_behind(study, sweep) : 0;
        if (result == 0 && study->confirms) {
            result = confirm_knee(study, sweep);
        }
    }
    if (result == 0) {
        result = measure_knees(study, true, &study->savings);
    }
    return result == 0 ? measure_knees(study, false, &study->all_knees) : result;
}

int size_study_make(size_study* study, const command_line* line) {
    memset(study, 0, sizeof *study);
    study->line = line;
    study->confirms = line->fidelity == NULL;
    const char* fidelity = line->fidelity != NULL ? line->fidelity : "lt";
    chm_run_options options;
    chm_status status =
        size_load(line, fidelity, NULL, 0, &study->platform, &study->program, &options);
    if (status == chm_ok) {
        study->seed = options.seed;
        study->error = (chm_fidelity_error)CHM_FIDELITY_ERROR_INIT;
        status = chm_platform_fidelity(study->platform, &study->error);
    }
    if (status != chm_ok) {
        return chm_fail("chimera size", status);
    }
    study->fidelity = study->error.loosely_timed != 0 ? "lt" : "at";
    int result = chm_check_seed(line, study->seed);
    if (result == 0) {
        result = select_keys(study);
    }
    return result == 0 ? measure_all(study) : result;
}

void size_study_free(size_study* study) {
    free(study->sweeps);
    chm_program_free(study->program);
    chm_platform_free(study->platform);
}
