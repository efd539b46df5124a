// SPDX-License-Identifier: Apache-2.0
// Lines of KEY=VALUE on a shipped platform and program: refused with a message, or taken.
#include <string.h>

#include "chimera.h"
#include "tests/fuzz/fuzz.h"

enum { most_line = 256, most_lines = 16 };

static void load(const chm_settings* settings) {
    chm_platform* platform = NULL;
    chm_program* program = NULL;
    chm_status status =
        chm_platform_load(&platform, CHM_SOURCE_DIR "/platforms/torus_2x2x2.yaml", settings);
    FUZZ_HOLDS((status == chm_ok) == (platform != NULL));
    FUZZ_HOLDS(status == chm_ok || chm_last_error()[0] != '\0');
    // Large platforms and messages take their time and show nothing new.
    if (status == chm_ok && chm_platform_dies(platform) <= 64) {
        status =
            chm_program_load(&program, platform, CHM_SOURCE_DIR "/traces/tp_ep.yaml", settings, 1);
        FUZZ_HOLDS((status == chm_ok) == (program != NULL));
        FUZZ_HOLDS(status == chm_ok || chm_last_error()[0] != '\0');
    }
    chm_program_free(program);
    chm_platform_free(platform);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    chm_settings* settings = NULL;
    FUZZ_HOLDS(chm_settings_create(&settings) == chm_ok);
    const char* at = (const char*)data;
    const char* end = at + size;
    for (int lines = 0; at < end && lines < most_lines; ++lines) {
        char line[most_line] = "";
        const char* stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        const size_t length = (size_t)(stop - at);
        memcpy(line, at, length < most_line ? length : most_line - 1);
        chm_settings_parse(settings, line);
        at = stop + 1;
    }
    load(settings);
    chm_settings_free(settings);
    return 0;
}
