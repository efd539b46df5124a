// SPDX-License-Identifier: Apache-2.0
#include "c_api/src/failures.h"

#include "platforms/platform.h"

chm_status chm_failures_read(chm_failure* failures, const chm_platform* platform,
                             const char* const* texts, size_t count, chm_diagnostics* diagnostics) {
    const chm_origin origin = {"failure", 0, 0};
    chm_status status = chm_ok;
    for (size_t i = 0; i < count; ++i) {
        const char* text = texts[i] != NULL ? texts[i] : "";
        chm_status read =
            chm_failure_parse(&failures[i], &platform->topology, text, &origin, diagnostics);
        status = read != chm_ok ? read : status;
    }
    if (count > 0 && platform->parameters.fabric.fidelity != chm_fidelity_at) {
        chm_diagnose(diagnostics, &origin,
                     "a network with fidelity lt does not fail; allowed: fidelity at");
        return chm_unsupported;
    }
    return status;
}
