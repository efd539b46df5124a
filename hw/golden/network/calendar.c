// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/network/calendar.h"

#include <stdlib.h>
#include <string.h>

#include "hw/base/checked.h"

void chm_calendar_init(chm_calendar* calendar) {
    memset(calendar, 0, sizeof *calendar);
}

void chm_calendar_free(chm_calendar* calendar) {
    free(calendar->busy);
    chm_calendar_init(calendar);
}

// The last interval ends where the calendar does.
static void settle(chm_calendar* calendar) {
    if (calendar->count > calendar->first) {
        calendar->busy[calendar->count - 1].end = calendar->end;
    }
}

// The first interval that ends after `time`; count if none. Most questions are about the end.
static size_t first_ending_after(const chm_calendar* calendar, uint64_t time) {
    size_t low = calendar->first;
    size_t high = calendar->count;
    if (calendar->end <= time || high == low) {
        return high;
    }
    high--; // the last one ends after it
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (calendar->busy[middle].end <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The same for full_to, from where it was last.
static size_t first_after_full(const chm_calendar* calendar) {
    uint64_t time = calendar->full_to;
    size_t at = calendar->full_at;
    if (calendar->end <= time || calendar->count == calendar->first) {
        return calendar->count;
    }
    size_t last = calendar->count - 1; // ends after it
    if (at < calendar->first || at > last) {
        at = last;
    }
    while (at > calendar->first && calendar->busy[at - 1].end > time) {
        at--;
    }
    while (at < last && calendar->busy[at].end <= time) {
        at++;
    }
    return at;
}

static bool known_full(const chm_calendar* calendar, uint64_t from, uint64_t length) {
    return length >= calendar->full_length && from >= calendar->full_from &&
           from < calendar->full_to;
}

// The earliest start >= from of a free stretch; *at is the interval behind it.
static uint64_t search(const chm_calendar* calendar, uint64_t from, uint64_t length, size_t* at) {
    bool full = known_full(calendar, from, length);
    uint64_t start = full ? calendar->full_to : from;
    size_t i = full ? first_after_full(calendar) : first_ending_after(calendar, start);
    for (; i < calendar->count; ++i) {
        const chm_interval* next = &calendar->busy[i];
        if (next->begin > start && next->begin - start >= length) {
            break;
        }
        start = i + 1 == calendar->count ? calendar->end : next->end;
    }
    *at = i;
    return start;
}

// A search from `from` has found nothing before `start`. Reservations only take free time away, so
// that stays true.
static void learn(chm_calendar* calendar, uint64_t from, uint64_t start, uint64_t length,
                  size_t at) {
    if (start == from) {
        return;
    }
    calendar->full_at = (uint32_t)at;
    bool touches = from <= calendar->full_to && start >= calendar->full_from;
    if (touches && length == calendar->full_length) {
        calendar->full_from = chm_min_u64(calendar->full_from, from);
        calendar->full_to = chm_max_u64(calendar->full_to, start);
    } else if (!known_full(calendar, from, length)) {
        calendar->full_from = from;
        calendar->full_to = start;
        calendar->full_length = length;
    }
}

uint64_t chm_calendar_find(const chm_calendar* calendar, uint64_t from, uint64_t length) {
    size_t at;
    return length == 0 ? from : search(calendar, from, length, &at);
}

// Moves the living intervals to the front before asking for more memory.
static chm_status make_room(chm_calendar* calendar, size_t* at) {
    if (calendar->count < calendar->capacity) {
        return chm_ok;
    }
    size_t living = calendar->count - calendar->first;
    if (calendar->first > calendar->capacity / 2) {
        memmove(calendar->busy, calendar->busy + calendar->first, living * sizeof *calendar->busy);
        *at -= calendar->first;
        calendar->count = (uint32_t)living;
        calendar->first = 0;
        return chm_ok;
    }
    uint32_t capacity = calendar->capacity < 8 ? 8 : calendar->capacity * 2;
    chm_interval* busy =
        capacity < calendar->capacity ? NULL : realloc(calendar->busy, capacity * sizeof *busy);
    if (busy == NULL) {
        return chm_no_memory;
    }
    calendar->busy = busy;
    calendar->capacity = capacity;
    return chm_ok;
}

static chm_status insert(chm_calendar* calendar, size_t at, chm_interval interval) {
    chm_status status = make_room(calendar, &at);
    if (status != chm_ok) {
        return status;
    }
    memmove(calendar->busy + at + 1, calendar->busy + at,
            (calendar->count - at) * sizeof *calendar->busy);
    calendar->busy[at] = interval;
    calendar->count++;
    return chm_ok;
}

static void erase(chm_calendar* calendar, size_t at) {
    memmove(calendar->busy + at, calendar->busy + at + 1,
            (calendar->count - at - 1) * sizeof *calendar->busy);
    calendar->count--;
}

// Adds [start, end), which is free and ends before the interval `at` begins.
static chm_status add(chm_calendar* calendar, size_t at, uint64_t start, uint64_t end) {
    bool last = at == calendar->count;
    bool joins_next = !last && calendar->busy[at].begin == end;
    // The last interval need not be looked at.
    bool joins_previous =
        at > calendar->first && (last ? calendar->end : calendar->busy[at - 1].end) == start;
    calendar->end = chm_max_u64(calendar->end, end);
    if (calendar->full_to == start) {
        calendar->full_to = end;
    }
    if (joins_previous && joins_next) {
        calendar->busy[at - 1].end = calendar->busy[at].end;
        erase(calendar, at);
    } else if (joins_previous) {
        calendar->busy[at - 1].end = end;
    } else if (joins_next) {
        calendar->busy[at].begin = start;
    } else {
        return insert(calendar, at, (chm_interval){start, end});
    }
    return chm_ok;
}

chm_status chm_calendar_reserve(chm_calendar* calendar, uint64_t start, uint64_t length) {
    uint64_t end;
    if (!chm_add_u64(start, length, &end)) {
        return chm_overflow;
    }
    if (length == 0) {
        return chm_ok;
    }
    settle(calendar);
    size_t at = first_ending_after(calendar, start);
    if (at < calendar->count && calendar->busy[at].begin < end) {
        return chm_bad_argument;
    }
    return add(calendar, at, start, end);
}

chm_status chm_calendar_search_and_take(chm_calendar* calendar, uint64_t from, uint64_t length,
                                        uint64_t* start) {
    *start = from;
    if (length == 0) {
        return chm_ok;
    }
    settle(calendar);
    size_t at;
    *start = search(calendar, from, length, &at);
    learn(calendar, from, *start, length, at);
    uint64_t end;
    return chm_add_u64(*start, length, &end) ? add(calendar, at, *start, end) : chm_overflow;
}

void chm_calendar_prune(chm_calendar* calendar, uint64_t time) {
    settle(calendar);
    calendar->first = (uint32_t)first_ending_after(calendar, time);
    if (calendar->first == calendar->count) {
        calendar->first = 0;
        calendar->count = 0;
    }
}
