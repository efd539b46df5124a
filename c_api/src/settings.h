// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "c_api/include/chimera.h"
#include "hw/base/arena.h"
#include "hw/base/diagnostics.h"
#include "hw/base/keys.h"
#include "platforms/platform.h"

#ifdef __cplusplus
extern "C" {
#endif

struct chm_settings {
    chm_arena arena;
    chm_setting* items;
    size_t count, capacity;
};

// What settings say about a program.
typedef struct chm_program_params {
    uint64_t message_bytes; // 0: the file's own
    double skew;
} chm_program_params;

extern const chm_key_table chm_program_keys;

// The platform's settings, for chm_platform_read, in the arena. A key that is neither a platform's
// nor a program's adds a message and is left out, so that the other faults are found too.
chm_status chm_settings_for_platform(const chm_settings* settings, chm_arena* arena,
                                     const chm_setting** platform, uint32_t* count,
                                     chm_diagnostics* diagnostics);

// The program's parameters: defaults and what the settings (may be null) say.
chm_status chm_settings_for_program(const chm_settings* settings, chm_program_params* parameters,
                                    chm_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
