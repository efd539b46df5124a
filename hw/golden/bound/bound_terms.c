// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/bound/bound_internal.h"

#include <string.h>

static bool holds_complete(const chm_bound_sets* sets, uint32_t participant) {
    return sets->classes == 1 && sets->class_of[participant] != CHM_NONE;
}

// A needer without the complete value receives at least once per element.
static void add_in(const chm_bound_sets* sets, uint64_t bytes, chm_bound_sums* sums) {
    for (uint32_t i = 0; i < sets->needer_count; ++i) {
        uint32_t needer = sets->needers[i];
        sums->in[needer] += holds_complete(sets, needer) ? 0 : bytes;
    }
}

// The only holder of an addend (of complete data, if there is one addend) that another die's
// value contains sends at least once: the addend, or the sum it has made of it.
static void add_out(const chm_bound_network* network, const chm_bound_sets* sets, uint64_t bytes,
                    chm_bound_sums* sums) {
    for (uint32_t i = 0; i < sets->holder_count; ++i) {
        uint32_t holder = sets->holders[i];
        if (sets->class_holders[sets->class_of[holder]] != 1) {
            continue;
        }
        bool wanted = sets->needer_count > sets->needs[holder];
        for (uint32_t a = 0; a < sets->any_count; ++a) {
            wanted |= !sets->any[(size_t)a * network->count + holder];
        }
        sums->out[holder] += wanted ? bytes : 0;
    }
}

// Addends of which no holder is in the set.
static uint32_t missing_classes(const chm_bound_network* network, const chm_bound_sets* sets,
                                uint32_t any) {
    const uint8_t* member = sets->any + (size_t)any * network->count;
    uint32_t missing = sets->classes;
    memset(sets->class_met, 0, sets->classes * sizeof *sets->class_met);
    for (uint32_t i = 0; i < sets->holder_count; ++i) {
        uint32_t holder = sets->holders[i];
        if (member[holder] && sets->class_met[sets->class_of[holder]]++ == 0) {
            --missing;
        }
    }
    return missing;
}

// Least sends of one element. With addends: all but one are merged into a first complete copy
// (one send more if it arises where no addend was), and every further needer receives once after
// that. Equal addends on several dies are one addend.
static uint64_t least_sends(const chm_bound_network* network, const chm_bound_sets* sets) {
    uint64_t sends = 0;
    uint32_t overlap = 0;
    for (uint32_t i = 0; i < sets->needer_count; ++i) {
        overlap += sets->class_of[sets->needers[i]] != CHM_NONE;
    }
    if (sets->classes == 1) {
        sends = sets->needer_count - overlap;
    } else if (sets->needer_count > 0) {
        sends = (uint64_t)sets->classes - 1 + sets->needer_count - 1 + (overlap == 0 ? 1 : 0);
    }
    for (uint32_t a = 0; a < sets->any_count; ++a) {
        uint64_t missing = missing_classes(network, sets, a);
        sends = missing > sends ? missing : sends;
    }
    return sends;
}

// Sides beyond which somebody needs the value (for a set: on which all of it lies).
static void sides_needing(const chm_bound_network* network, const chm_bound_sets* sets,
                          uint64_t* needing) {
    uint32_t words = network->side_words;
    memset(needing, 0, words * sizeof *needing);
    for (uint32_t i = 0; i < sets->needer_count; ++i) {
        const uint64_t* beyond = network->beyond + (size_t)sets->needers[i] * words;
        for (uint32_t w = 0; w < words; ++w) {
            needing[w] |= beyond[w];
        }
    }
    for (uint32_t a = 0; a < sets->any_count; ++a) {
        const uint8_t* member = sets->any + (size_t)a * network->count;
        for (uint32_t w = 0; w < words; ++w) {
            uint64_t all = UINT64_MAX;
            for (uint32_t p = 0; p < network->count; ++p) {
                all &= member[p] ? network->beyond[(size_t)p * words + w] : UINT64_MAX;
            }
            needing[w] |= all;
        }
    }
}

// Sides on which every addend has a holder; `scratch` has room for the sides of every addend.
static void sides_holding(const chm_bound_network* network, const chm_bound_sets* sets,
                          uint64_t* holding, uint64_t* scratch) {
    uint32_t words = network->side_words;
    memset(scratch, 0, (size_t)sets->classes * words * sizeof *scratch);
    for (uint32_t i = 0; i < sets->holder_count; ++i) {
        const uint64_t* beyond = network->beyond + (size_t)sets->holders[i] * words;
        uint64_t* addend = scratch + (size_t)sets->class_of[sets->holders[i]] * words;
        for (uint32_t w = 0; w < words; ++w) {
            addend[w] |= beyond[w];
        }
    }
    memset(holding, 0xff, words * sizeof *holding);
    for (uint32_t c = 0; c < sets->classes; ++c) {
        for (uint32_t w = 0; w < words; ++w) {
            holding[w] &= scratch[(size_t)c * words + w];
        }
    }
}

// What is needed beyond a cut where some addend has no holder must cross. Once across it can be
// passed on: it counts once however many need it.
static void add_cuts(const chm_bound_network* network, const chm_bound_sets* sets, uint64_t bytes,
                     chm_bound_sums* sums) {
    uint32_t words = network->side_words;
    uint64_t* needing = sets->sides;
    uint64_t* holding = sets->sides + words;
    sides_needing(network, sets, needing);
    sides_holding(network, sets, holding, sets->sides + 2 * (size_t)words);
    for (uint32_t w = 0; w < words; ++w) {
        for (uint64_t crossing = needing[w] & ~holding[w]; crossing != 0;
             crossing &= crossing - 1) {
            uint32_t side = w * 64 + (uint32_t)__builtin_ctzll(crossing);
            if (side < 2 * network->topology->cut_count) {
                sums->cut[side] += bytes;
            }
        }
    }
}

void chm_bound_add_cell(const chm_bound_network* network, const chm_bound_sets* sets,
                        uint64_t bytes, chm_bound_sums* sums) {
    if (sets->classes == 0) {
        return;
    }
    add_in(sets, bytes, sums);
    add_out(network, sets, bytes, sums);
    sums->work += least_sends(network, sets) * bytes;
    add_cuts(network, sets, bytes, sums);
}

// The value is complete at `needer` when the nearest holder's part of the last addend is there.
static uint64_t arrival(const chm_bound_network* network, const chm_bound_sets* sets,
                        uint64_t piece_flits, const uint64_t* ready, uint32_t needer,
                        uint64_t* earliest) {
    for (uint32_t c = 0; c < sets->classes; ++c) {
        earliest[c] = UINT64_MAX;
    }
    for (uint32_t i = 0; i < sets->holder_count; ++i) {
        uint32_t holder = sets->holders[i];
        uint64_t at = ready[holder];
        if (holder != needer) {
            at += network->distance[(size_t)holder * network->count + needer] + piece_flits;
        }
        uint32_t c = sets->class_of[holder];
        earliest[c] = at < earliest[c] ? at : earliest[c];
    }
    uint64_t last = 0;
    for (uint32_t c = 0; c < sets->classes; ++c) {
        last = earliest[c] > last ? earliest[c] : last;
    }
    return last;
}

void chm_bound_arrivals(const chm_bound_network* network, const chm_bound_sets* sets,
                        uint64_t piece_flits, uint64_t* ready, uint64_t* scratch) {
    uint64_t* earliest = scratch;
    uint64_t* arrived = scratch + network->count;
    for (uint32_t i = 0; i < sets->needer_count; ++i) {
        arrived[i] = arrival(network, sets, piece_flits, ready, sets->needers[i], earliest);
    }
    for (uint32_t i = 0; i < sets->needer_count; ++i) {
        ready[sets->needers[i]] = arrived[i];
    }
}
