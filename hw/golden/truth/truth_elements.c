// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/truth/truth_internal.h"

#include <string.h>

#include "hw/base/random.h"

enum {
    value_bits = 22, // of complete values: two of them and their sums stay below 2^24
    value_range = 1 << value_bits,
    upper_range = value_range / chm_truth_code_range // of column 0, above the code
};

static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// True for the integers that the constructed data consist of.
static bool is_count(float value) {
    return value >= 1 && value <= 16777216 && (float)(uint32_t)value == value;
}

// Addend a of n is 1 + a + n * h: different for every a. h goes through 0 .. range-1 in steps of an
// odd number, so that `range` consecutive elements have different addends; n * n * range is at most
// 2^22, which bounds the sum.
float chm_truth_count(uint64_t key, uint64_t element, uint32_t addend, uint32_t addends) {
    uint64_t range = value_range;
    uint64_t square = (uint64_t)addends * addends;
    while (range > 1 && range * square > value_range) {
        range /= 2;
    }
    uint64_t step = chm_hash2(key, addend) | 1;
    uint64_t h = (element * step + chm_hash3(key, addend, 1)) % range;
    return (float)(1 + addend + addends * h);
}

// Column 0: all addends but the last are as elsewhere; the last completes the sum to a multiple of
// the code range, above 2^22 so that it is positive, plus the code.
float chm_truth_coded(uint64_t key, uint64_t token, uint32_t code, uint32_t addend,
                      uint32_t addends) {
    if (addend + 1 < addends) {
        return chm_truth_count(key, token, addend, addends);
    }
    uint64_t spare = 3 * upper_range;
    float sum = (float)((upper_range + chm_hash3(key, token, 2) % spare) * chm_truth_code_range) +
                (float)code;
    for (uint32_t a = 0; a + 1 < addends; ++a) {
        sum -= chm_truth_count(key, token, a, addends);
    }
    return sum;
}

// Any sign and mantissa, magnitudes of 2^-8 .. 2^8.
float chm_truth_random(uint64_t key, uint64_t element, uint32_t addend) {
    uint64_t hash = chm_hash3(key, element, addend);
    uint32_t exponent = 127 - 8 + (uint32_t)(hash >> 32) % 16;
    return float_of_bits((uint32_t)(hash & 0x807fffff) | exponent << 23);
}

float chm_truth_part(float whole, uint64_t column, uint32_t addend, uint32_t addends) {
    if (addends <= 1) {
        return whole;
    }
    if (!is_count(whole)) {
        uint64_t hash = chm_hash3(bits_of_float(whole), column, addend);
        return whole * float_of_bits(0x3f800000 | (uint32_t)(hash & 0x7fffff));
    }
    // An even split, each addend taking something from the next one, so that they differ.
    uint32_t number = (uint32_t)whole;
    uint32_t next = addend + 1 == addends ? 0 : addend + 1;
    int64_t taken = (int64_t)(chm_hash3(number, column, addend) % 4096);
    int64_t given = (int64_t)(chm_hash3(number, column, next) % 4096);
    return (float)(number / addends + (addend < number % addends ? 1 : 0) + taken - given);
}

// A one-to-one function of an element, chosen by key.
static float scramble(uint64_t key, float in) {
    uint64_t step = chm_mix(key) | 1;
    if (is_count(in)) {
        return (float)(1 + (((uint32_t)in - 1) * step + key) % value_range);
    }
    uint32_t bits = bits_of_float(in);
    uint32_t mantissa = (uint32_t)(((bits & 0x7fffff) * step + key) & 0x7fffff);
    return float_of_bits((bits & 0x80000000) | 0x3f800000 | mantissa);
}

// The same for column 0: the code stays, what is above it changes.
static float scramble_coded(uint64_t key, float in) {
    if (!is_count(in)) {
        return scramble(key, in);
    }
    uint32_t number = (uint32_t)in;
    uint32_t upper = number / chm_truth_code_range;
    upper = 1 + (uint32_t)((upper + key % upper_range) % (upper_range - 1));
    return (float)(upper * chm_truth_code_range + number % chm_truth_code_range);
}

static uint64_t row_key(const float* in, uint64_t width) {
    uint64_t key = 0;
    for (uint64_t i = 0; i < width; ++i) {
        key += chm_mix((i << 32) ^ bits_of_float(in[i]));
    }
    return key;
}

void chm_truth_compute(const chm_operation* operation, const float* in, uint64_t width,
                       uint64_t width_begin, uint64_t width_end, float* out) {
    if (operation->op_class == chm_class_transparent || operation->op_class == chm_class_linear) {
        memcpy(out, in + width_begin, (width_end - width_begin) * sizeof *out);
        return;
    }
    uint64_t key = chm_hash2(operation->seq, operation->op_class);
    if (operation->op_class == chm_class_row_wise) {
        key = chm_hash2(key, row_key(in, width));
    }
    for (uint64_t column = width_begin; column < width_end; ++column) {
        uint64_t element_key = chm_hash2(key, column);
        out[column - width_begin] = column == 0 ? scramble_coded(element_key, in[column])
                                                : scramble(element_key, in[column]);
    }
}

uint32_t chm_truth_gate(const chm_routing* routing, const float* row,
                        uint32_t targets[chm_max_top_k]) {
    uint32_t code = is_count(row[0]) ? (uint32_t)row[0] % chm_truth_code_range : 0;
    return chm_routing_decode(routing, code == 0 ? 1 : code, targets);
}
