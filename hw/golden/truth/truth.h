// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/fusion/workload.h"

// What the data must be: the content of every value, computed by applying the operations of the
// common list one by one, whatever fusion does. Elements are float32 (element_bytes 4).
//
// Inputs are constructed: every element non-zero and as distinct as exact sums allow (positive
// integers whose sums over all addends stay below 2^24, the addends of one element all different),
// or random normal floats where sums keep their order. In a program with routing, column 0 of every
// row is an integer, also among random floats, whose value modulo 4096 is the row's route code, so
// that gating reads the row's data.
//
// An element's addends are counted 0 .. addends-1: in a partial layout as chm_layout_holding counts
// them; in a routed_partial one by the die's position among the row's targets, of which there are
// `addends`.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_truth chm_truth;

// `workload` must outlive the truth. chm_unsupported with a message where a tensor's element_bytes
// is not 4, a value has more than 2048 addends or a routing more than 2047 dies.
chm_status chm_truth_create(chm_truth** truth, const chm_workload* workload, uint64_t seed,
                            bool random_floats, chm_diagnostics* diagnostics);
void chm_truth_free(chm_truth* truth);

// What a die holds of an input value at the start: addend `addend` of `addends` of elements
// [width_begin, width_end) of row `token`.
void chm_truth_input(const chm_truth* truth, uint32_t value, uint32_t addend, uint32_t addends,
                     uint64_t token, uint64_t width_begin, uint64_t width_end, float* out);

// The row of a value (the sum of its addends in canonical order: ascending, left to right), width
// elements. Owned by truth; a value's rows are worked out when one is first asked for, so a truth
// is for one thread at a time. Null when memory runs out.
const float* chm_truth_row(const chm_truth* truth, uint32_t value, uint64_t token);

// What a compute operation makes of elements [width_begin, width_end) of row `token`, given the row
// of its first operand. Other operands of the same shape are added first (column 0 excepted in a
// program with routing: it carries the first operand's route code); they are read from the truth.
// `in` has width elements, of which row-wise operations read all, others the range asked for.
// `out` has room for the range. chm_no_memory, or chm_ok.
chm_status chm_truth_apply(const chm_truth* truth, const chm_operation* operation, uint64_t token,
                           const float* in, uint64_t width, uint64_t width_begin,
                           uint64_t width_end, float* out);

// The function of one operand behind chm_truth_apply: transparent and linear operations copy (an
// addition needs no more), opaque and element-wise ones make something of (operation, column,
// element), row-wise ones also of the whole row. Integers 1 .. 2^24 become integers 1 .. 2^22,
// other floats floats of 1 .. 2; column 0 keeps its route code.
void chm_truth_compute(const chm_operation* operation, const float* in, uint64_t width,
                       uint64_t width_begin, uint64_t width_end, float* out);

// Where a compute operation writes a layout with addends: addend `addend` of `addends` of an
// element that is `whole` in all. Integers add up to `whole` exactly; for other floats the value is
// what the addends add up to in canonical order.
float chm_truth_part(float whole, uint64_t column, uint32_t addend, uint32_t addends);

// The experts' die indices (ascending) that gating reads from a row's data; returns their number.
uint32_t chm_truth_gate(const chm_routing* routing, const float* row,
                        uint32_t targets[chm_max_top_k]);

#ifdef __cplusplus
}
#endif
