// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/golden/fusion/descriptor.h"
#include "hw/golden/planner/planner.h"

// Fusion is composition: whether an operation may join a run, and the single redistribution that a
// run becomes. Pure functions of descriptors and tables, the same on every die.

#ifdef __cplusplus
extern "C" {
#endif

// Why B may or may not join the run that ends in A. explain prints chm_join_text.
typedef enum chm_join {
    chm_join_yes = 0,
    chm_join_not_next,            // B is not A's next_seq
    chm_join_next_unknown,        // the driver could not look ahead
    chm_join_window,              // distances reach the smallest window_depth of the members
    chm_join_fence,               // a listed wait stands between
    chm_join_needed_by,           // a member is needed by a collective at or before B
    chm_join_opaque,              // an opaque operation
    chm_join_rows_incomplete,     // no earlier layout has complete rows
    chm_join_operand_unavailable, // its other operands (gate weights) are not at the earlier layout
    chm_join_other_reader,        // another operation needs the intermediate as written
    chm_join_reader_unknown,      // somebody unknown may read the intermediate
    chm_join_layout,      // B does not consume the layout that A produces (nor a slice of it)
    chm_join_ordered_sum, // fusing would change the order of sums
    chm_join_routing      // rows would have to be routed twice in one run
} chm_join;

const char* chm_join_name(chm_join join); // "window", "other_reader"
const char* chm_join_text(chm_join join); // one sentence for people

enum { chm_max_run = 64 };

// A run: members in order, first to last on one value's line.
typedef struct chm_run {
    chm_descriptor members[chm_max_run];
    uint32_t count;
    uint32_t distance; // sum of next_distance over the joins made
    uint32_t key;      // issue position: seq of the event that decided it (window.h)
} chm_run;

// A run of one member, and a run grown by a member that may join it.
void chm_run_start(chm_run* run, const chm_descriptor* first);
void chm_run_append(const chm_tables* tables, chm_run* run, const chm_descriptor* next);

// The only operation that may join: the last member's next_seq or, where the driver does not know
// it but all readers, the first of them. CHM_NONE if none. *distance is what the join adds.
uint32_t chm_run_next(const chm_tables* tables, const chm_run* run, uint32_t* distance);

// Whether the facts of the members leave room for chm_run_next; chm_join_yes, or the rule that
// forbids it already now: not_next, next_unknown, window, needed_by, opaque.
chm_join chm_run_may_grow(const chm_tables* tables, const chm_run* run);

// The algebra and the facts, without fences (window.h knows those): may `next` join the run?
chm_join chm_run_may_join(const chm_tables* tables, const chm_run* run, const chm_descriptor* next);

// What the run must do: from the first member's input layout to what the readers of its results
// need. A reader counts with its own layout if it is known and less than the smallest window away,
// else the layout as written stands in. Layouts that slice from another demand are dropped.
// Everything lives in the arena. A run of one marker gives a request with from == demand and the
// operation inside. demand_values[i] is the value that demand i satisfies (one value may have
// several).
typedef struct chm_composition {
    chm_request request;
    const uint32_t* demand_values;
    uint32_t eliminated; // intermediate values never formed as written
    uint32_t moved;      // operations that stand at an earlier layout than written
} chm_composition;

chm_status chm_compose(const chm_tables* tables, const chm_run* run, chm_arena* arena,
                       chm_composition* composition, chm_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
