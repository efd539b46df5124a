// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Checks that a text is valid UTF-8 without control characters other than tab and line breaks.
// Null if it is; else what is wrong (static text), with its 1-based line and column (in
// characters).
const char* chm_utf8_check(const char* text, size_t length, uint32_t* line, uint32_t* column);

#ifdef __cplusplus
}
#endif
