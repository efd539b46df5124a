// SPDX-License-Identifier: Apache-2.0
#include "traces/program.h"

#include "c_api/src/error.h"
#include "c_api/src/settings.h"
#include "c_api/src/shipped.h"

static chm_status load_program(chm_program** program, const chm_platform* platform,
                               const char* name_or_path, const chm_settings* settings,
                               uint64_t seed, chm_arena* arena, chm_diagnostics* diagnostics) {
    const char* path = NULL;
    chm_program_params parameters;
    chm_status status = chm_settings_for_program(settings, &parameters, diagnostics);
    chm_status resolved =
        chm_shipped_resolve("traces", "argument PROGRAM", name_or_path, arena, &path, diagnostics);
    if (status != chm_ok || resolved != chm_ok) {
        return status != chm_ok ? status : resolved;
    }
    chm_program_options options = {parameters.message_bytes,
                                   platform->parameters.engine.window_depth, parameters.skew, seed};
    status = chm_program_read(path, &platform->topology, &options, program, diagnostics);
    if (status == chm_ok) {
        (*program)->source = chm_arena_string(&(*program)->arena, name_or_path);
    }
    return status;
}

chm_status chm_program_load(chm_program** program, const chm_platform* platform,
                            const char* name_or_path, const chm_settings* settings, uint64_t seed) {
    if (program == NULL || platform == NULL || name_or_path == NULL) {
        return chm_error_set(chm_bad_argument, "argument program, platform or name_or_path: null");
    }
    chm_arena arena;
    chm_arena_init(&arena);
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_status status =
        load_program(program, platform, name_or_path, settings, seed, &arena, &diagnostics);
    chm_arena_free(&arena);
    return chm_error_take(status, &diagnostics);
}

const char* chm_program_name(const chm_program* program) {
    return program != NULL ? program->name : "";
}

uint64_t chm_program_message_bytes(const chm_program* program) {
    return program != NULL ? program->message_bytes : 0;
}
