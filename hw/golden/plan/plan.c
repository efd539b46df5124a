// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/plan/plan.h"

const chm_plan_die* chm_plan_find_die(const chm_plan* plan, uint32_t die) {
    uint32_t low = 0;
    uint32_t high = plan->die_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (plan->dies[middle].die < die) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < plan->die_count && plan->dies[low].die == die ? &plan->dies[low] : NULL;
}

// The digit sum of the token in base `count`, modulo count (a generalised Thue-Morse sequence):
// every aligned run of count^n tokens picks each position equally often, and so does every
// power-of-count stride through it, so that a periodic routing cannot fall into step with it.
uint32_t chm_plan_first_target(const uint32_t* targets, uint32_t count, uint32_t source,
                               uint64_t token) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (targets[i] == source) {
            return source;
        }
    }
    if (count > 1) {
        for (uint64_t rest = token; rest != 0; rest /= count) {
            sum += rest % count;
        }
    }
    return count == 0 ? source : targets[sum % count];
}

static bool contains(const uint32_t* targets, uint32_t count, uint32_t die) {
    for (uint32_t i = 0; i < count; ++i) {
        if (targets[i] == die) {
            return true;
        }
    }
    return false;
}

bool chm_plan_route(const chm_transfer* transfer, uint64_t token, const uint32_t* targets,
                    uint32_t count) {
    switch (transfer->route) {
    case chm_route_none: return true;
    case chm_route_direct: return contains(targets, count, transfer->destination);
    case chm_route_first:
        return contains(targets, count, transfer->destination) &&
               chm_plan_first_target(targets, count, transfer->origin, token) ==
                   transfer->destination;
    case chm_route_forward:
        return contains(targets, count, transfer->source) &&
               contains(targets, count, transfer->destination) &&
               chm_plan_first_target(targets, count, transfer->origin, token) == transfer->source;
    case chm_route_combine: return contains(targets, count, transfer->source);
    }
    return false;
}

uint32_t chm_plan_targets(const chm_layout* routed, const chm_routing* routing, uint64_t token,
                          uint32_t targets[chm_max_top_k]) {
    uint32_t count = chm_routing_targets(routing, token, targets);
    for (uint32_t i = 0; i < count; ++i) {
        targets[i] = routed->mesh.dies[targets[i]];
    }
    return count;
}

uint64_t chm_plan_rows(const chm_plan* plan, const chm_transfer* transfer) {
    const chm_rect* region = &transfer->region;
    if (transfer->kind == chm_transfer_credit || chm_rect_empty(region)) {
        return 0;
    }
    if (transfer->route == chm_route_none) {
        return region->token_end - region->token_begin;
    }
    // Addends that return were dispatched by the layout they come from.
    const chm_layout* routed =
        transfer->kind == chm_transfer_routed_reduce ? plan->from : plan->routed;
    uint64_t rows = 0;
    for (uint64_t token = region->token_begin; token < region->token_end; ++token) {
        uint32_t targets[chm_max_top_k];
        uint32_t count = chm_plan_targets(routed, plan->routing, token, targets);
        rows += chm_plan_route(transfer, token, targets, count);
    }
    return rows;
}

uint64_t chm_plan_transfer_bytes(const chm_plan* plan, const chm_transfer* transfer) {
    return chm_plan_rows(plan, transfer) *
           (transfer->region.width_end - transfer->region.width_begin) * plan->tensor.element_bytes;
}

const chm_layout* chm_plan_routed_layout(const chm_plan* plan) {
    return plan->routed;
}
