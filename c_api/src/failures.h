// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "c_api/include/chimera.h"
#include "hw/base/diagnostics.h"
#include "hw/golden/network/failure.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads `count` texts (a null one is an empty one) into *failures, which has room for them. Every
// fault is told. chm_unsupported for any on a platform with fidelity lt.
chm_status chm_failures_read(chm_failure* failures, const chm_platform* platform,
                             const char* const* texts, size_t count, chm_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
