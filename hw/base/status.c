// SPDX-License-Identifier: Apache-2.0
#include "hw/base/status.h"

const char* chm_status_string(chm_status status) {
    switch (status) {
    case chm_ok: return "ok";
    case chm_bad_argument: return "bad argument";
    case chm_bad_input: return "bad input";
    case chm_no_memory: return "out of memory";
    case chm_overflow: return "size overflow";
    case chm_unsupported: return "unsupported";
    case chm_io: return "input or output failed";
    case chm_busy: return "busy";
    case chm_deadlock: return "deadlock";
    case chm_mismatch: return "mismatch";
    case chm_internal: return "internal error";
    case chm_unreachable: return "unreachable";
    }
    return "unknown status";
}
