// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "size.h"

// "KEY" or "KEY=A:B:STEPS": the key, and what stands behind the '='.
static int select_key(size_study* study, const char* text) {
    char name[chm_name_chars] = "";
    const char* equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    if (length < sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)length, text);
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
    chm_warn(line->positional[0], study->platform);
    int result = chm_check_seed(line, study->seed);
    if (result == 0) {
        result = select_keys(study);
    }
    return result == 0 ? size_measure_study(study) : result;
}

void size_study_free(size_study* study) {
    free(study->sweeps);
    chm_program_free(study->program);
    chm_platform_free(study->platform);
}
