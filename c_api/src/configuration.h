// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/keys.h"

// The keys of a configuration's `run`, beside `program` and those of the program.
extern const chm_key_table chm_run_keys;
