// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "size.h"

static chm_status changed_settings(const command_line* line, const char* fidelity,
                                   const size_change* changes, size_t count,
                                   chm_settings** settings) {
    chm_settings* made = NULL;
    chm_status status = chm_settings_copy(&made, line->settings);
    if (status == chm_ok && fidelity != NULL) {
        status = chm_settings_set(made, "fidelity", fidelity);
    }
    for (size_t i = 0; status == chm_ok && i < count; ++i) {
        char value[32];
        snprintf(value, sizeof value, "%" PRIu64, changes[i].value);
        status = chm_settings_set(made, changes[i].key, value);
    }
    if (status == chm_ok) {
        *settings = made;
    } else {
        chm_settings_free(made);
    }
    return status;
}

static chm_status load(const command_line* line, const chm_settings* settings,
                       chm_platform** platform, chm_program** program, chm_run_options* options) {
    char* const* names = line->positional;
    if (line->count == 1) {
        return chm_configuration_load(platform, program, options, names[0], settings);
    }
    chm_status status = chm_platform_load(platform, names[0], settings);
    if (status == chm_ok) {
        status = chm_program_load(program, *platform, names[1], settings, options->seed);
        if (status != chm_ok) {
            chm_platform_free(*platform);
            *platform = NULL;
        }
    }
    return status;
}

chm_status size_load(const command_line* line, const char* fidelity, const size_change* changes,
                     size_t count, chm_platform** platform, chm_program** program,
                     chm_run_options* options) {
    chm_settings* settings = NULL;
    chm_status status = changed_settings(line, fidelity, changes, count, &settings);
    if (status != chm_ok) {
        return status;
    }
    *options = line->options;
    status = load(line, settings, platform, program, options);
    options->data = 0; // costs time and changes none
    chm_settings_free(settings);
    return status;
}

static chm_status run(const chm_platform* platform, const chm_program* program,
                      const chm_run_options* options, uint32_t engine, chm_result* result) {
    chm_run_options side = *options;
    side.engine = engine;
    chm_simulation* simulation = NULL;
    chm_status status = chm_simulation_create(&simulation, platform, program, &side);
    if (status == chm_ok) {
        status = chm_simulation_run(simulation);
        if (status == chm_ok) {
            status = chm_simulation_result(simulation, result);
        }
        chm_simulation_free(simulation);
    }
    return status;
}

// Whether a status says something of the machine, rather than of this process.
static bool does_not_fit(chm_status status) {
    return status == chm_bad_input || status == chm_bad_argument || status == chm_unsupported ||
           status == chm_overflow || status == chm_deadlock || status == chm_unreachable;
}

// The first line of the last error, cut between two characters where it is too long.
static void say_why(size_outcome* outcome, chm_status status) {
    const char* text = chm_last_error();
    size_t length = strcspn(text, "\n");
    if (length >= sizeof outcome->reason) {
        length = sizeof outcome->reason - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) {
            --length;
        }
    }
    outcome->status = status;
    memcpy(outcome->reason, text, length);
    outcome->reason[length] = '\0';
}

// Runs one or both sides of a machine that could be loaded.
static chm_status run_sides(const chm_platform* platform, const chm_program* program,
                            const chm_run_options* options, bool both, size_outcome* outcome) {
    chm_result off = CHM_RESULT_INIT;
    chm_status status = run(platform, program, options, 1, &outcome->on);
    if (status != chm_ok) {
        say_why(outcome, status);
    }
    if (status != chm_ok || !both) {
        return status;
    }
    status = run(platform, program, options, 0, &off);
    outcome->off_cycles = status == chm_ok ? off.cycles : 0;
    return status;
}

chm_status size_measure(const command_line* line, const char* fidelity, const size_change* changes,
                        size_t count, bool both, size_outcome* outcome) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_run_options options;
    memset(outcome, 0, sizeof *outcome);
    outcome->on = (chm_result)CHM_RESULT_INIT;
    chm_status status = size_load(line, fidelity, changes, count, &platform, &program, &options);
    if (status == chm_ok) {
        status = run_sides(platform, program, &options, both, outcome);
        chm_program_free(program);
        chm_platform_free(platform);
    } else {
        say_why(outcome, status);
    }
    return does_not_fit(status) ? chm_ok : status;
}
