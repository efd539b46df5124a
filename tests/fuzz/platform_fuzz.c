// SPDX-License-Identifier: Apache-2.0
// A platform is refused with a message, or is sound and reads back from what is written of it.
#include <string.h>

#include "platforms/platform.h"
#include "tests/fuzz/fuzz.h"

static chm_status read(const uint8_t* data, size_t size, chm_platform_description** platform) {
    chm_diagnostics diagnostics;
    chm_diagnostics_init(&diagnostics);
    chm_status status = chm_platform_read(fuzz_file(data, size), NULL, 0, platform, &diagnostics);
    FUZZ_HOLDS((status == chm_ok) == (diagnostics.errors == 0));
    FUZZ_HOLDS((status == chm_ok) == (*platform != NULL));
    chm_diagnostics_free(&diagnostics);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    chm_platform_description* platform = NULL;
    if (read(data, size, &platform) == chm_ok) {
        chm_text text;
        chm_platform_description* again = NULL;
        chm_text_init(&text);
        chm_platform_text(platform, &text);
        FUZZ_HOLDS(read((const uint8_t*)chm_text_get(&text), text.length, &again) == chm_ok);
        FUZZ_HOLDS(again->topology.dies == platform->topology.dies);
        FUZZ_HOLDS(again->topology.link_count == platform->topology.link_count);
        FUZZ_HOLDS(memcmp(&again->parameters.fabric, &platform->parameters.fabric,
                          sizeof again->parameters.fabric) == 0);
        chm_platform_free(again);
        chm_text_free(&text);
    }
    chm_platform_free(platform);
    return 0;
}
