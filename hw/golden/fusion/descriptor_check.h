// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/fusion/descriptor.h"

// The checks behind chm_descriptor_decode, in the order of the bytes. Each stops at the first
// fault, says so in the diagnostics and leaves the offset of the field in `byte`.

typedef struct chm_descriptor_fault {
    const chm_origin* origin;     // of the descriptor, may be null
    chm_diagnostics* diagnostics; // may be null
    uint32_t byte;
} chm_descriptor_fault;

// What can be told from the bytes alone: version, kind, detail, flags, reserved bytes.
bool chm_descriptor_check_header(const unsigned char bytes[chm_descriptor_bytes],
                                 chm_descriptor_fault* fault);

// Every other field, against the tables.
bool chm_descriptor_check_fields(const chm_descriptor* descriptor, const chm_tables* tables,
                                 chm_descriptor_fault* fault);
