// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_line.h"

// The files that a command writes. What stands in the way of writing one is said before the run; a
// bad command line leaves earlier files as they were.

// What one side of a comparison writes.
typedef struct trace_side {
    chm_trace_options options;
    char* names[3]; // owned: its paths
} trace_side;

// True if the options name a file.
bool chm_traces(const chm_trace_options* trace);

// "out.vcd" becomes "out.off.vcd" and "out.on.vcd". False if memory ran out; nothing is to be freed
// then.
bool chm_trace_sides(const chm_trace_options* trace, trace_side* off, trace_side* on);
void chm_trace_side_free(trace_side* side);

// Refuses an output that cannot be written, is an input, or is another output. The traces may be
// null. Prints what is wrong and returns an exit status, 0 if nothing is.
int chm_check_outputs(const command_line* line, const chm_trace_options* trace,
                      const chm_trace_options* other);

// The same for one file.
int chm_check_output(const command_line* line, const char* option, const char* path);

// Prints "OPTION PATH: " and the reason that errno has; returns chm_exit_usage.
int chm_cannot_write(const char* option, const char* path);
