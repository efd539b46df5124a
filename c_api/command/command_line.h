// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "chimera.h"

// What the command line says; one struct for all subcommands, of which each reads its own part.

enum { chm_exit_failed = 1, chm_exit_usage = 2, chm_exit_internal = 3 };

typedef struct command_line {
    char** positional; // into argv
    int count;
    const char* platform; // explain --platform
    bool pairs;
    bool json;
    const char* stats_path;
    chm_trace_options trace;
    const char** scopes;    // owned: what trace.scopes points to
    const char** failures;  // owned: what options.failures points to
    chm_settings* settings; // owned
    chm_run_options options;
    bool engine_given, data_given, stall_given, seed_given; // on the command line
    chm_load_options load;
    uint64_t load_packets; // load --packets, 0: not given
    uint32_t load_rates;   // load --rate A:B:N, 0: one rate
    double load_last_rate;
    const char* fidelity;    // --fidelity or --set fidelity, null: not given
    const char** parameters; // owned: size --parameter
    size_t parameter_count;
    const char* plot; // size --plot
    uint32_t jobs;    // size --jobs
} command_line;

// The subcommands; each is one argp parser.
typedef struct subcommand {
    const char* name;
    const char* usage; // positional arguments, "PLATFORM PROGRAM"
    const char* about;
    const char* options; // which: letters of option keys
    int positional_min, positional_max;
    int (*run)(const command_line* line); // exit status
} subcommand;

extern const subcommand chm_subcommands[];
extern const int chm_subcommand_count;

// Parses argv[1..] after the subcommand's name. On a bad command line argp prints and exits with
// chm_exit_usage. Returns an exit status, 0 if all is well. Free afterwards in any case.
int chm_command_line_parse(const subcommand* command, int argc, char** argv, command_line* line);
void chm_command_line_free(command_line* line);
