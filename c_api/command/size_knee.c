// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "size.h"

double size_speedup(const size_outcome* outcome) {
    return outcome->status == chm_ok && outcome->on.cycles != 0
               ? (double)outcome->off_cycles / (double)outcome->on.cycles
               : 0;
}

static bool measured(const size_sweep* sweep, size_t index) {
    return sweep->points[index].outcome.status == chm_ok;
}

static uint64_t cycles(const size_sweep* sweep, size_t index) {
    return sweep->points[index].outcome.on.cycles;
}

bool size_slower(uint64_t a, uint64_t b) {
    return (double)a * 100 > (double)b * (100 + size_knee_percent);
}

size_t size_next_dearer(const size_sweep* sweep, size_t index) {
    for (size_t i = index + 1; i < sweep->count; ++i) {
        if (measured(sweep, i)) {
            return i;
        }
    }
    return size_no_point;
}

static size_t next_cheaper(const size_sweep* sweep, size_t index) {
    for (size_t i = index; i-- > 0;) {
        if (measured(sweep, i)) {
            return i;
        }
    }
    return size_no_point;
}

// What a doubling (halving) from the default to another point costs in percent, as if the time went
// evenly with the logarithm between them.
static double slope_to(const size_sweep* sweep, size_t other) {
    if (other == size_no_point) {
        return NAN;
    }
    const double from = (double)sweep->points[sweep->at_default].value;
    const double to = (double)sweep->points[other].value;
    if (from == 0 || to == 0) {
        return NAN;
    }
    const double change = (double)cycles(sweep, other) / (double)cycles(sweep, sweep->at_default);
    return 100 * (change - 1) / fabs(log2(to / from));
}

static void find_slopes(size_sweep* sweep) {
    const double dearer = slope_to(sweep, size_next_dearer(sweep, sweep->at_default));
    const double less_dear = slope_to(sweep, next_cheaper(sweep, sweep->at_default));
    const bool more_is_dearer = sweep->key->kind == size_resource;
    sweep->doubled = more_is_dearer ? dearer : less_dear;
    sweep->halved = more_is_dearer ? less_dear : dearer;
}

static bool has_cheaper(const size_sweep* sweep) {
    const double cheapest = (double)sweep->points[0].value;
    return sweep->key->kind == size_resource ? cheapest > fmax(sweep->parameter.minimum, 1)
                                             : cheapest < sweep->parameter.maximum;
}

static bool has_dearer(const size_sweep* sweep) {
    const double dearest = (double)sweep->points[sweep->count - 1].value;
    if (sweep->key->kind == size_delay) {
        return dearest > sweep->parameter.minimum;
    }
    return dearest < sweep->parameter.maximum && (dearest != 0 || sweep->key->zero == NULL);
}

void size_find_knee(size_sweep* sweep) {
    sweep->best = sweep->at_default;
    sweep->no_effect = true;
    for (size_t i = 0; i < sweep->count; ++i) {
        if (measured(sweep, i)) {
            sweep->best = cycles(sweep, i) < cycles(sweep, sweep->best) ? i : sweep->best;
            sweep->no_effect &= cycles(sweep, i) == cycles(sweep, sweep->at_default);
        }
    }
    const uint64_t least = cycles(sweep, sweep->best);
    sweep->knee = 0;
    while (!measured(sweep, sweep->knee) || size_slower(cycles(sweep, sweep->knee), least)) {
        ++sweep->knee;
    }
    find_slopes(sweep);
    const size_t before = next_cheaper(sweep, sweep->best);
    sweep->cheaper_may_do = sweep->knee == 0 && has_cheaper(sweep);
    sweep->still_falling = size_next_dearer(sweep, sweep->best) == size_no_point &&
                           before != size_no_point && size_slower(cycles(sweep, before), least) &&
                           has_dearer(sweep);
    const bool faster = size_slower(cycles(sweep, sweep->at_default), cycles(sweep, sweep->knee));
    sweep->binds = faster && sweep->knee > sweep->at_default;
    sweep->cheaper_is_faster = faster && sweep->knee < sweep->at_default;
}
