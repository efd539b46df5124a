// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/layout/routing.h"

#include <stdbool.h>

#include "hw/base/random.h"

static uint32_t greatest_common_divisor(uint32_t a, uint32_t b) {
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void sort_ascending(uint32_t* items, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        uint32_t item = items[i];
        uint32_t j = i;
        for (; j > 0 && items[j - 1] > item; --j) {
            items[j] = items[j - 1];
        }
        items[j] = item;
    }
}

uint64_t chm_routing_cycle(const chm_routing* routing) {
    uint32_t copies = routing->top_k < routing->dies ? routing->top_k : routing->dies;
    return routing->dies / greatest_common_divisor(routing->dies, copies);
}

// base and whether the token is one of those that want die 0: see routing.h.
uint32_t chm_routing_code(const chm_routing* routing, uint64_t token) {
    uint64_t dies = routing->dies;
    uint64_t count = routing->top_k < routing->dies ? routing->top_k : routing->dies;
    uint64_t cycles_done = token / chm_routing_cycle(routing);
    uint64_t base = (token % dies * count + cycles_done % dies) % dies;
    bool wants_die_0 = chm_chance(chm_hash2(routing->seed, token), routing->skew);
    return (uint32_t)(1 + 2 * base + wants_die_0);
}

uint32_t chm_routing_decode(const chm_routing* routing, uint32_t code,
                            uint32_t targets[chm_max_top_k]) {
    uint32_t count = routing->top_k < routing->dies ? routing->top_k : routing->dies;
    uint64_t base = (code - 1) / 2 % routing->dies;
    bool wants_die_0 = code % 2 == 0;
    bool has_die_0 = false;
    for (uint32_t j = 0; j < count; ++j) {
        targets[j] = (uint32_t)((base + j) % routing->dies);
        has_die_0 |= targets[j] == 0;
    }
    if (wants_die_0 && !has_die_0) {
        targets[0] = 0;
    }
    sort_ascending(targets, count);
    return count;
}

uint32_t chm_routing_targets(const chm_routing* routing, uint64_t token,
                             uint32_t targets[chm_max_top_k]) {
    return chm_routing_decode(routing, chm_routing_code(routing, token), targets);
}
