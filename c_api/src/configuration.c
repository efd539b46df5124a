// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/configuration.h"

#include <inttypes.h>
#include <string.h>

#include "c_api/src/error.h"
#include "c_api/src/failures.h"
#include "c_api/src/report.h"
#include "c_api/src/settings.h"
#include "hw/base/yaml_text.h"
#include "traces/program.h"

// A configuration is a platform file with a mapping `run`: what to run on it, and how.

typedef struct run_keys {
    bool engine, data;
    double stall;
    uint64_t seed;
} run_keys;

static const chm_key keys[] = {
    {"engine", chm_key_bool, "", offsetof(run_keys, engine), 1, 0, 1, NULL,
     "Fusion engine on or off."},
    {"data", chm_key_bool, "", offsetof(run_keys, data), 0, 0, 1, NULL,
     "Carry real bytes and compare every result."},
    {"stall", chm_key_f64, "", offsetof(run_keys, stall), 0, 0, 1, NULL,
     "Probability of a random stall of every port and queue."},
    {"seed", chm_key_u64, "", offsetof(run_keys, seed), 1, 0, 0x1.0p64, NULL,
     "Of everything random."},
};
const chm_key_table chm_run_keys = {"run", keys, sizeof keys / sizeof keys[0]};

static void value_text(const chm_key* key, const void* values, chm_text* text) {
    char value[64];
    chm_key_format(key, values, value, sizeof value);
    chm_text_format(text, "  %s: %s\n", key->name, value);
}

// What is written must be what a run takes.
static chm_status check_failures(const chm_platform* platform, const chm_run_options* options) {
    if (options->failure_count > 0 && options->failures == NULL) {
        return chm_error_set(chm_bad_argument, "argument failures: null, with a failure_count");
    }
    chm_arena arena;
    chm_arena_init(&arena);
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_failure* read = chm_arena_alloc(&arena, options->failure_count, sizeof *read);
    chm_status status = read == NULL ? chm_no_memory
                                     : chm_failures_read(read, platform, options->failures,
                                                         options->failure_count, &diagnostics);
    chm_arena_free(&arena);
    return chm_error_take(status, &diagnostics);
}

chm_status chm_configuration_report(chm_report** report, const chm_platform* platform,
                                    const chm_program* program, const chm_run_options* options) {
    if (report == NULL || platform == NULL || program == NULL || options == NULL ||
        options->struct_size != sizeof *options) {
        return chm_error_set(chm_bad_argument,
                             "argument report, platform, program or options: null, or options "
                             "without struct_size (CHM_RUN_OPTIONS_INIT)");
    }
    chm_status status = check_failures(platform, options);
    if (status != chm_ok) {
        return status;
    }
    chm_text text;
    chm_text_init(&text);
    chm_text_format(&text, "# Everything that decides this run, chimera %s: chimera run FILE\n",
                    chm_version());
    chm_platform_text(platform, &text);
    chm_text_string(&text, "run:\n  program: ");
    chm_yaml_scalar_text(program->source != NULL ? program->source : program->name, false, &text);
    chm_text_string(&text, "\n");
    const chm_program_params of_program = {program->message_bytes, program->skew};
    for (size_t k = 0; k < chm_program_keys.count; ++k) {
        value_text(&chm_program_keys.keys[k], &of_program, &text);
    }
    const run_keys of_run = {options->engine != 0, options->data != 0, options->stall_probability,
                             options->seed};
    for (size_t k = 0; k < chm_run_keys.count; ++k) {
        value_text(&chm_run_keys.keys[k], &of_run, &text);
    }
    if (options->failure_count > 0) {
        chm_text_string(&text, "  fail:\n");
    }
    for (size_t i = 0; i < options->failure_count; ++i) {
        chm_text_string(&text, "    - ");
        chm_yaml_scalar_text(options->failures[i], false, &text);
        chm_text_string(&text, "\n");
    }
    return chm_report_take(report, &text, chm_ok);
}

// What the mapping says: keys of the run into *values, of the program into *settings.
typedef struct run_reader {
    const char* program;
    run_keys values;
    const char** failures; // of the platform's arena
    size_t failure_count;
    chm_platform* platform;
    chm_settings* settings;
    chm_diagnostics* diagnostics;
} run_reader;

// A list of failures as --fail takes them.
static void read_failures(run_reader* in, const chm_yaml_node* list) {
    in->failures = chm_arena_alloc(&in->platform->arena, list->count, sizeof *in->failures);
    if (list->kind != chm_yaml_sequence || in->failures == NULL) {
        chm_diagnose(in->diagnostics, &list->origin, "%s",
                     in->failures == NULL
                         ? "out of memory"
                         : "key 'fail': a list of what fails, such as [die:die_0_0@5000]");
        return;
    }
    for (size_t i = 0; i < list->count; ++i) {
        const chm_yaml_node* item = &list->items[i];
        const char* text = item->kind == chm_yaml_scalar ? item->text : "a list or mapping";
        chm_failure read;
        chm_failure_parse(&read, &in->platform->topology, text, &item->origin, in->diagnostics);
        in->failures[in->failure_count++] = text;
    }
}

static void read_key(run_reader* in, const chm_yaml_node* item) {
    const chm_key* of_run = chm_keys_find(&chm_run_keys, item->key);
    const chm_key* of_program = chm_keys_find(&chm_program_keys, item->key);
    chm_program_params checked;
    if (strcmp(item->key, "fail") == 0) {
        read_failures(in, item);
    } else if (item->kind != chm_yaml_scalar) {
        chm_diagnose(in->diagnostics, &item->origin,
                     "key '%s': got a list or mapping; allowed: a single value", item->key);
    } else if (strcmp(item->key, "program") == 0) {
        in->program = item->text;
    } else if (of_run != NULL) {
        chm_key_set(of_run, &in->values, item->text, &item->origin, in->diagnostics);
    } else if (of_program != NULL) {
        if (chm_key_set(of_program, &checked, item->text, &item->origin, in->diagnostics) ==
            chm_ok) {
            chm_settings_set(in->settings, item->key, item->text);
        }
    } else {
        chm_diagnose(
            in->diagnostics, &item->key_origin,
            "unknown key '%s'; allowed: program, message_bytes, skew, engine, data, stall, "
            "seed, fail",
            item->key);
    }
}

static chm_status read_run(run_reader* in, const chm_platform* platform, const char* path) {
    const chm_yaml_node* run = chm_yaml_get(platform->lists, "run");
    const chm_origin file = {path, 0, 0};
    if (run == NULL || run->kind != chm_yaml_mapping) {
        chm_diagnose(in->diagnostics, run != NULL ? &run->origin : &file,
                     "key 'run': a configuration says what to run, such as 'run: {program: "
                     "tp_sp}'; allowed without it: PLATFORM PROGRAM");
        return chm_bad_input;
    }
    for (size_t i = 0; i < run->count; ++i) {
        read_key(in, &run->items[i]);
    }
    if (in->program == NULL && in->diagnostics->errors == 0) {
        chm_diagnose(in->diagnostics, &run->origin, "key 'program' is missing in 'run'");
    }
    return in->diagnostics->errors == 0 ? chm_ok : chm_bad_input;
}

// The settings of the caller come behind those of the file: the last one wins.
static chm_status add_settings(chm_settings* to, const chm_settings* from) {
    chm_status status = chm_ok;
    for (size_t i = 0; from != NULL && i < from->count && status == chm_ok; ++i) {
        status = chm_settings_set(to, from->items[i].key, from->items[i].value);
    }
    return status;
}

static chm_status load(chm_platform* platform, chm_program** program, chm_run_options* options,
                       const char* path, const chm_settings* settings, chm_settings* merged) {
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    run_reader in = {.platform = platform, .settings = merged, .diagnostics = &diagnostics};
    chm_keys_default(&chm_run_keys, &in.values);
    chm_status status = read_run(&in, platform, path);
    status = chm_error_take(status, &diagnostics);
    if (status == chm_ok) {
        status = add_settings(merged, settings);
    }
    if (status == chm_ok) {
        status = chm_program_load(program, platform, in.program, merged, in.values.seed);
    }
    if (status == chm_ok) {
        options->engine = in.values.engine;
        options->data = in.values.data;
        options->stall_probability = in.values.stall;
        options->seed = in.values.seed;
        options->failures = in.failures;
        options->failure_count = in.failure_count;
    }
    return status;
}

chm_status chm_configuration_load(chm_platform** platform, chm_program** program,
                                  chm_run_options* options, const char* path,
                                  const chm_settings* settings) {
    if (platform == NULL || program == NULL || options == NULL || path == NULL) {
        return chm_error_set(chm_bad_argument, "argument platform, program, options or path: null");
    }
    chm_platform* read = NULL;
    chm_settings* merged = NULL;
    chm_status status = chm_platform_load(&read, path, settings);
    if (status == chm_ok) {
        status = chm_settings_create(&merged);
    }
    if (status == chm_ok) {
        status = load(read, program, options, path, settings, merged);
    }
    chm_settings_free(merged);
    if (status != chm_ok) {
        chm_platform_free(read);
        return status;
    }
    *platform = read;
    return chm_ok;
}
