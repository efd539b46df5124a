// SPDX-License-Identifier: Apache-2.0
#include "hw/base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { first_block_bytes = 16384 };

struct chm_arena_block {
    chm_arena_block* next;
    size_t used;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

void chm_arena_init(chm_arena* arena) {
    arena->blocks = NULL;
}

void chm_arena_free(chm_arena* arena) {
    while (arena->blocks != NULL) {
        chm_arena_block* next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}

void* chm_arena_alloc(chm_arena* arena, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX / 4) / size) {
        return NULL;
    }
    size_t bytes = count * size;
    bytes = (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    chm_arena_block* block = arena->blocks;
    if (block == NULL || block->size - block->used < bytes) {
        size_t wanted = block == NULL ? first_block_bytes : block->size * 2;
        if (wanted > ((size_t)1 << 26)) {
            wanted = (size_t)1 << 26;
        }
        if (wanted < bytes) {
            wanted = bytes;
        }
        block = malloc(sizeof *block + wanted);
        if (block == NULL) {
            return NULL;
        }
        block->next = arena->blocks;
        block->used = 0;
        block->size = wanted;
        arena->blocks = block;
    }
    void* result = block->bytes + block->used;
    block->used += bytes;
    memset(result, 0, bytes);
    return result;
}

void* chm_arena_copy(chm_arena* arena, const void* from, size_t count, size_t size) {
    void* result = chm_arena_alloc(arena, count, size);
    if (result != NULL && count * size != 0) {
        memcpy(result, from, count * size);
    }
    return result;
}

char* chm_arena_string(chm_arena* arena, const char* text) {
    return chm_arena_copy(arena, text, strlen(text) + 1, 1);
}

char* chm_arena_format(chm_arena* arena, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char* text = length < 0 ? NULL : chm_arena_alloc(arena, (size_t)length + 1, 1);
    if (text != NULL) {
        va_start(arguments, format);
        vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}

chm_status chm_arena_grow(chm_arena* arena, void** items, size_t* capacity, size_t needed,
                          size_t size) {
    if (needed <= *capacity) {
        return chm_ok;
    }
    size_t wanted = *capacity < 8 ? 8 : *capacity * 2;
    if (wanted < needed) {
        wanted = needed;
    }
    void* grown = chm_arena_alloc(arena, wanted, size);
    if (grown == NULL) {
        return chm_no_memory;
    }
    if (*capacity != 0) {
        memcpy(grown, *items, *capacity * size);
    }
    *items = grown;
    *capacity = wanted;
    return chm_ok;
}
