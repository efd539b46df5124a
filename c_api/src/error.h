// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/diagnostics.h"
#include "hw/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes the text of the diagnostics this thread's last error, frees them and returns `status`. With
// chm_ok: frees them and keeps the last error.
chm_status chm_error_take(chm_status status, chm_diagnostics* diagnostics);

// The same with one message. printf-style.
chm_status chm_error_set(chm_status status, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

#ifdef __cplusplus
}
#endif
