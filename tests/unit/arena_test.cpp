// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include "hw/base/arena.h"

TEST(arena, aligns_zeroes_and_refuses_overflow) {
    chm_arena arena;
    chm_arena_init(&arena);
    for (size_t size : {1u, 3u, 17u, 100000u}) {
        auto* bytes = static_cast<unsigned char*>(chm_arena_alloc(&arena, size, 1));
        ASSERT_NE(bytes, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % alignof(max_align_t), 0u);
        for (size_t i = 0; i < size; ++i) {
            ASSERT_EQ(bytes[i], 0);
        }
        std::memset(bytes, 0xff, size);
    }
    EXPECT_EQ(chm_arena_alloc(&arena, SIZE_MAX / 2, 3), nullptr);
    EXPECT_STREQ(chm_arena_format(&arena, "%d-%s", 7, "x"), "7-x");
    chm_arena_free(&arena);
}
