// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/base/status.h"

// The reserved time of one port or link: sorted disjoint busy intervals, with gap filling. Where
// the last interval ends is `end`; what stands in the interval itself may be older, so that a port
// that is only ever reserved at its end stays in one cache line.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_interval {
    uint64_t begin, end;
} chm_interval;

typedef struct chm_calendar {
    uint64_t end; // of the last one, 0 if there never was one
    // What was learnt: no stretch of full_length cycles or more begins in [full_from, full_to),
    // which ends with a busy interval. Under load most searches end here.
    uint64_t full_from, full_to, full_length;
    chm_interval* busy; // sorted; adjacent ones merged; owned
    uint32_t count, capacity;
    uint32_t first;   // pruned ones before this
    uint32_t full_at; // where to look for full_to first
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

// The same. Mostly a port is reserved behind all that was reserved before, and nothing need be
// searched: when it is idle by then, or when nothing is free before the end.
static inline chm_status chm_calendar_take(chm_calendar* calendar, uint64_t from, uint64_t length,
                                           uint64_t* start) {
    const uint64_t end = calendar->end;
    const bool full = chm_calendar_is_full(calendar, from, length);
    const bool joins = full || from == end;
    if ((!joins && (from < end || calendar->count == calendar->capacity)) ||
        calendar->count == calendar->first || length - 1 >= UINT64_MAX - (joins ? end : from)) {
        return chm_calendar_search_and_take(calendar, from, length, start);
    }
    if (joins) {
        *start = end;
        calendar->full_to += calendar->full_to == end ? length : 0;
    } else {
        *start = from;
        calendar->busy[calendar->count - 1].end = end;
        calendar->busy[calendar->count++].begin = from;
    }
    calendar->end = *start + length;
    return chm_ok;
}

// Forgets what ended at or before `time`.
void chm_calendar_prune(chm_calendar* calendar, uint64_t time);

#ifdef __cplusplus
}
#endif
