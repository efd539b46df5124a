// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/fusion/fusion.h"

// The fusion window of one die: descriptors go in as they are decoded, decided runs come out in
// issue order. Decisions depend on facts in descriptors alone, so that every die of a domain
// decides alike whatever its own stream and timing (docs/contracts.md, decision rule).
//
// Issue order: a run is placed at the seq of the event that decided it: its last member if that has
// no successor that may join, the fence that cut it, or the successor that was refused or, where
// this die does not queue it, passed over. Runs leave in ascending (key, last seq).
//
// What a member's facts already forbid is decided when that member is decoded: no next_seq, one too
// far, a needed_by at or before it. That holds for a driver that cannot look ahead as well: with
// the readers unknown nothing could join, so nothing waits; with readers known but no next_seq, the
// first reader stands in for it.
//
// Every event's seq is that of a descriptor decoded or passed over, and descriptors come in
// ascending seq; so an open run is always decided later, and issues later, than every decided one.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chm_window chm_window;

// Why a run ended where it did, for explain and statistics.
typedef struct chm_decided_run {
    const chm_run* run; // valid until the next call on this window
    chm_join end_rule;  // why nothing more joined; chm_join_not_next if the line ends here
} chm_decided_run;

// `tables` must outlive the window. Null when memory runs out.
chm_window* chm_window_create(const chm_tables* tables);
void chm_window_free(chm_window* window);

// A decoded descriptor, in ring order: chm_bad_input if seq does not ascend (nothing changes).
chm_status chm_window_push(chm_window* window, const chm_descriptor* descriptor);

// No more descriptors will come (end of the program): decides all that is open.
void chm_window_drain(chm_window* window);

// The next decided run in issue order, or false.
bool chm_window_pop(chm_window* window, chm_decided_run* decided);

// Descriptors held in open or decided runs.
uint32_t chm_window_occupancy(const chm_window* window);

#ifdef __cplusplus
}
#endif
