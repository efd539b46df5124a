// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/diagnostics.h"
#include "hw/base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads a whole regular file of at most 1 GiB into `text` (initialised by the caller, freed by it
// whatever the result). A file that cannot be read, a directory or a larger file adds a message.
chm_status chm_file_read(const char* path, chm_text* text, chm_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
