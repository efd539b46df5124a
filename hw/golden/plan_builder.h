// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/checked.h"
#include "hw/golden/plan.h"

// Private to hw/golden: parts of the plan builder that its files share.

#ifdef __cplusplus
extern "C" {
#endif

// The parts of `rect` that belong to the builder's current slice.
chm_status chm_builder_cut(chm_plan_builder* builder, const chm_rect* rect, chm_rect_list* out);

// True if `rect` in work at `die` is staging: not inside one block that a demand leaves there.
bool chm_builder_stages(const chm_plan_builder* builder, uint32_t die, const chm_rect* rect);

#ifdef __cplusplus
}
#endif
