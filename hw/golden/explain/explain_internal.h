// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/explain/explain.h"

// Parts of explain.c. Internal to hw/golden.

// "A-R 'sum' (seq 3)", "row_wise 'norm' (seq 4)".
const char* chm_explain_operation_name(const chm_workload* workload, uint32_t seq,
                                       chm_arena* arena);

// The sentence for a refusal of `second` behind the run; null when memory runs out.
const char* chm_explain_sentence(const chm_workload* workload, const chm_run* run, uint32_t second,
                                 chm_join rule, chm_arena* arena);

// The opaque operation that ends the run's line: the first reader that takes its last value as
// first operand and is no descriptor. CHM_NONE if none.
uint32_t chm_explain_opaque_end(const chm_workload* workload, const chm_run* run);
