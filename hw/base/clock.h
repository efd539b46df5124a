// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// Cycles and picoseconds. Time inside the model is integer cycles; picoseconds appear only at the
// border. A frequency is an integer number of kHz, so that conversion is exact: cycle n is due at
// ceil(n * 1e9 / kHz) ps, computed with 128 bits.

#ifdef __cplusplus
extern "C" {
#endif

// The frequency nearest to `ghz` (> 0) in kHz, at least 1.
uint64_t chm_clock_khz(double ghz);

// When cycle `cycles` is due, in ps; UINT64_MAX if that does not fit.
uint64_t chm_clock_cycles_to_ps(uint64_t cycles, uint64_t khz);

// The last cycle that is due at or before `ps`: the inverse, exact for every cycle whose time fits.
uint64_t chm_clock_ps_to_cycles(uint64_t ps, uint64_t khz);

#ifdef __cplusplus
}
#endif
