// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// How far the loosely timed fabric was measured to be from the approximately timed one. Every
// report of a loosely timed run quotes the rows of its traffic; docs/fidelity.md has the table.
// `make lt-accuracy` measures again; tests/integration/lt_reference_test.cpp fails where a row
// promises less error than is measured.

typedef enum chm_lt_traffic {
    chm_lt_idle = 0,    // one message at a time
    chm_lt_transitions, // collectives one after the other, and their graphs
    chm_lt_streamed,    // whole runs, whose collectives may overlap chunk by chunk
    chm_lt_messages,    // independent messages
    chm_lt_blocked,     // ... that block each other at the heads of queues, which lt has not
    chm_lt_load,        // open-loop packets while lt accepts CHM_LT_TAKEN of what is offered
    chm_lt_saturated,   // ... beyond
    chm_lt_traffic_count
} chm_lt_traffic;

// Magnitudes, in percent of what the approximately timed fabric says.
typedef struct chm_lt_error {
    const char* name;        // of the traffic, a key in JSON
    const char* meaning;     // in words
    const char* figure;      // what the error is of
    double median_percent;   // over all that was measured, at most
    double worst_percent;    // ...
    double one_seed_percent; // ... where the mean over seeds was compared: of one seed, at most
} chm_lt_error;

// Static storage.
const chm_lt_error* chm_lt_error_of(chm_lt_traffic traffic);

// The part of offered flits from which open-loop traffic counts as accepted.
#define CHM_LT_TAKEN 0.98

// The kinds that a message graph can be of, by whether messages wait for others; returns how many.
size_t chm_lt_graph_traffic(bool dependent, chm_lt_traffic kinds[chm_lt_traffic_count]);

chm_lt_traffic chm_lt_load_traffic(double offered, double accepted);

#ifdef __cplusplus
}
#endif
