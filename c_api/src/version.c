// SPDX-License-Identifier: Apache-2.0
#include "c_api/include/chimera.h"

const char* chm_version(void) {
    return CHM_VERSION; // of the CMake project
}
