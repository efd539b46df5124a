// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

// A tensor is tokens x width elements; a rect is a half-open block of it.

typedef enum chm_axis { chm_axis_tokens = 0, chm_axis_width = 1 } chm_axis;

typedef struct chm_tensor {
    uint64_t tokens;
    uint64_t width;
    uint32_t element_bytes;
} chm_tensor;

typedef struct chm_rect {
    uint64_t token_begin, token_end; // rows
    uint64_t width_begin, width_end; // elements of a row
} chm_rect;

static inline bool chm_rect_empty(const chm_rect* r) {
    return r->token_begin >= r->token_end || r->width_begin >= r->width_end;
}

static inline uint64_t chm_rect_elements(const chm_rect* r) {
    return chm_rect_empty(r) ? 0
                             : (r->token_end - r->token_begin) * (r->width_end - r->width_begin);
}

static inline chm_rect chm_rect_intersect(const chm_rect* a, const chm_rect* b) {
    chm_rect r;
    r.token_begin = a->token_begin > b->token_begin ? a->token_begin : b->token_begin;
    r.token_end = a->token_end < b->token_end ? a->token_end : b->token_end;
    r.width_begin = a->width_begin > b->width_begin ? a->width_begin : b->width_begin;
    r.width_end = a->width_end < b->width_end ? a->width_end : b->width_end;
    return r;
}

static inline bool chm_rect_contains(const chm_rect* outer, const chm_rect* inner) {
    return chm_rect_empty(inner) ||
           (outer->token_begin <= inner->token_begin && inner->token_end <= outer->token_end &&
            outer->width_begin <= inner->width_begin && inner->width_end <= outer->width_end);
}
