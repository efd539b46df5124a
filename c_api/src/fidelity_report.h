// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "hw/base/json.h"
#include "hw/base/text.h"
#include "hw/golden/network/lt_error.h"
#include "hw/golden/parameters.h"

// What a report says of the fidelity of its figures: nothing as text for the approximately timed
// fabric, else the error that was measured for its kinds of traffic.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_fidelity_note {
    chm_fidelity fidelity;
    chm_lt_traffic kinds[chm_lt_traffic_count];
    size_t count;
    bool as_measured; // with the default lt_ parameters
} chm_fidelity_note;

chm_fidelity_note chm_fidelity_of_program(const chm_fabric_params* fabric);
chm_fidelity_note chm_fidelity_of_graph(const chm_fabric_params* fabric, bool dependent);
// offered and accepted in the same unit.
chm_fidelity_note chm_fidelity_of_load(const chm_fabric_params* fabric, double offered,
                                       double accepted);

void chm_fidelity_as_text(chm_text* text, const chm_fidelity_note* note);

// The keys "fidelity" and, loosely timed, "fidelity_errors" and whether they were measured with the
// parameters of this run, into an open object.
void chm_fidelity_keys(chm_json* json, const chm_fidelity_note* note);

#ifdef __cplusplus
}
#endif
