// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/base/status.h"

// Diagnostics for people: a growing list of messages, each with its origin. All semantic errors
// of one input are collected before the input is refused.

#ifdef __cplusplus
extern "C" {
#endif

// Where a value came from: "mesh.yaml" with line and column (1-based, 0 when unknown), or
// "--set link_latency_cycles", or "argument platform", or "descriptor 3".
typedef struct chm_origin {
    const char* name;
    uint32_t line;
    uint32_t column;
} chm_origin;

typedef struct chm_diagnostics {
    char* text;    // one message a line, "origin:line:column: message\n"; owned, null if none
    size_t length; // bytes in text, terminator excluded
    size_t capacity;
    uint32_t errors; // messages added
    bool truncated;  // memory ran out while a message was added
} chm_diagnostics;

void chm_diagnostics_init(chm_diagnostics* diagnostics);
void chm_diagnostics_free(chm_diagnostics* diagnostics);

// Adds one message, one line of at most 8 KiB if it has an origin (may be null). printf-style.
void chm_diagnose(chm_diagnostics* diagnostics, const chm_origin* origin, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
void chm_diagnose_v(chm_diagnostics* diagnostics, const chm_origin* origin, const char* format,
                    va_list arguments);

// The collected text, "" if none. Valid until the next message or free.
const char* chm_diagnostics_text(const chm_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
