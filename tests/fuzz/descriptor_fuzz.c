// SPDX-License-Identifier: Apache-2.0
// 64 bytes are refused with the byte that is wrong, or decode to what encodes to the same bytes.
#include <string.h>

#include "platforms/platform.h"
#include "tests/fuzz/fuzz.h"
#include "traces/driver.h"

// The tables of a program; they stay until the process ends.
static const chm_tables* tables(void) {
    static const char text[] = "platform: mesh\ncolumns: 4\nrows: 4\n";
    static chm_arena arena;
    static chm_workload workload;
    static chm_platform_description* platform;
    static chm_program* program;
    if (program == NULL) {
        const chm_program_options options = {.message_bytes = 16384, .window_depth = 8, .seed = 1};
        chm_diagnostics diagnostics;
        chm_diagnostics_init(&diagnostics);
        chm_arena_init(&arena);
        FUZZ_HOLDS(chm_platform_read(fuzz_file((const uint8_t*)text, sizeof text - 1), NULL, 0,
                                     &platform, &diagnostics) == chm_ok);
        FUZZ_HOLDS(chm_program_read(CHM_SOURCE_DIR "/traces/tp_ep.yaml", &platform->topology,
                                    &options, &program, &diagnostics) == chm_ok);
        FUZZ_HOLDS(chm_drive(program, platform->topology.dies, &arena, &workload, &diagnostics) ==
                   chm_ok);
        chm_diagnostics_free(&diagnostics);
    }
    return &workload.tables;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    unsigned char bytes[chm_descriptor_bytes] = {0};
    unsigned char again[chm_descriptor_bytes];
    chm_descriptor descriptor;
    uint32_t bad_byte = 0;
    memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_status status =
        chm_descriptor_decode(bytes, tables(), &descriptor, &bad_byte, NULL, &diagnostics);
    FUZZ_HOLDS((status == chm_ok) == (diagnostics.errors == 0));
    if (status == chm_ok) {
        chm_descriptor_encode(&descriptor, again);
        FUZZ_HOLDS(memcmp(bytes, again, sizeof again) == 0);
    } else {
        FUZZ_HOLDS(bad_byte < chm_descriptor_bytes);
    }
    chm_diagnostics_free(&diagnostics);
    return 0;
}
