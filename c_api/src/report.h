// SPDX-License-Identifier: Apache-2.0
#pragma once

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

#ifdef __cplusplus
}
#endif
