// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/workload.h"

// What the data must be: the content of every value, computed by applying the operations of the
// common list one by one, whatever fusion does. Elements are float32 (element_bytes 4).
//
// Inputs are constructed: every element non-zero and as distinct as exact sums allow (integers
// whose sums over all addends stay below 2^24), or random floats where sums keep their order. In a
// program with routing, column 0 of a row carries the row's route code, so that gating reads the
// row's data.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_truth chm_truth;

// chm_unsupported with a message where a tensor's element_bytes is not 4.
chm_status chm_truth_create(chm_truth** truth, const chm_workload* workload, uint64_t seed,
                            bool random_floats, chm_diagnostics* diagnostics);
void chm_truth_free(chm_truth* truth);

// What a die holds of an input value at the start: addend `addend` of `addends` of elements
// [width_begin, width_end) of row `token`.
void chm_truth_input(const chm_truth* truth, uint32_t value, uint32_t addend, uint32_t addends,
                     uint64_t token, uint64_t width_begin, uint64_t width_end, float* out);

// The row of a value (the sum of its addends in canonical order: ascending, left to right), width
// elements. Owned by truth.
const float* chm_truth_row(const chm_truth* truth, uint32_t value, uint64_t token);

// What a compute operation makes of one row (all of its width): opaque, row-wise and element-wise
// functions that keep integers exact and column 0's route code; transparent ones copy.
// element-wise depends on (operation, element) alone, row-wise on the whole row.
void chm_truth_compute(const chm_operation* operation, const float* in, uint64_t width,
                       uint64_t width_begin, uint64_t width_end, float* out);

// The experts' die indices (ascending) that gating reads from a row's data; returns their number.
uint32_t chm_truth_gate(const chm_routing* routing, const float* row,
                        uint32_t targets[chm_max_top_k]);

#ifdef __cplusplus
}
#endif
