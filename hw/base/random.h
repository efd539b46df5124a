// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// Random choices are hashes of what they are about (seed, message, packet), never a sequence, so
// that tracing, stalls or another order of evaluation cannot shift them.

// A well-mixed 64-bit hash of one word (the finaliser of SplitMix64, Steele et al., OOPSLA 2014).
static inline uint64_t chm_mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t chm_hash2(uint64_t a, uint64_t b) {
    return chm_mix(chm_mix(a) ^ b);
}

static inline uint64_t chm_hash3(uint64_t a, uint64_t b, uint64_t c) {
    return chm_mix(chm_hash2(a, b) ^ c);
}

// True with probability `probability` (0..1) for this hash.
static inline int chm_chance(uint64_t hash, double probability) {
    return (double)(hash >> 11) * 0x1.0p-53 < probability;
}
