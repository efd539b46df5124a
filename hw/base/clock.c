// SPDX-License-Identifier: Apache-2.0
#include "hw/base/clock.h"

__extension__ typedef unsigned __int128 u128;

// Picoseconds of one cycle at 1 kHz.
#define PS_KHZ 1000000000u

uint64_t chm_clock_khz(double ghz) {
    double khz = ghz * 1e6 + 0.5;
    return khz < 1 ? 1 : (uint64_t)khz;
}

uint64_t chm_clock_cycles_to_ps(uint64_t cycles, uint64_t khz) {
    if (cycles <= (UINT64_MAX - khz) / PS_KHZ) { // almost always, and much faster
        return (cycles * PS_KHZ + khz - 1) / khz;
    }
    u128 ps = ((u128)cycles * PS_KHZ + khz - 1) / khz;
    return ps > UINT64_MAX ? UINT64_MAX : (uint64_t)ps;
}

uint64_t chm_clock_ps_to_cycles(uint64_t ps, uint64_t khz) {
    // ceil(x) <= ps exactly if x <= ps, so the last cycle is the floor of the quotient.
    u128 cycles = (u128)ps * khz / PS_KHZ;
    return cycles > UINT64_MAX ? UINT64_MAX : (uint64_t)cycles;
}
