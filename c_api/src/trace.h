// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "c_api/include/chimera.h"
#include "hw/base/diagnostics.h"
#include "hw/die/machine.h"

namespace chimera::c_api {

// Checks the options, names in them included, and says what they ask for.
chm_status read_trace_options(const chm_trace_options& options, trace::trace_request& request,
                              chm_diagnostics* diagnostics);

chm_status start_trace(die::machine& machine, const chm_trace_options& options,
                       chm_diagnostics* diagnostics);
chm_status stop_trace(die::machine& machine, chm_diagnostics* diagnostics);

} // namespace chimera::c_api
