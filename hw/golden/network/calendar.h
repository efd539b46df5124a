// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
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
    uint64_t end; // of the last one, 0 if there never was one
    // What was learnt: no stretch of full_length cycles or more begins in [full_from, full_to),
    // which ends with a busy interval. Under load most searches end here.
    uint64_t full_from, full_to, full_length;
    size_t full_at; // where to look for full_to first
} chm_calendar;

void chm_calendar_init(chm_calendar* calendar);
void chm_calendar_free(chm_calendar* calendar);

// What is known of a search without searching: that nothing is free before the end.
static inline bool chm_calendar_is_full(const chm_calendar* calendar, uint64_t from,
                                        uint64_t length) {
    return length >= calendar->full_length && from >= calendar->full_from &&
           from < calendar->full_to && calendar->full_to == calendar->end;
}

// The earliest start >= from of a free stretch of `length` cycles. Does not reserve.
uint64_t chm_calendar_find(const chm_calendar* calendar, uint64_t from, uint64_t length);

// Reserves [start, start + length), which must be free.
chm_status chm_calendar_reserve(chm_calendar* calendar, uint64_t start, uint64_t length);

// Both at once: reserves the earliest free stretch and says where it starts.
chm_status chm_calendar_search_and_take(chm_calendar* calendar, uint64_t from, uint64_t length,
                                        uint64_t* start);

// The same. Under load a port is reserved without a gap, and nothing need be searched.
static inline chm_status chm_calendar_take(chm_calendar* calendar, uint64_t from, uint64_t length,
                                           uint64_t* start) {
    uint64_t end = calendar->end;
    bool full = chm_calendar_is_full(calendar, from, length);
    if ((!full && from != end) || calendar->count == calendar->first || length > UINT64_MAX - end) {
        return chm_calendar_search_and_take(calendar, from, length, start);
    }
    *start = end;
    calendar->full_to += full ? length : 0;
    calendar->end = end + length;
    calendar->busy[calendar->count - 1].end = end + length;
    return chm_ok;
}

// Forgets what ended at or before `time`.
void chm_calendar_prune(chm_calendar* calendar, uint64_t time);

#ifdef __cplusplus
}
#endif
