// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Arithmetic on sizes that may come from a user: true on success, false when it would overflow.

static inline bool chm_add_u64(uint64_t a, uint64_t b, uint64_t* sum) {
    return !__builtin_add_overflow(a, b, sum);
}

static inline bool chm_mul_u64(uint64_t a, uint64_t b, uint64_t* product) {
    return !__builtin_mul_overflow(a, b, product);
}

static inline uint64_t chm_min_u64(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline uint64_t chm_max_u64(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

// ceil(a / b), b > 0, without overflow.
static inline uint64_t chm_ceil_div_u64(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}
