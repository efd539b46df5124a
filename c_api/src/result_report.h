// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "c_api/include/chimera.h"
#include "c_api/src/fidelity_report.h"
#include "hw/base/json.h"
#include "hw/base/text.h"

// Results as text and JSON.

#ifdef __cplusplus
extern "C" {
#endif

// What every report of a run begins with.
typedef struct chm_run_header {
    const char* platform;
    const char* program;
    uint64_t message_bytes;
    uint64_t seed;
    chm_fidelity_note fidelity;
} chm_run_header;

// "off", "equal", "different"
const char* chm_data_state_name(chm_data_state state);

// The keys of the header and of a result, into an open object.
void chm_header_keys(chm_json* json, const chm_run_header* header);
void chm_result_keys(chm_json* json, const chm_result* result);
void chm_data_keys(chm_json* json, chm_data_state state, const char* first_difference);

void chm_run_as_text(chm_text* text, const chm_run_header* header, const chm_result* result,
                     bool engine);
chm_status chm_run_as_json(chm_text* text, const chm_run_header* header, const chm_result* result,
                           bool engine);

void chm_comparison_as_text(chm_text* text, const chm_run_header* header,
                            const chm_comparison* comparison);
chm_status chm_comparison_as_json(chm_text* text, const chm_run_header* header,
                                  const chm_comparison* comparison);

#ifdef __cplusplus
}
#endif
