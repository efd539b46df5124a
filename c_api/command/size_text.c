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

static void print_bound(const chm_result* result) {
    printf("%s, %" PRIu64 " cycles; next %s, %" PRIu64 "\n", result->bound_by,
           result->lower_bound_cycles, result->runner_up, result->runner_up_cycles);
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
    printf("as it stands: %" PRIu64 " cycles, engine off %" PRIu64 ", speedup %.2f", own->on.cycles,
           own->off_cycles, size_speedup(own));
    if (study->confirms) {
        printf("; lt says %" PRIu64 ",", study->at_default.on.cycles);
        print_percent(0, percent_more(study->at_default.on.cycles, own->on.cycles));
        printf(" %%");
    }
    printf("\nlower bound: ");
    print_bound(&own->on);
}

// What the columns cannot say.
static void print_notes(const size_sweep* sweep) {
    if (sweep->cheaper_is_faster) {
        printf("  cheaper is faster");
    }
    if (sweep->still_falling) {
        printf("  dearer would gain more");
    } else if (sweep->cheaper_may_do) {
        printf("  cheaper may do");
    }
    if (sweep->confirmed.status != chm_ok) {
        printf("  at: %s", sweep->confirmed.reason);
    }
    printf("\n");
}

static const char* knee_sign(const size_sweep* sweep) {
    if (sweep->key->kind == size_delay) {
        return "<=";
    }
    return sweep->points[sweep->knee].value != 0 || sweep->key->zero == NULL ? ">=" : "";
}

static void print_row(const size_study* study, const size_sweep* sweep) {
    const size_point* knee = &sweep->points[sweep->knee];
    const size_outcome* shown = study->confirms ? &sweep->confirmed : &knee->outcome;
    char value[size_value_chars];
    printf("%-31s %8s", sweep->key->name,
           size_value_text(sweep, sweep->points[sweep->at_default].value, value));
    print_percent(8, sweep->halved);
    print_percent(8, sweep->doubled);
    char limit[size_value_chars + 2];
    snprintf(limit, sizeof limit, "%s%s", knee_sign(sweep),
             size_value_text(sweep, knee->value, value));
    printf(" %8s %10" PRIu64, limit, knee->outcome.on.cycles);
    if (study->confirms && shown->status == chm_ok) {
        printf(" %10" PRIu64, shown->on.cycles);
        print_percent(6, percent_more(knee->outcome.on.cycles, shown->on.cycles));
    } else if (study->confirms) {
        printf(" %10s %6s", "-", "-");
    }
    if (shown->status == chm_ok) {
        printf(" %7.2f %6.2f", size_speedup(shown),
               shown->on.lower_bound_cycles != 0
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

static void print_behind(const size_sweep* sweep) {
    char value[size_value_chars];
    printf("  behind %s, at %s: ", sweep->key->name,
           size_value_text(sweep, sweep->points[sweep->knee].value, value));
    if (sweep->behind != NULL) {
        print_step(sweep->behind, -sweep->behind_percent);
    } else {
        printf("none of these\n");
    }
}

static void print_binding(const size_study* study) {
    const size_sweep* first = size_first_binding(study);
    printf("\nwhat binds (the step that gains most)\n  first: ");
    if (first == NULL) {
        printf("none of these gains 0.5 %%\n");
    } else {
        const size_t next = size_next_dearer(first, first->at_default);
        print_step(first, percent_more(first->points[next].outcome.on.cycles,
                                       study->at_default.on.cycles));
    }
    for (size_t i = 0; i < study->count; ++i) {
        if (study->sweeps[i].binds) {
            print_behind(&study->sweeps[i]);
        }
    }
}

static bool same_bound(const chm_result* a, const chm_result* b) {
    return a->lower_bound_cycles == b->lower_bound_cycles &&
           strcmp(a->bound_by, b->bound_by) == 0 && strcmp(a->runner_up, b->runner_up) == 0;
}

static void print_bounds(const size_study* study) {
    for (size_t i = 0; i < study->count; ++i) {
        const size_sweep* sweep = &study->sweeps[i];
        const size_point* knee = &sweep->points[sweep->knee];
        char value[size_value_chars];
        if (!same_bound(&knee->outcome.on, &study->at_default.on)) {
            printf("  lower bound with %s %s: ", sweep->key->name,
                   size_value_text(sweep, knee->value, value));
            print_bound(&knee->outcome.on);
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
        printf(" %%; speedup %.2f\n", size_speedup(outcome));
    } else {
        printf("does not fit: %s\n", outcome->reason);
    }
}

void size_print_text(const size_study* study) {
    print_header(study);
    print_table(study);
    print_knees(study, "\nall at their knees that are cheaper there", &study->savings);
    print_knees(study, "all at their knees", &study->all_knees);
    print_binding(study);
    print_bounds(study);
    print_curves(study);
}
