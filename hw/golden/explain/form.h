// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/text.h"
#include "hw/golden/fusion/fusion.h"

// What a redistribution is in the terms of collectives, by the algebra alone: the normal form
// reduce
// - move - gather with the parts that do nothing left out. What a topology makes of it (merging
// R-S and P2P into one M2MS, forwarding) is the planner's.

#ifdef __cplusplus
extern "C" {
#endif

// "nothing", "slice", "R-S", "A-G", "A2A", "P2P", "M2MS", "R-S; A2A", "R-S; M2MS; A-G", ... Static
// storage. For one demand.
const char* chm_form_of(const chm_request* request, uint32_t demand);

// The request of one collective or marker as written: from layout_in to layout_out.
void chm_request_as_written(const chm_tables* tables, const chm_descriptor* descriptor,
                            const chm_layout** demand, chm_request* request);

// Bytes that all dies inject for the least sends of a collective as written, payload only. Where
// addends stay addends along a mesh dimension, each of its parallel groups counts for itself. 0 for
// a marker.
uint64_t chm_volume_as_written(const chm_tables* tables, const chm_descriptor* descriptor);

#ifdef __cplusplus
}
#endif
