// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_line.h"

// The subcommands. Each returns the exit status: 0, chm_exit_failed after a data mismatch or a
// deadlock, chm_exit_usage after bad input, chm_exit_internal after a defect or lack of memory.

int chm_command_run(const command_line* line);
int chm_command_compare(const command_line* line);
int chm_command_explain(const command_line* line);
int chm_command_replay(const command_line* line);
int chm_command_load(const command_line* line);
int chm_command_validate(const command_line* line);
int chm_command_list(const command_line* line);
int chm_command_size(const command_line* line);
int chm_command_dump(const command_line* line);
int chm_command_topology(const command_line* line);

// Prints the last error to stderr and returns the exit status that stands for `status`.
int chm_fail(const char* what, chm_status status);

// Says to stderr what is allowed of a platform and few would want.
void chm_warn(const char* what, const chm_platform* platform);

// Prints a report to stdout and frees it; the exit status says whether that worked.
int chm_print(chm_report* report);

// Whether all that was printed is out: an exit status, with a message if not.
int chm_printed(void);

// Loads what PLATFORM and PROGRAM name (program may be null: only the platform). On failure prints
// the error and returns an exit status other than 0, with nothing loaded.
int chm_load(const command_line* line, const char* platform_name, const char* program_name,
             chm_platform** platform, chm_program** program);

// A configuration's seed stands: prints so and returns an exit status if the command line has
// another.
int chm_check_seed(const command_line* line, uint64_t seed);

// Loads what the arguments of run, compare and dump name: PLATFORM PROGRAM, or one CONFIGURATION,
// whose options stand unless the command line says otherwise. *options becomes those of the run.
int chm_load_run(const command_line* line, chm_platform** platform, chm_program** program,
                 chm_run_options* options);
