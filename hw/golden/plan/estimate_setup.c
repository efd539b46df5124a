// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "hw/base/checked.h"
#include "hw/golden/plan/estimate_state.h"

// A transfer is offered in at most 16 chunks: enough that transfers which share a port interleave.
// In a plan of thousands the transfers themselves interleave, and fewer chunks keep planning fast.
enum { most_chunks = 16, fewest_chunks = 4, chunks_per_plan = 16384 };

static uint64_t chunks_per_transfer(const chm_plan* plan) {
    uint64_t fair = chunks_per_plan / chm_max_u64(plan->transfer_count, 1);
    return chm_max_u64(fewest_chunks, chm_min_u64(most_chunks, fair));
}

static bool is_routed(const chm_transfer* transfer) {
    return transfer->kind == chm_transfer_routed || transfer->kind == chm_transfer_routed_reduce;
}

static chm_status wire_bytes(const chm_estimate* e, const chm_transfer* transfer, uint64_t* bytes) {
    *bytes = chm_plan_transfer_bytes(e->plan, transfer);
    if (!is_routed(transfer)) {
        return chm_ok;
    }
    uint64_t ids;
    bool fits = chm_mul_u64(chm_plan_rows(e->plan, transfer), e->costs->row_id_bytes, &ids) &&
                chm_add_u64(*bytes, ids, bytes) &&
                chm_add_u64(*bytes, e->costs->slot_header_bytes, bytes);
    return fits ? chm_ok : chm_overflow;
}

static chm_status set_up_transfers(chm_estimate* e) {
    const chm_plan* plan = e->plan;
    uint64_t chunks = chunks_per_transfer(plan);
    for (uint32_t i = 0; i < plan->transfer_count; ++i) {
        const chm_transfer* transfer = &plan->transfers[i];
        chm_estimate_transfer* state = &e->transfers[i];
        chm_status status = wire_bytes(e, transfer, &state->left_bytes);
        if (status != chm_ok) {
            return status;
        }
        uint64_t packets = chm_ceil_div_u64(state->left_bytes, e->topology->mtu_bytes);
        state->chunk_bytes = chm_ceil_div_u64(packets, chunks) * e->topology->mtu_bytes;
        const chm_route_key key = chm_estimate_key(transfer, 0);
        state->source = e->topology->first_die_port[transfer->source] +
                        chm_topology_port_out(e->topology, &key);
        state->pending = transfer->dependency_count + (transfer->after_operation != 0);
        for (uint32_t d = 0; d < transfer->dependency_count; ++d) {
            uint32_t before = plan->dependencies[transfer->first_dependency + d];
            if (before >= i) {
                return chm_bad_argument;
            }
            e->transfers[before].waiting_count++;
        }
    }
    return chm_ok;
}

// The dependencies the other way round: per transfer, those that wait for it, ascending.
static void set_up_waiting(chm_estimate* e) {
    const chm_plan* plan = e->plan;
    uint32_t first = 0;
    for (uint32_t i = 0; i < plan->transfer_count; ++i) {
        e->transfers[i].first_waiting = first;
        first += e->transfers[i].waiting_count;
        e->transfers[i].waiting_count = 0;
    }
    for (uint32_t i = 0; i < plan->transfer_count; ++i) {
        const chm_transfer* transfer = &plan->transfers[i];
        for (uint32_t d = 0; d < transfer->dependency_count; ++d) {
            chm_estimate_transfer* before =
                &e->transfers[plan->dependencies[transfer->first_dependency + d]];
            e->waiting[before->first_waiting + before->waiting_count++] = i;
        }
    }
}

static uint64_t operation_rows(const chm_plan_operation* operation, uint32_t die) {
    uint64_t rows = 0;
    for (uint32_t b = 0; b < operation->block_count; ++b) {
        const chm_rect* rect = &operation->blocks[b].rect;
        rows += operation->blocks[b].die == die ? rect->token_end - rect->token_begin : 0;
    }
    return rows;
}

static void set_up_operations(chm_estimate* e, uint32_t index) {
    const chm_plan* plan = e->plan;
    const chm_plan_die* die = &plan->dies[index];
    for (uint32_t o = 0; o < plan->operation_count; ++o) {
        chm_estimate_operation* state = &e->operations[(size_t)index * plan->operation_count + o];
        uint64_t rate = e->costs->gating_rows_per_cycle;
        const chm_plan_operation* operation = &plan->operations[o];
        state->cycles = rate == 0 ? 0 : chm_ceil_div_u64(operation_rows(operation, die->die), rate);
        state->pending = o > 0; // operations of one die run one after the other
        for (uint32_t t = 0; t < die->incoming_count; ++t) {
            const chm_transfer* transfer = &plan->transfers[die->incoming[t]];
            state->pending += chm_estimate_before_operation(transfer, operation);
        }
        for (uint32_t t = 0; t < die->outgoing_count; ++t) {
            // What it may overwrite must have been sent, and what an earlier slice left in staging
            // must be gone.
            const chm_transfer* out = &plan->transfers[die->outgoing[t]];
            state->pending += chm_estimate_before_operation(out, operation) ||
                              out->slice + plan->slices_at_once == operation->slice;
        }
    }
}

static chm_status set_up_dies(chm_estimate* e, chm_arena* scratch) {
    const chm_plan* plan = e->plan;
    for (uint32_t i = 0; i < plan->die_count; ++i) {
        const chm_plan_die* die = &plan->dies[i];
        e->die_index[die->die] = i;
        for (uint32_t port = 0; port < chm_die_ports(e->topology, die->die); ++port) {
            chm_estimate_source* source = &e->sources[e->topology->first_die_port[die->die] + port];
            source->free_channels = e->costs->dma_channels;
            source->ready = chm_arena_alloc(scratch, die->outgoing_count, sizeof *source->ready);
            if (source->ready == NULL) {
                return chm_no_memory;
            }
        }
        set_up_operations(e, i);
    }
    return chm_ok;
}

chm_status chm_estimate_setup(chm_estimate* e, const chm_plan* plan, const chm_costs* costs,
                              chm_arena* scratch) {
    *e = (chm_estimate){.plan = plan, .topology = plan->topology, .costs = costs};
    if (costs->dma_channels == 0) {
        return chm_bad_argument;
    }
    size_t operations = (size_t)plan->die_count * plan->operation_count;
    e->transfers = chm_arena_alloc(scratch, plan->transfer_count, sizeof *e->transfers);
    e->events = chm_arena_alloc(scratch, plan->transfer_count, sizeof *e->events);
    e->waiting = chm_arena_alloc(scratch, plan->dependency_count, sizeof *e->waiting);
    e->die_index = chm_arena_alloc(scratch, e->topology->dies, sizeof *e->die_index);
    e->operations = chm_arena_alloc(scratch, operations, sizeof *e->operations);
    e->sources = chm_arena_alloc(scratch, e->topology->first_die_port[e->topology->dies],
                                 sizeof *e->sources);
    e->path = chm_arena_alloc(scratch, (size_t)e->topology->nodes + 1, sizeof *e->path);
    if (e->transfers == NULL || e->events == NULL || e->waiting == NULL || e->die_index == NULL ||
        e->operations == NULL || e->sources == NULL || e->path == NULL) {
        return chm_no_memory;
    }
    chm_status status = set_up_transfers(e);
    if (status == chm_ok) {
        set_up_waiting(e);
        status = set_up_dies(e, scratch);
    }
    return status == chm_ok ? chm_network_calendar_init(&e->network, e->topology) : status;
}
