// SPDX-License-Identifier: Apache-2.0
#include <clocale>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "hw/base/clock.h"
#include "hw/base/json.h"
#include "hw/base/random.h"
#include "hw/base/text.h"

TEST(text, parses_integers_of_64_bits) {
    uint64_t value = 0;
    EXPECT_TRUE(chm_parse_u64("18446744073709551615", &value));
    EXPECT_EQ(value, UINT64_MAX);
    EXPECT_TRUE(chm_parse_u64("17179869183GiB", &value)); // (2^34 - 1) * 2^30 fits
    EXPECT_EQ(value, ((uint64_t{1} << 34) - 1) << 30);
    for (const char* bad : {"18446744073709551616", "17179869184GiB", "1kib", "+1", "0x1"}) {
        EXPECT_FALSE(chm_parse_u64(bad, &value)) << bad;
    }
}

TEST(text, doubles_are_shortest_and_read_back) {
    char buffer[chm_double_chars];
    EXPECT_STREQ(chm_format_double(0.1, buffer), "0.1");
    EXPECT_STREQ(chm_format_double(1.0 / 3, buffer), "0.3333333333333333");
    EXPECT_STREQ(chm_format_double(1e30, buffer), "1e+30");
    EXPECT_STREQ(chm_format_double(0, buffer), "0");
    for (uint64_t i = 0; i < 2000; ++i) {
        double value = std::ldexp(static_cast<double>(chm_mix(i)), static_cast<int>(i % 200) - 100);
        double back = 0;
        ASSERT_TRUE(chm_parse_double(chm_format_double(value, buffer), &back)) << buffer;
        EXPECT_EQ(back, value);
    }
}

TEST(text, ignores_the_locale_of_the_process) {
    // Not every machine has such a locale; where one is there, its decimal comma must not show.
    for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "C.UTF-8"}) {
        if (std::setlocale(LC_ALL, name) != nullptr) {
            break;
        }
    }
    char buffer[chm_double_chars];
    double value = 0;
    EXPECT_STREQ(chm_format_double(2.5, buffer), "2.5");
    EXPECT_TRUE(chm_parse_double("2.5", &value));
    EXPECT_EQ(value, 2.5);
    std::setlocale(LC_ALL, "C");
}

TEST(text, json_writes_nested_values) {
    chm_text out;
    chm_text_init(&out);
    chm_json json;
    chm_json_begin(&json, &out);
    chm_json_object_begin(&json);
    chm_json_put_string(&json, "na\"me", "a\\b\n\x01");
    chm_json_put_u64(&json, "big", UINT64_MAX);
    chm_json_put_double(&json, "half", 0.5);
    chm_json_put_double(&json, "nan", std::nan(""));
    chm_json_key(&json, "list");
    chm_json_array_begin(&json);
    chm_json_bool(&json, true);
    chm_json_row_begin(&json);
    chm_json_u64(&json, 1);
    chm_json_u64(&json, 2);
    chm_json_array_end(&json);
    chm_json_array_end(&json);
    chm_json_key(&json, "none");
    chm_json_object_begin(&json);
    chm_json_object_end(&json);
    chm_json_object_end(&json);
    ASSERT_EQ(chm_json_finish(&json), chm_ok);
    EXPECT_STREQ(chm_text_get(&out), "{\n"
                                     "  \"na\\\"me\": \"a\\\\b\\n\\u0001\",\n"
                                     "  \"big\": 18446744073709551615,\n"
                                     "  \"half\": 0.5,\n"
                                     "  \"nan\": null,\n"
                                     "  \"list\": [\n"
                                     "    true,\n"
                                     "    [1, 2]\n"
                                     "  ],\n"
                                     "  \"none\": {}\n"
                                     "}\n");
    chm_text_free(&out);
}

TEST(text, json_misuse_is_sticky) {
    chm_text out;
    chm_text_init(&out);
    chm_json json;
    chm_json_begin(&json, &out);
    chm_json_object_begin(&json);
    chm_json_u64(&json, 1); // no key
    chm_json_put_u64(&json, "a", 1);
    chm_json_object_end(&json);
    EXPECT_EQ(chm_json_finish(&json), chm_internal);
    chm_json_begin(&json, &out);
    chm_json_array_begin(&json);
    EXPECT_EQ(chm_json_finish(&json), chm_internal) << "unbalanced";
    chm_text_free(&out);
}

TEST(clock, converts_exactly) {
    EXPECT_EQ(chm_clock_khz(1), 1000000u);
    EXPECT_EQ(chm_clock_khz(1.7), 1700000u);
    EXPECT_EQ(chm_clock_cycles_to_ps(17, 1000000), 17000u);
    // 1.7 GHz: a cycle is 588.235.. ps; cycle 1 is due at 589, cycle 17 at 10000 exactly.
    EXPECT_EQ(chm_clock_cycles_to_ps(1, 1700000), 589u);
    EXPECT_EQ(chm_clock_cycles_to_ps(17, 1700000), 10000u);
    EXPECT_EQ(chm_clock_ps_to_cycles(588, 1700000), 0u);
    EXPECT_EQ(chm_clock_ps_to_cycles(589, 1700000), 1u);
    EXPECT_EQ(chm_clock_ps_to_cycles(9999, 1700000), 16u);
}

TEST(clock, is_its_own_inverse_at_every_clock) {
    for (uint64_t khz : {1u, 999u, 1000000u, 1234567u, 1700000u, 3333333u, 100000000u}) {
        for (uint64_t i = 0; i < 2000; ++i) {
            uint64_t cycles = chm_mix(i) >> (i % 40 + 24);
            uint64_t ps = chm_clock_cycles_to_ps(cycles, khz);
            if (ps != UINT64_MAX) {
                EXPECT_EQ(chm_clock_ps_to_cycles(ps, khz), cycles) << khz;
            }
        }
    }
}

TEST(clock, goes_past_what_32_bits_of_ns_hold_and_saturates) {
    // 5.5 s at 1 GHz: 5.5e9 cycles are 5.5e12 ps.
    EXPECT_EQ(chm_clock_cycles_to_ps(5500000000u, 1000000), 5500000000000u);
    EXPECT_EQ(chm_clock_cycles_to_ps(UINT64_MAX, 1000), UINT64_MAX);
    EXPECT_EQ(chm_clock_ps_to_cycles(UINT64_MAX, 100000000), UINT64_MAX / 10);
}
