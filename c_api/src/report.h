// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "c_api/include/chimera.h"
#include "hw/base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

struct chm_report {
    chm_text text;
};

// Hands the text over to a new report. On failure (memory, or `status` is not chm_ok) the text is
// freed, the last error is set and *report is left alone.
chm_status chm_report_take(chm_report** report, chm_text* text, chm_status status);

// What stands behind the functions of the interface of these names, in C++. Their arguments are
// checked in C: there an enumeration may hold any number, in C++ looking at it is undefined.
chm_status chm_api_simulation_report(chm_report** report, const chm_simulation* simulation,
                                     bool json);
chm_status chm_api_replay(chm_replay_result* result, chm_report** report, bool json,
                          const chm_platform* platform, const char* path,
                          const chm_replay_options* options);

#ifdef __cplusplus
}
#endif
