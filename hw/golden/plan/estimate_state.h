// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/random.h"
#include "hw/golden/network/network_calendar.h"
#include "hw/golden/plan/estimate.h"

// The estimate's working state, shared by estimate.c (transfers in time) and estimate_setup.c
// (what waits for what). Not for users of the estimate.

typedef struct chm_estimate_transfer {
    uint32_t pending;       // dependencies and operation not yet met
    uint32_t first_waiting; // into waiting: the transfers that depend on this one
    uint32_t waiting_count;
    uint32_t source;        // the port whose channels it takes, into sources
    bool started;           // has a channel
    uint64_t ready;         // latest time of what it waited for
    uint64_t left_bytes;    // on the wire, not yet offered
    uint64_t chunk_bytes;   // whole packets
    uint32_t chunk;         // index of the next one
    uint64_t sent, arrived; // latest of its chunks
} chm_estimate_transfer;

typedef struct chm_estimate_operation {
    uint32_t pending; // arrivals, and the operation before it on the same die
    uint64_t ready;
    uint64_t cycles;
} chm_estimate_operation;

// A port of a die.
typedef struct chm_estimate_source {
    uint64_t free_channels;
    uint32_t* ready; // binary heap of transfer ids, lowest first
    uint32_t ready_count;
} chm_estimate_source;

typedef struct chm_estimate_event {
    uint64_t time;
    uint32_t transfer;
} chm_estimate_event;

typedef struct chm_estimate {
    const chm_plan* plan;
    const chm_topology* topology;
    const chm_costs* costs;
    chm_network_calendar network;
    chm_estimate_transfer* transfers;
    uint32_t* waiting;
    uint32_t* die_index;                // [topology dies] into plan->dies
    chm_estimate_operation* operations; // [plan dies][plan operations]
    chm_estimate_source* sources;       // [ports of all dies]
    chm_estimate_event* events;         // binary heap by (time, transfer); at most one per transfer
    uint32_t event_count;
    uint32_t* path; // room for the longest
    uint32_t done;  // transfers completed
    uint64_t end;
} chm_estimate;

// True if an operation waits for this transfer, where it ends.
static inline bool chm_estimate_before_operation(const chm_transfer* transfer,
                                                 const chm_plan_operation* operation) {
    return transfer->slice == operation->slice && transfer->phase < operation->after_phase;
}

// Where ways of equal length are chosen at random, each chunk has its choice.
static inline chm_route_key chm_estimate_key(const chm_transfer* transfer, uint32_t chunk) {
    return (chm_route_key){transfer->source, transfer->destination,
                           chm_hash3(transfer->source, transfer->destination, chunk)};
}

// Fills the state from a plan. The network's calendars are allocated apart: free them.
chm_status chm_estimate_setup(chm_estimate* estimate, const chm_plan* plan, const chm_costs* costs,
                              chm_arena* scratch);
