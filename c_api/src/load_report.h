// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "c_api/include/chimera.h"
#include "hw/base/status.h"
#include "hw/base/text.h"

// What `chimera load` prints.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_load_report {
    const chm_platform* platform;
    const chm_load_options* points; // [count] options of each run
    const chm_load_result* results; // [count]
    uint32_t count;
    bool one; // a single run, told line by line; else a table of rates
} chm_load_report;

chm_status chm_load_report_text(chm_text* text, const chm_load_report* content);
chm_status chm_load_report_json(chm_text* text, const chm_load_report* content);

#ifdef __cplusplus
}
#endif
