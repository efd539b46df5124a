// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/fusion/fusion.h"

// What joining and composing share. Internal to hw/golden.

// A marker that reads its value and leaves it as it is (gating without a result of its own).
bool chm_is_pass_through(const chm_descriptor* descriptor);

// The member that produced what `member` leaves: pass-through markers are skipped. Its facts list
// the value's readers and its layout_out is the layout as written.
uint32_t chm_run_producer(const chm_run* run, uint32_t member);

bool chm_run_has_member(const chm_run* run, uint32_t seq);

// The smallest window_depth of the communicators of the members and `next` (may be null); CHM_NONE
// if there is none.
uint32_t chm_run_depth(const chm_tables* tables, const chm_run* run, const chm_descriptor* next);

// A reader's own layout counts only inside the window. A window of 1 has no inside, even for a
// compute operation that is queued right behind.
static inline bool chm_reader_is_near(const chm_reader* reader, uint32_t depth) {
    return reader->layout != CHM_NONE && depth > 1 && reader->distance < depth;
}

// What the run starts from.
const chm_layout* chm_run_from(const chm_tables* tables, const chm_run* run);
const chm_tensor* chm_run_tensor(const chm_tables* tables, const chm_run* run);
const chm_routing* chm_value_routing(const chm_tables* tables, uint32_t value);

// chm_layout_slices_to for a value's tensor and routing; false for routed layouts of a value
// without routing.
bool chm_value_slices(const chm_tables* tables, uint32_t value, const chm_layout* from,
                      const chm_layout* to);

// The layout after the sums of a partial `from` have been scattered along `axis`; false if `from`
// is not a plain partial layout. Shares from's dies.
bool chm_scattered(const chm_layout* from, chm_axis axis, chm_layout* scattered);

// Whether run and `next` have compute operations.
bool chm_run_computes(const chm_run* run, const chm_descriptor* next);

// The layouts at which all compute operations of run and `next` (may be null) can stand, one per
// call: *index is 0 at first and moves on. False when there are no more. Shares the tables' dies.
bool chm_run_place(const chm_tables* tables, const chm_run* run, const chm_descriptor* next,
                   uint32_t* index, chm_layout* place);

// The operation whose other operands are missing where rows are complete, that layout in *place;
// null if there is none (no layout has complete rows, or all operands are there).
const chm_descriptor* chm_run_lacks_operands(const chm_tables* tables, const chm_run* run,
                                             const chm_descriptor* next, chm_layout* place);

// Whether there is such a layout (or nothing to place): the run's input, or right after its
// reduction.
chm_join chm_run_may_move(const chm_tables* tables, const chm_run* run, const chm_descriptor* next);

// Whether all that reads an intermediate of run + next can live without it; else *reader is the one
// that cannot, null if it is unknown.
chm_join chm_run_readers_allow(const chm_tables* tables, const chm_run* run,
                               const chm_descriptor* next, const chm_reader** reader);
