// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "hw/base/status.h"

// A bump allocator: results that vary in size live in the caller's arena and go with it.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_arena_block chm_arena_block;

typedef struct chm_arena {
    chm_arena_block* blocks; // newest first; owned
} chm_arena;

void chm_arena_init(chm_arena* arena);
void chm_arena_free(chm_arena* arena); // frees everything; the arena can be used again

// Zeroed memory for count elements of size bytes, aligned for any type; null when memory runs out
// or count * size overflows. A count of 0 gives a valid pointer.
void* chm_arena_alloc(chm_arena* arena, size_t count, size_t size);

// A copy of count elements; null as above.
void* chm_arena_copy(chm_arena* arena, const void* from, size_t count, size_t size);

// A copy of a string; null as above.
char* chm_arena_string(chm_arena* arena, const char* text);

// printf into the arena; null when memory runs out.
char* chm_arena_format(chm_arena* arena, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

// Grows an arena array to hold at least `needed` elements (doubling; the old copy stays in the
// arena until it is freed). On success *items and *capacity are updated.
chm_status chm_arena_grow(chm_arena* arena, void** items, size_t* capacity, size_t needed,
                          size_t size);

#ifdef __cplusplus
}
#endif
