// SPDX-License-Identifier: Apache-2.0
// A program is refused with a message, or the driver makes queues of it.
#include "platforms/platform.h"
#include "tests/fuzz/fuzz.h"
#include "traces/driver.h"
#include "traces/program.h"

static chm_platform_description* mesh(void) {
    static chm_platform_description* platform;
    static const char text[] = "platform: mesh\ncolumns: 4\nrows: 4\n";
    if (platform == NULL) {
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        FUZZ_HOLDS(chm_platform_read(fuzz_file((const uint8_t*)text, sizeof text - 1), NULL, 0,
                                     &platform, &diagnostics) == chm_ok);
        chm_diagnostics_free(&diagnostics);
    }
    return platform;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const chm_program_options options = {.message_bytes = 16384, .window_depth = 8, .seed = 1};
    chm_diagnostics diagnostics;
    chm_program* program = NULL;
    chm_diagnostics_init(&diagnostics);
    chm_status status = chm_program_read_text("input", (const char*)data, size, &mesh()->topology,
                                              &options, &program, &diagnostics);
    FUZZ_HOLDS((status == chm_ok) == (program != NULL));
    FUZZ_HOLDS(status == chm_ok || diagnostics.errors > 0);
    if (status == chm_ok) {
        chm_arena arena;
        chm_arena_init(&arena);
        chm_workload workload;
        status = chm_drive(program, mesh()->topology.dies, &arena, &workload, &diagnostics);
        FUZZ_HOLDS(status == chm_ok || diagnostics.errors > 0);
        chm_arena_free(&arena);
    }
    chm_program_free(program);
    chm_diagnostics_free(&diagnostics);
    return 0;
}
