// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_line.h"

// `chimera size`: hardware keys varied one at a time around a platform's own values.
//
//   size_keys.c     which keys, in what steps        size_knee.c   slope and knee of a sweep
//   size_points.c   the values of a key              size_study.c  which sweeps a command means
//   size_machine.c  one machine, engine on and off   size_phases.c what is measured, in what order
//   size_tasks.c    many machines, in processes
//   size_text.c, size_json.c, size_plot.c            what is printed and drawn
//
// docs/sizing.md defines what is printed.

enum {
    size_knee_percent = 2, // a knee is within so much of the best
    size_most_points = 40, // of one key
    size_most_keys = 64    // room for; size_key_count is less
};

typedef enum size_kind {
    size_resource, // smaller is cheaper
    size_delay     // larger is cheaper
} size_kind;

// How a key is varied: from its value on the platform by so many halvings down and doublings up, as
// far as the key allows.
typedef struct size_key {
    const char* name;
    size_kind kind;
    const char* zero; // what 0 means, dearer than any number ("free"); null: 0 is a number
    uint32_t centre;  // stands for the platform's value where that is 0
    uint32_t halvings, doublings;
    bool swept;   // unless --parameter says which
    bool at_only; // without effect on loosely timed machines
} size_key;

extern const size_key size_keys[];
extern const size_t size_key_count;

const size_key* size_find_key(const char* name); // null: none

// A machine's program, run with the engine on and off.
typedef struct size_outcome {
    chm_status status;           // chm_ok: it ended; else on, off_cycles and bounds are 0
    char reason[chm_text_chars]; // why it did not: the first line of the error
    chm_result on;
    uint64_t off_cycles; // 0: did not end, or was not run
} size_outcome;

typedef struct size_change {
    const char* key;
    uint64_t value;
} size_change;

// Loads what the command line names with the changes and a fidelity ("lt", null: as it says) on
// top. A failure leaves nothing loaded and chm_last_error.
chm_status size_load(const command_line* line, const char* fidelity, const size_change* changes,
                     size_t count, chm_platform** platform, chm_program** program,
                     chm_run_options* options);

// Runs it, with the engine off too if `both`. A machine that cannot be, or on which the program
// does not end, is an outcome; chm_no_memory, chm_internal and the like are failures.
chm_status size_measure(const command_line* line, const char* fidelity, const size_change* changes,
                        size_t count, bool both, size_outcome* outcome);

typedef struct size_task {
    const char* fidelity;
    size_change changes[2];
    size_t change_count;
    bool both;
    size_outcome* outcome; // where it goes
} size_task;

// Measures all of them, in line->jobs processes. Prints what is wrong and returns an exit status.
int size_run_tasks(const command_line* line, const size_task* tasks, size_t count);

typedef struct size_point {
    uint64_t value;
    size_outcome outcome;
} size_point;

enum { size_no_point = size_most_points }; // as an index: there is none

typedef struct size_sweep {
    const size_key* key;
    chm_parameter parameter;
    size_point points[size_most_points]; // from cheap to dear: values ascend (a delay's descend)
    size_t count;
    size_t at_default;      // the platform's own value
    size_t best, knee;      // docs/sizing.md
    double halved, doubled; // percent of the cycles at the default; NaN: not known
    bool cheaper_may_do;    // the knee is the cheapest that was tried, and there are cheaper ones
    bool still_falling;     // the dearest that was tried is the best, by a step of > 2 %
    bool no_effect;         // all that were measured take the same cycles
    bool cheaper_is_faster; // the knee is cheaper than the default and more than 2 % faster
    size_outcome confirmed; // at the knee, fidelity at
    bool disputed; // ... in which a dearer knee gains nothing, or a cheaper one costs: > 2 %
    bool binds;    // relaxed to its knee it gains more than 2 %
    const struct size_sweep* behind; // then this one gains most per step; null: none does
    double behind_percent;           // ... of the cycles then
} size_sweep;

// The points of a sweep, none measured. `range` is what --parameter KEY=A:B:STEPS says behind the
// '=', or null. Prints what is wrong with a range and returns an exit status.
int size_make_points(size_sweep* sweep, const char* range);

// best, knee, halved, doubled and the flags, from measured points; that of the default is there.
void size_find_knee(size_sweep* sweep);

// Whether a is more than the knee's tolerance slower than b.
bool size_slower(uint64_t a, uint64_t b);

// The next dearer point that was measured, size_no_point if there is none.
size_t size_next_dearer(const size_sweep* sweep, size_t index);

typedef struct size_study {
    const command_line* line;
    chm_platform* platform; // at the default point, with the fidelity of the sweeps
    chm_program* program;
    uint64_t seed;
    const char* fidelity; // of the sweeps: "lt" or "at"
    bool confirms;        // at the knees with fidelity at, the sweeps being lt
    chm_fidelity_error error;
    size_outcome at_default; // fidelity of the sweeps
    size_outcome confirmed;  // the same machine with fidelity at
    size_outcome savings;    // every key whose knee is cheaper than its value at its knee
    size_outcome all_knees;  // every key at its knee; both: fidelity at where the study confirms
    size_sweep* sweeps;      // owned
    size_t count;
} size_study;

// Makes and measures a study. Prints what is wrong and returns an exit status; free in any case.
int size_study_make(size_study* study, const command_line* line);
int size_measure_study(size_study* study); // its second half: all that is measured
void size_study_free(size_study* study);

// The sweep of which one step gains most at the default; null: none gains 0.5 %.
const size_sweep* size_first_binding(const size_study* study);

// A value as people read it: "free", "64KiB". Returns buffer.
enum { size_value_chars = 32 };
char* size_value_text(const size_sweep* sweep, uint64_t value, char buffer[size_value_chars]);

// cycles off / cycles on; 0: not known.
double size_speedup(const size_outcome* outcome);

void size_print_text(const size_study* study);
void size_print_json(const size_study* study);

// --plot NAME: writes NAME.dat and NAME.gp and has gnuplot draw NAME.svg if it is there. The check,
// before anything is run, refuses what cannot be written. Both print what is wrong and return an
// exit status.
int size_check_plot(const command_line* line);
int size_plot(const size_study* study);
