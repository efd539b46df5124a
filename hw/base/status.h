// SPDX-License-Identifier: Apache-2.0
#pragma once

// The status every function of the library returns. Zero is success; nothing in the library
// exits, aborts, prints or throws across the C boundary.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum chm_status {
    chm_ok = 0,
    chm_bad_argument = 1, // a caller's argument (null handle, unknown key, value out of range)
    chm_bad_input = 2,    // a file or descriptor is malformed; the diagnostic names the place
    chm_no_memory = 3,    // allocation failed
    chm_overflow = 4,     // a size does not fit 64 bits
    chm_unsupported = 5,  // well-formed, but outside what the model covers
    chm_io = 6,           // a file could not be read or written
    chm_busy = 7,         // the kernel is in use by another handle
    chm_deadlock = 8,     // the watchdog fired; the diagnostic names what is stuck
    chm_mismatch = 9,     // data or decisions differ from what they must be
    chm_internal = 10,    // a defect in the library
    chm_unreachable = 11  // a link or die has failed, and what work remains needs it
} chm_status;

// A short English name of the status ("bad input"). Static storage, never null.
const char* chm_status_string(chm_status status);

#ifdef __cplusplus
}
#endif
