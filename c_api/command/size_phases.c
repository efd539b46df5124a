// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "size.h"

// A step that gains less than this many percent binds nothing.
static const double least_gain_percent = 0.5;

static size_task task_of(const char* fidelity, const size_sweep* sweep, size_t point, bool both,
                         size_outcome* outcome) {
    return (size_task){
        fidelity, {{sweep->key->name, sweep->points[point].value}}, 1, both, outcome};
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

static int measure_default(size_study* study) {
    size_task tasks[] = {{study->fidelity, {{NULL, 0}}, 0, true, &study->at_default},
                         {"at", {{NULL, 0}}, 0, true, &study->confirmed}};
    int result = size_run_tasks(study->line, tasks, study->confirms ? 2 : 1);
    for (size_t i = 0; i < 2 && result == 0; ++i) {
        const size_outcome* outcome = tasks[i].outcome;
        if (outcome->status != chm_ok) {
            fprintf(stderr, "the machine that is to be varied: %s\n", outcome->reason);
            result = outcome->status == chm_deadlock || outcome->status == chm_unreachable
                         ? chm_exit_failed
                         : chm_exit_usage;
        }
    }
    return result;
}

static int measure_sweeps(size_study* study, size_task* tasks) {
    size_t count = 0;
    for (size_t i = 0; i < study->count; ++i) {
        size_sweep* sweep = &study->sweeps[i];
        sweep->points[sweep->at_default].outcome = study->at_default;
        for (size_t k = 0; k < sweep->count; ++k) {
            if (k != sweep->at_default) {
                tasks[count++] =
                    task_of(study->fidelity, sweep, k, true, &sweep->points[k].outcome);
            }
        }
    }
    int result = size_run_tasks(study->line, tasks, count);
    for (size_t i = 0; i < study->count && result == 0; ++i) {
        size_find_knee(&study->sweeps[i]);
    }
    return result;
}

// What LT says of the knee, against AT.
static void find_dispute(size_sweep* sweep, uint64_t at_default) {
    const uint64_t at_knee = sweep->confirmed.on.cycles;
    sweep->cheaper_is_faster = sweep->cheaper_is_faster && size_slower(at_default, at_knee);
    sweep->disputed = sweep->confirmed.status != chm_ok ||
                      (sweep->binds && !size_slower(at_default, at_knee)) ||
                      (sweep->knee < sweep->at_default && size_slower(at_knee, at_default));
}

static int confirm_knees(size_study* study, size_task* tasks) {
    size_t count = 0;
    for (size_t i = 0; i < study->count && study->confirms; ++i) {
        size_sweep* sweep = &study->sweeps[i];
        if (sweep->knee == sweep->at_default) {
            sweep->confirmed = study->confirmed;
        } else {
            tasks[count++] = task_of("at", sweep, sweep->knee, true, &sweep->confirmed);
        }
    }
    int result = size_run_tasks(study->line, tasks, count);
    for (size_t i = 0; i < study->count && study->confirms && result == 0; ++i) {
        find_dispute(&study->sweeps[i], study->confirmed.on.cycles);
    }
    return result;
}

// With the sweep's key at its knee, which other key gains most by one step? `outcomes` has room for
// one of each key.
static int find_behind(const size_study* study, size_sweep* sweep, size_task* tasks,
                       size_outcome* outcomes) {
    const size_sweep* tried[size_most_keys];
    size_t count = 0;
    for (size_t i = 0; i < study->count; ++i) {
        const size_sweep* other = &study->sweeps[i];
        const size_t next = size_next_dearer(other, other->at_default);
        if (other != sweep && next != size_no_point) {
            tasks[count] = task_of(study->fidelity, sweep, sweep->knee, false, &outcomes[count]);
            tasks[count].changes[1] = (size_change){other->key->name, other->points[next].value};
            tasks[count].change_count = 2;
            tried[count++] = other;
        }
    }
    int result = size_run_tasks(study->line, tasks, count);
    double most = least_gain_percent;
    for (size_t i = 0; i < count && result == 0; ++i) {
        const double gained =
            outcomes[i].status == chm_ok
                ? gain(sweep->points[sweep->knee].outcome.on.cycles, outcomes[i].on.cycles)
                : 0;
        if (gained > most) {
            most = gained;
            sweep->behind = tried[i];
            sweep->behind_percent = gained;
        }
    }
    return result;
}

// Every key at its knee, or only those that are cheaper there.
static int measure_knees(const size_study* study, bool savings_alone, size_outcome* outcome) {
    size_change changes[size_most_keys];
    size_t count = 0;
    for (size_t i = 0; i < study->count; ++i) {
        const size_sweep* sweep = &study->sweeps[i];
        if (!savings_alone || sweep->knee < sweep->at_default) {
            changes[count++] = (size_change){sweep->key->name, sweep->points[sweep->knee].value};
        }
    }
    chm_status status = size_measure(study->line, study->confirms ? "at" : study->fidelity, changes,
                                     count, true, outcome);
    return status == chm_ok ? 0 : chm_fail("chimera size", status);
}

static int measure_all(size_study* study, size_task* tasks, size_outcome* outcomes) {
    int result = measure_default(study);
    if (result == 0) {
        result = measure_sweeps(study, tasks);
    }
    if (result == 0) {
        result = confirm_knees(study, tasks);
    }
    for (size_t i = 0; i < study->count && result == 0; ++i) {
        size_sweep* sweep = &study->sweeps[i];
        result = sweep->binds ? find_behind(study, sweep, tasks, outcomes) : 0;
    }
    if (result == 0) {
        result = measure_knees(study, true, &study->savings);
    }
    return result == 0 ? measure_knees(study, false, &study->all_knees) : result;
}

int size_measure_study(size_study* study) {
    size_task* tasks = calloc(study->count * size_most_points + 1, sizeof *tasks);
    size_outcome* outcomes = calloc(size_most_keys, sizeof *outcomes);
    int result = 0;
    if (tasks == NULL || outcomes == NULL) {
        fputs("out of memory\n", stderr);
        result = chm_exit_internal;
    } else {
        result = measure_all(study, tasks, outcomes);
    }
    free(outcomes);
    free(tasks);
    return result;
}
