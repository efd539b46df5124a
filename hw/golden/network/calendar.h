// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "hw/base/status.h"

// The reserved time of one port or link: sorted disjoint busy intervals, with gap filling.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_interval {
    uint64_t begin, end;
} chm_interval;

typedef struct chm_calendar {
    chm_interval* busy; // sorted; adjacent ones merged; owned
    size_t count, capacity;
    size_t first; // pruned ones before this
    // What was learnt: no stretch of full_length cycles or more begins in [full_from, full_to),
    // which ends with a busy interval. Under load most searches end here.
    uint64_t full_from, full_to, full_length;
} chm_calendar;

void chm_calendar_init(chm_calendar* calendar);
void chm_calendar_free(chm_calendar* calendar);

// The earliest start >= from of a free stretch of `length` cycles. Does not reserve.
uint64_t chm_calendar_find(const chm_calendar* calendar, uint64_t from, uint64_t length);

// Reserves [start, start + length), which must be free.
chm_status chm_calendar_reserve(chm_calendar* calendar, uint64_t start, uint64_t length);

// Both at once: reserves the earliest free stretch and says where it starts.
chm_status chm_calendar_take(chm_calendar* calendar, uint64_t from, uint64_t length,
                             uint64_t* start);

// Forgets what ended at or before `time`.
void chm_calendar_prune(chm_calendar* calendar, uint64_t time);

#ifdef __cplusplus
}
#endif
