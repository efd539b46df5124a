// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/arena.h"
#include "hw/base/diagnostics.h"

#ifdef __cplusplus
extern "C" {
#endif

// Files that come with the library: <root>/platforms/*.yaml and <root>/traces/*.yaml, where root is
// the environment variable CHIMERA_PATH, else the source tree.

// The names (without .yaml) in a folder of the root, sorted, in the arena.
chm_status chm_shipped_names(const char* folder, chm_arena* arena, const char* const** names,
                             size_t* count, chm_diagnostics* diagnostics);

// The path of a shipped file's name, or the argument itself if it is a path (contains '/' or ends
// with .yaml). An unknown name adds a message with the names there are.
chm_status chm_shipped_resolve(const char* folder, const char* what, const char* name_or_path,
                               chm_arena* arena, const char** path, chm_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
