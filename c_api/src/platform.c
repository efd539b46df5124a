// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/error.h"
#include "c_api/src/settings.h"
#include "c_api/src/shipped.h"
#include "hw/base/clock.h"

static chm_status load_platform(chm_platform** platform, const char* name_or_path,
                                const chm_settings* settings, chm_arena* arena,
                                chm_diagnostics* diagnostics) {
    const char* path = NULL;
    const chm_setting* items = NULL;
    uint32_t count = 0;
    chm_status status = chm_settings_for_platform(settings, arena, &items, &count, diagnostics);
    if (status == chm_ok) {
        status = chm_shipped_resolve("platforms", "argument PLATFORM", name_or_path, arena, &path,
                                     diagnostics);
    }
    chm_platform* read = NULL;
    if (status == chm_ok) {
        status = chm_platform_read(path, items, count, &read, diagnostics);
    }
    if (status == chm_ok && diagnostics->errors != 0) {
        chm_platform_free(read);
        return chm_bad_input; // an unknown setting
    }
    if (status == chm_ok) {
        *platform = read;
    }
    return status;
}

chm_status chm_platform_load(chm_platform** platform, const char* name_or_path,
                             const chm_settings* settings) {
    if (platform == NULL || name_or_path == NULL) {
        return chm_error_set(chm_bad_argument, "argument platform or name_or_path: null");
    }
    chm_arena arena;
    chm_arena_init(&arena);
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_status status = load_platform(platform, name_or_path, settings, &arena, &diagnostics);
    chm_arena_free(&arena);
    return chm_error_take(status, &diagnostics);
}

const char* chm_platform_name(const chm_platform* platform) {
    return platform != NULL ? platform->topology.name : "";
}

uint32_t chm_platform_dies(const chm_platform* platform) {
    return platform != NULL ? platform->topology.dies : 0;
}

uint64_t chm_platform_clock_khz(const chm_platform* platform) {
    return platform != NULL ? chm_clock_khz(platform->parameters.fabric.clock_ghz) : 0;
}
