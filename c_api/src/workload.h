// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "c_api/include/chimera.h"
#include "hw/golden/fusion/workload.h"
#include "platforms/platform.h"
#include "traces/program.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a program's dies queue on this platform. Engine off: the same with every window at 1, so
// that nothing fuses. Everything lives in the arena; program must outlive *workload.
chm_status chm_api_drive(const chm_platform* platform, const chm_program* program, bool engine,
                         chm_arena* arena, chm_workload* workload, chm_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
