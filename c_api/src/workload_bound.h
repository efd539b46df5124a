// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "c_api/include/chimera.h"
#include "hw/base/diagnostics.h"
#include "hw/golden/bound/bound.h"

#ifdef __cplusplus
extern "C" {
#endif

// The lower bound of a program's communication: that of the run (as decided with the engine on)
// whose bound is largest. Runs may overlap on different dies, so that bounds of several runs do not
// add up to a bound of the program. All zero for a program without collectives.
chm_status chm_api_bound(const chm_platform* platform, const chm_program* program, chm_bound* bound,
                         chm_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
