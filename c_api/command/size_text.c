// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "size.h"

static double percent_more(uint64_t cycles, uint64_t than) {
    return 100 * ((double)cycles / (double)than - 1);
}

static void print_percent(int width, double percent) {
    if (isnan(percent)) {
        printf(" %*s", width, "-");
    } else {
        printf(" %+*.1f", width, fabs(percent) < 0.05 ? 0.0 : percent);
    }
}

static void print_speedup(int width, const size_outcome* outcome) {
    if (outcome->off_cycles != 0) {
        printf(" %*.2f", width, size_speedup(outcome));
    } else {
        printf(" %*s", width, "-");
    }
}

// "in-port of die_0_0 2348"
enum { size_bound_chars = chm_name_chars + 24 };
static const char* bound_text(const char* name, uint64_t cycles, char buffer[size_bound_chars]) {
    snprintf(buffer, size_bound_chars, "%s %" PRIu64, name, cycles);
    return buffer;
}

// ">=64": so much is enough; "<=40": so slow will do.
enum { size_limit_chars = size_value_chars + 2 };
static const char* knee_text(const size_sweep* sweep, char buffer[size_limit_chars]) {
    const uint64_t value = sweep->points[sweep->knee].value;
    const bool named = value == 0 && sweep->key->zero != NULL;
    const char* sign = named ? "" : sweep->key->kind == size_delay ? "<=" : ">=";
    char text[size_value_chars];
    snprintf(buffer, size_limit_chars, "%s%s", sign, size_value_text(sweep, value, text));
    return buffer;
}

static void print_header(const size_study* study) {
    const chm_fidelity_error* error = &study->error;
    const size_outcome* own = study->confirms ? &study->confirmed : &study->at_default;
    printf("platform %s, program %s, message_bytes %" PRIu64 ", seed %" PRIu64 "\n",
           chm_platform_name(study->platform), chm_program_name(study->program),
           chm_program_message_bytes(study->program), study->seed);
    if (error->loosely_timed != 0) {
        printf("swept with fidelity lt, measured against at (docs/fidelity.md): cycles within "
               "%.1f %%, median within %.1f %%; one seed of random routes within %.1f %%\n",
               error->worst_percent, error->median_percent, error->one_seed_percent);
        if (error->as_measured == 0) {
            printf("  measured with the default lt_ parameters; this run has others\n");
        }
    } else {
        printf("swept with fidelity at\n");
    }
    printf("as it stands: %" PRIu64 " cycles, engine off %" PRIu64 ", speedup", own->on.cycles,
           own->off_cycles);
    print_speedup(0, own);
    if (study->confirms) {
        printf("; lt says %" PRIu64 ",", study->at_default.on.cycles);
        print_percent(0, percent_more(study->at_default.on.cycles, own->on.cycles));
        printf(" %%");
    }
    char bound[size_bound_chars], next[size_bound_chars];
    printf("\nlower bound: %s cycles; next %s\n",
           bound_text(own->on.bound_by, own->on.lower_bound_cycles, bound),
           bound_text(own->on.runner_up, own->on.runner_up_cycles, next));
}

// What the columns cannot say.
static void print_notes(const size_sweep* sweep) {
    if (sweep->disputed) {
        printf("  not so with at");
    }
    if (sweep->cheaper_is_faster) {
        printf("  cheaper is faster");
    }
    if (sweep->no_effect) {
        printf("  no effect");
    } else if (sweep->still_falling) {
        printf("  dearer would gain more");
    } else if (sweep->cheaper_may_do) {
        printf("  cheaper may do");
    }
    if (sweep->confirmed.status != chm_ok) {
        printf("  at: %s", sweep->confirmed.reason);
    }
    printf("\n");
}

static void print_row(const size_study* study, const size_sweep* sweep) {
    const size_point* knee = &sweep->points[sweep->knee];
    const size_outcome* shown = study->confirms ? &sweep->confirmed : &knee->outcome;
    char value[size_value_chars];
    printf("%-31s %8s", sweep->key->name,
           size_value_text(sweep, sweep->points[sweep->at_default].value, value));
    print_percent(8, sweep->halved);
    print_percent(8, sweep->doubled);
    char limit[size_limit_chars];
    printf(" %8s %10" PRIu64, knee_text(sweep, limit), knee->outcome.on.cycles);
    if (study->confirms && shown->status == chm_ok) {
        printf(" %10" PRIu64, shown->on.cycles);
        print_percent(6, percent_more(knee->outcome.on.cycles, shown->on.cycles));
    } else if (study->confirms) {
        printf(" %10s %6s", "-", "-");
    }
    if (shown->status == chm_ok) {
        print_speedup(7, shown);
        printf(" %6.2f", shown->on.lower_bound_cycles != 0
                             ? (double)shown->on.cycles / (double)shown->on.lower_bound_cycles
                             : 0);
    }
    print_notes(sweep);
}

static void print_table(const size_study* study) {
    const bool confirms = study->confirms;
    printf("\n%-31s %8s %8s %8s %8s %10s", "", "", "halved", "doubled", "", "at knee");
    if (confirms) {
        printf(" %10s %6s", "at knee", "lt");
    }
    printf(" %7s %6s\n%-31s %8s %8s %8s %8s %10s", "", "time /", "parameter", "value", "time %",
           "time %", "knee", confirms ? "lt" : "cycles");
    if (confirms) {
        printf(" %10s %6s", "at", "off %");
    }
    printf(" %7s %6s\n", "speedup", "bound");
    for (size_t i = 0; i < study->count; ++i) {
        print_row(study, &study->sweeps[i]);
    }
}

static void print_step(const size_sweep* sweep, double percent) {
    const size_t next = size_next_dearer(sweep, sweep->at_default);
    char from[size_value_chars], to[size_value_chars];
    printf("%s, %s to %s: %+.1f %%\n", sweep->key->name,
           size_value_text(sweep, sweep->points[sweep->at_default].value, from),
           size_value_text(sweep, sweep->points[next].value, to), percent);
}

static void print_first_binding(const size_study* study) {
    const size_sweep* first = size_first_binding(study);
    printf("\nwhat binds, by the step that gains most: ");
    if (first == NULL) {
        printf("none of these gains 0.5 %%\n");
    } else {
        const size_t next = size_next_dearer(first, first->at_default);
        print_step(first, percent_more(first->points[next].outcome.on.cycles,
                                       study->at_default.on.cycles));
    }
}

// The bounds at each knee, and what was measured to be behind a key that binds.
static void print_bounds(const size_study* study) {
    print_first_binding(study);
    printf("%-31s %8s  %-30s %-30s %s\n", "with this key at its knee", "", "lower bound, cycles",
           "next bound", "behind it");
    for (size_t i = 0; i < study->count; ++i) {
        const size_sweep* sweep = &study->sweeps[i];
        const chm_result* at = &sweep->points[sweep->knee].outcome.on;
        char limit[size_limit_chars], bound[size_bound_chars], next[size_bound_chars];
        printf("%-31s %8s  %-30s %-30s", sweep->key->name, knee_text(sweep, limit),
               bound_text(at->bound_by, at->lower_bound_cycles, bound),
               bound_text(at->runner_up, at->runner_up_cycles, next));
        if (sweep->behind != NULL) {
            printf(" ");
            print_step(sweep->behind, -sweep->behind_percent);
        } else {
            printf(" %s\n", sweep->binds ? "none of these" : "-");
        }
    }
}

static void print_curve(const size_study* study, const size_sweep* sweep) {
    char value[size_value_chars];
    printf("  %-31s", sweep->key->name);
    for (size_t i = 0; i < sweep->count; ++i) {
        const size_outcome* outcome = &sweep->points[i].outcome;
        printf("  %s%s%s ", i == sweep->at_default ? "[" : "",
               size_value_text(sweep, sweep->points[i].value, value),
               i == sweep->at_default ? "]" : "");
        if (outcome->status == chm_ok) {
            printf("%.1f", 100 * (double)outcome->on.cycles / (double)study->at_default.on.cycles);
        } else {
            printf("does not fit");
        }
    }
    printf("\n");
}

static void print_curves(const size_study* study) {
    printf("\ncycles in percent of those at the [value] it has, from cheap to dear\n");
    for (size_t i = 0; i < study->count; ++i) {
        print_curve(study, &study->sweeps[i]);
    }
    for (size_t i = 0; i < study->count; ++i) {
        const size_sweep* sweep = &study->sweeps[i];
        for (size_t k = 0; k < sweep->count; ++k) {
            if (sweep->points[k].outcome.status != chm_ok) {
                printf("  %s %" PRIu64 ": %s\n", sweep->key->name, sweep->points[k].value,
                       sweep->points[k].outcome.reason);
            }
        }
    }
}

static void print_knees(const size_study* study, const char* what, const size_outcome* outcome) {
    const size_outcome* own = study->confirms ? &study->confirmed : &study->at_default;
    printf("%s: ", what);
    if (outcome->status == chm_ok) {
        printf("%" PRIu64 " cycles,", outcome->on.cycles);
        print_percent(0, percent_more(outcome->on.cycles, own->on.cycles));
        printf(" %%; speedup");
        print_speedup(0, outcome);
        printf("\n");
    } else {
        printf("does not fit: %s\n", outcome->reason);
    }
}

void size_print_text(const size_study* study) {
    print_header(study);
    print_table(study);
    print_knees(study, "\nall at their knees that are cheaper there", &study->savings);
    print_knees(study, "all at their knees", &study->all_knees);
    print_bounds(study);
    print_curves(study);
}
