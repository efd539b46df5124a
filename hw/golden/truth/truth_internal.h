// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/truth/truth.h"

struct chm_truth {
    const chm_workload* workload;
    uint64_t seed;
    bool random_floats;
    // Per value: the routing whose code its column 0 carries, its addends where they are the same
    // for all rows, and its rows, null until asked for. Collectives share their operand's rows.
    uint32_t* routing;
    uint32_t* addends;
    float** rows;
    bool* owns_rows;
    uint8_t* wanted; // scratch of make_rows
};

static inline const chm_value* chm_truth_value(const chm_truth* truth, uint32_t value) {
    return &truth->workload->tables.values[value];
}

static inline const chm_tensor* chm_truth_tensor(const chm_truth* truth, uint32_t value) {
    return &truth->workload->tables.tensors[chm_truth_value(truth, value)->tensor];
}

// Addends that a row of the value has where it is produced.
uint32_t chm_truth_row_addends(const chm_truth* truth, uint32_t value, uint64_t token);

// The elements of constructed inputs. `key` is a hash of seed and value, `element` a position in
// the tensor.

#ifdef __cplusplus
extern "C" {
#endif

enum {
    chm_truth_code_range = 4096, // column 0 modulo this is the route code
    chm_truth_most_addends = 2048
};

// A positive integer, below 2^22 in sum over all addends.
float chm_truth_count(uint64_t key, uint64_t element, uint32_t addend, uint32_t addends);

// Column 0 of row `token`: positive integers whose sum over all addends is below 2^24 and equal to
// `code` modulo chm_truth_code_range.
float chm_truth_coded(uint64_t key, uint64_t token, uint32_t code, uint32_t addend,
                      uint32_t addends);

// A normal float.
float chm_truth_random(uint64_t key, uint64_t element, uint32_t addend);

#ifdef __cplusplus
}
#endif
