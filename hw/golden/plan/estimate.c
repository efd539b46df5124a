// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/plan/estimate.h"

#include "hw/base/checked.h"
#include "hw/golden/plan/estimate_state.h"

chm_costs chm_costs_from(const chm_parameters* parameters) {
    return (chm_costs){
        .dma_setup_cycles = parameters->dma.setup_cycles,
        .dma_channels = parameters->dma.channels,
        .reduce_bytes_per_cycle = parameters->dma.reduce_bytes_per_cycle,
        .reduce_overlapped = parameters->dma.reduce_overlapped,
        .row_id_bytes = parameters->transfer.row_id_bytes,
        .slot_header_bytes = parameters->transfer.slot_header_bytes,
        .gating_rows_per_cycle = parameters->engine.gating_rows_per_cycle,
    };
}

// Both heaps: the lowest is at the root, and (time, transfer) is unique, so the order is fixed.

static bool before(chm_estimate_event a, chm_estimate_event b) {
    return a.time != b.time ? a.time < b.time : a.transfer < b.transfer;
}

static void push_event(chm_estimate* e, uint64_t time, uint32_t transfer) {
    chm_estimate_event event = {time, transfer};
    uint32_t at = e->event_count++;
    while (at > 0 && before(event, e->events[(at - 1) / 2])) {
        e->events[at] = e->events[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    e->events[at] = event;
}

static chm_estimate_event pop_event(chm_estimate* e) {
    chm_estimate_event first = e->events[0];
    chm_estimate_event last = e->events[--e->event_count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < e->event_count; child = 2 * at + 1) {
        if (child + 1 < e->event_count && before(e->events[child + 1], e->events[child])) {
            child++;
        }
        if (!before(e->events[child], last)) {
            break;
        }
        e->events[at] = e->events[child];
        at = child;
    }
    e->events[at] = last;
    return first;
}

static void push_ready(chm_estimate_source* source, uint32_t transfer) {
    uint32_t at = source->ready_count++;
    while (at > 0 && transfer < source->ready[(at - 1) / 2]) {
        source->ready[at] = source->ready[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    source->ready[at] = transfer;
}

static uint32_t pop_ready(chm_estimate_source* source) {
    uint32_t first = source->ready[0];
    uint32_t last = source->ready[--source->ready_count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < source->ready_count; child = 2 * at + 1) {
        if (child + 1 < source->ready_count && source->ready[child + 1] < source->ready[child]) {
            child++;
        }
        if (last <= source->ready[child]) {
            break;
        }
        source->ready[at] = source->ready[child];
        at = child;
    }
    source->ready[at] = last;
    return first;
}

static chm_estimate_source* source_of(chm_estimate* e, uint32_t transfer) {
    return &e->sources[e->transfers[transfer].source];
}

// Free channels take the lowest ready transfers; a channel is set up before it sends.
static void start_ready(chm_estimate* e, chm_estimate_source* source, uint64_t now) {
    while (source->free_channels > 0 && source->ready_count > 0) {
        uint32_t transfer = pop_ready(source);
        source->free_channels--;
        e->transfers[transfer].started = true;
        push_event(e, now + e->costs->dma_setup_cycles, transfer);
    }
}

// One of the things a transfer waits for is met at `time`.
static void meet(chm_estimate* e, uint32_t transfer, uint64_t time) {
    chm_estimate_transfer* state = &e->transfers[transfer];
    state->ready = chm_max_u64(state->ready, time);
    if (--state->pending == 0) {
        push_event(e, state->ready, transfer);
    }
}

static void meet_operation(chm_estimate* e, uint32_t die_index, uint32_t operation, uint64_t time);

// An operation that has all it needs runs, and lets go what waits for it on its die.
static void run_operation(chm_estimate* e, uint32_t die_index, uint32_t operation) {
    const chm_plan* plan = e->plan;
    const chm_plan_die* die = &plan->dies[die_index];
    const chm_estimate_operation* state =
        &e->operations[(size_t)die_index * plan->operation_count + operation];
    uint64_t end = state->ready + state->cycles;
    e->end = chm_max_u64(e->end, end);
    for (uint32_t t = 0; t < die->outgoing_count; ++t) {
        if (plan->transfers[die->outgoing[t]].after_operation == operation + 1) {
            meet(e, die->outgoing[t], end);
        }
    }
    if (operation + 1 < plan->operation_count) {
        meet_operation(e, die_index, operation + 1, end);
    }
}

static void meet_operation(chm_estimate* e, uint32_t die_index, uint32_t operation, uint64_t time) {
    chm_estimate_operation* state =
        &e->operations[(size_t)die_index * e->plan->operation_count + operation];
    state->ready = chm_max_u64(state->ready, time);
    if (--state->pending == 0) {
        run_operation(e, die_index, operation);
    }
}

// Cycles from a transfer's arrival until its sum can be read.
static uint64_t reduction(const chm_estimate* e, const chm_transfer* transfer) {
    if (e->costs->reduce_bytes_per_cycle == 0 ||
        (transfer->kind != chm_transfer_reduce && transfer->kind != chm_transfer_routed_reduce)) {
        return 0;
    }
    uint64_t bytes = chm_plan_transfer_bytes(e->plan, transfer);
    if (e->costs->reduce_overlapped) {
        bytes = chm_min_u64(bytes, e->topology->mtu_bytes); // all but the last packet were added
    }
    return chm_ceil_div_u64(bytes, e->costs->reduce_bytes_per_cycle);
}

// The last chunk has been offered: when it is sent and there is known, and passed on.
static void complete(chm_estimate* e, uint32_t index) {
    const chm_plan* plan = e->plan;
    const chm_transfer* transfer = &plan->transfers[index];
    const chm_estimate_transfer* state = &e->transfers[index];
    uint64_t usable = state->arrived + reduction(e, transfer);
    e->end = chm_max_u64(e->end, usable);
    e->done++;
    for (uint32_t w = 0; w < state->waiting_count; ++w) {
        uint32_t next = e->waiting[state->first_waiting + w];
        bool same_source = plan->transfers[next].source == transfer->source;
        meet(e, next, same_source ? state->sent : usable);
    }
    uint32_t die_index = e->die_index[transfer->destination];
    for (uint32_t o = 0; o < plan->operation_count; ++o) {
        if (chm_estimate_before_operation(transfer, &plan->operations[o])) {
            meet_operation(e, die_index, o, usable);
        }
        if (chm_estimate_before_operation(transfer, &plan->operations[o]) ||
            transfer->slice + plan->slices_at_once == plan->operations[o].slice) {
            meet_operation(e, e->die_index[transfer->source], o, state->sent);
        }
    }
}

// Offers the next chunk; true if it was the last.
static chm_status send_chunk(chm_estimate* e, uint32_t index, uint64_t now, bool* last) {
    const chm_transfer* transfer = &e->plan->transfers[index];
    chm_estimate_transfer* state = &e->transfers[index];
    uint64_t bytes = chm_min_u64(state->left_bytes, state->chunk_bytes);
    chm_route_key key = chm_estimate_key(transfer, state->chunk);
    uint32_t hops = chm_topology_path(e->topology, &key, e->path, e->topology->nodes);
    if (hops == UINT32_MAX) {
        return chm_bad_argument;
    }
    chm_chunk chunk = {transfer->source, transfer->destination,
                       chm_topology_flits(e->topology, bytes), e->path, hops};
    chm_chunk_times times;
    chm_status status = chm_network_calendar_send(&e->network, &chunk, now, &times);
    state->sent = times.sent;
    state->arrived = chm_max_u64(state->arrived, times.arrived);
    state->left_bytes -= bytes;
    state->chunk++;
    *last = state->left_bytes == 0;
    return status;
}

// A transfer's turn: it has become ready, may offer a chunk, or has left its channel.
static chm_status turn(chm_estimate* e, chm_estimate_event event) {
    chm_estimate_transfer* state = &e->transfers[event.transfer];
    chm_estimate_source* source = source_of(e, event.transfer);
    if (!state->started) {
        push_ready(source, event.transfer);
        start_ready(e, source, event.time);
        return chm_ok;
    }
    if (state->chunk > 0 && state->left_bytes == 0) {
        source->free_channels++;
        start_ready(e, source, event.time);
        return chm_ok;
    }
    bool last;
    chm_status status = send_chunk(e, event.transfer, event.time, &last);
    if (status == chm_ok) {
        push_event(e, state->sent, event.transfer);
        if (last) {
            complete(e, event.transfer);
        }
    }
    return status;
}

// What waits for nothing starts at 0.
static void begin(chm_estimate* e) {
    for (uint32_t t = 0; t < e->plan->transfer_count; ++t) {
        if (e->transfers[t].pending == 0) {
            push_event(e, 0, t);
        }
    }
    // Later operations wait for the first one of their die at least.
    for (uint32_t d = 0; e->plan->operation_count > 0 && d < e->plan->die_count; ++d) {
        if (e->operations[(size_t)d * e->plan->operation_count].pending == 0) {
            run_operation(e, d, 0);
        }
    }
}

chm_status chm_estimate_plan(const chm_plan* plan, const chm_costs* costs, chm_arena* scratch,
                             uint64_t* cycles) {
    chm_estimate e;
    chm_status status = chm_estimate_setup(&e, plan, costs, scratch);
    if (status == chm_ok) {
        begin(&e);
    }
    while (status == chm_ok && e.event_count > 0) {
        status = turn(&e, pop_event(&e));
    }
    chm_network_calendar_free(&e.network);
    if (status == chm_ok && e.done != plan->transfer_count) {
        status = chm_internal;
    }
    if (status == chm_ok) {
        *cycles = e.end;
    }
    return status;
}
