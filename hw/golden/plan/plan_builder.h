// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/checked.h"
#include "hw/golden/plan/plan.h"

// Private to hw/golden: parts of the plan builder that its files share.

#ifdef __cplusplus
extern "C" {
#endif

// The parts of `rect` that belong to the builder's current slice.
chm_status chm_builder_cut(chm_plan_builder* builder, const chm_rect* rect, chm_rect_list* out);

// True if `rect` in work at `die` is staging: not inside one block that a demand leaves there.
bool chm_builder_stages(const chm_plan_builder* builder, uint32_t die, const chm_rect* rect);

// Slices have no element in common: only transfers of the current slice are of interest.
static inline bool chm_builder_is_current(const chm_plan_builder* builder, uint32_t id) {
    return id != CHM_NO_TRANSFER && builder->plan->transfers[id].slice == builder->slice;
}

// Appends a transfer that is complete but for its place in the lists.
chm_status chm_builder_append(chm_plan_builder* builder, const chm_transfer* transfer);

// Adds a dependency to a transfer whose dependencies are the last in the plan, in ascending order.
chm_status chm_builder_depend(chm_plan_builder* builder, chm_transfer* transfer, uint32_t id);

// True if `transfer` takes staging space at its destination until it is sent on or added.
bool chm_builder_takes_staging(const chm_plan_builder* builder, const chm_transfer* transfer);

// The credit that a transfer into staging has to wait for, added if it is not there yet;
// CHM_NO_TRANSFER if earlier slices left nothing there.
chm_status chm_builder_credit(chm_plan_builder* builder, const chm_transfer* transfer,
                              uint32_t* credit_id);

#ifdef __cplusplus
}
#endif
