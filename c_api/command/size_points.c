// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "size.h"

enum { most_steps = 32 };

typedef struct range {
    uint64_t first, last;
    uint32_t steps;
} range;

char* size_value_text(const size_sweep* sweep, uint64_t value, char buffer[size_value_chars]) {
    const uint64_t kib = 1024, mib = kib * 1024;
    if (value == 0 && sweep->key->zero != NULL) {
        snprintf(buffer, size_value_chars, "%s", sweep->key->zero);
    } else if (strcmp(sweep->parameter.unit, "bytes") != 0 || value < kib || value % kib != 0) {
        snprintf(buffer, size_value_chars, "%" PRIu64, value);
    } else if (value % mib != 0) {
        snprintf(buffer, size_value_chars, "%" PRIu64 "KiB", value / kib);
    } else {
        snprintf(buffer, size_value_chars, "%" PRIu64 "MiB", value / mib);
    }
    return buffer;
}

// 0 before 1 before all others in the order of cost.
static bool cheaper(const size_key* key, uint64_t a, uint64_t b) {
    if (key->kind == size_delay) {
        return a > b;
    }
    if (key->zero != NULL && (a == 0 || b == 0)) {
        return b == 0 && a != 0;
    }
    return a < b;
}

// Puts a value in its place, once.
static void add(size_sweep* sweep, uint64_t value) {
    size_t at = 0;
    while (at < sweep->count && cheaper(sweep->key, sweep->points[at].value, value)) {
        ++at;
    }
    if (sweep->count == size_most_points ||
        (at < sweep->count && sweep->points[at].value == value)) {
        return;
    }
    memmove(&sweep->points[at + 1], &sweep->points[at],
            (sweep->count - at) * sizeof sweep->points[0]);
    memset(&sweep->points[at], 0, sizeof sweep->points[0]);
    sweep->points[at].value = value;
    ++sweep->count;
}

static void add_around_default(size_sweep* sweep) {
    const size_key* key = sweep->key;
    const chm_parameter* parameter = &sweep->parameter;
    const uint64_t least = parameter->minimum > 1 ? (uint64_t)parameter->minimum : 1;
    const uint64_t own = (uint64_t)parameter->value;
    const uint64_t centre = own != 0 ? own : key->centre;
    for (uint32_t i = 0; i <= key->halvings && centre >> i >= least; ++i) {
        add(sweep, centre >> i);
    }
    for (uint32_t i = 1; i <= key->doublings && (double)centre * exp2(i) <= parameter->maximum;
         ++i) {
        add(sweep, centre << i);
    }
    if (parameter->minimum == 0) {
        add(sweep, 0);
    }
}

// Even steps of the ratio, or of the difference from 0 on.
static void add_range(size_sweep* sweep, const range* asked) {
    const double first = (double)asked->first;
    const double last = (double)asked->last;
    for (uint32_t i = 0; i < asked->steps; ++i) {
        const double part = (double)i / (asked->steps - 1);
        add(sweep,
            (uint64_t)llround(asked->first != 0 ? first * pow(last / first, part) : last * part));
    }
}

// Digits and KiB, MiB or GiB, up to `end`, which becomes what is behind. False if it is no number
// or 2^53 and more, from where numbers are not exact.
static bool parse_value(const char* text, const char** end, uint64_t* value) {
    static const char* const suffixes[] = {"KiB", "MiB", "GiB"};
    char* behind = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &behind, 10);
    if (text[0] < '0' || text[0] > '9' || errno != 0 || number >= 1ull << 53) {
        return false;
    }
    for (uint32_t i = 0; i < 3; ++i) {
        if (strncmp(behind, suffixes[i], 3) == 0) {
            if (number >= 1ull << (53 - 10 * (i + 1))) {
                return false;
            }
            number <<= 10 * (i + 1);
            behind += 3;
            break;
        }
    }
    *end = behind;
    *value = number;
    return true;
}

static bool parse_range(const char* text, range* asked) {
    const char* at = text;
    uint64_t steps = 0;
    bool valid = parse_value(at, &at, &asked->first) && *at == ':' &&
                 parse_value(at + 1, &at, &asked->last) && *at == ':' &&
                 parse_value(at + 1, &at, &steps) && *at == '\0' && steps >= 2 &&
                 steps <= most_steps && asked->first <= asked->last;
    asked->steps = (uint32_t)steps;
    return valid;
}

static int refuse_value(const chm_parameter* parameter, uint64_t value) {
    fprintf(stderr, "--parameter %s: got %" PRIu64 "; allowed: integer %.0f .. %.0f%s%s\n",
            parameter->name, value, parameter->minimum, parameter->maximum,
            parameter->unit[0] != '\0' ? " " : "", parameter->unit);
    return chm_exit_usage;
}

int size_make_points(size_sweep* sweep, const char* text) {
    const chm_parameter* parameter = &sweep->parameter;
    range asked;
    sweep->count = 0;
    if (text == NULL) {
        add_around_default(sweep);
    } else if (!parse_range(text, &asked)) {
        fprintf(stderr,
                "--parameter %s: got '%s'; allowed: A:B:STEPS, 2 .. %d values from A up to B\n",
                parameter->name, text, most_steps);
        return chm_exit_usage;
    } else if ((double)asked.first < parameter->minimum) {
        return refuse_value(parameter, asked.first);
    } else if ((double)asked.last > parameter->maximum) {
        return refuse_value(parameter, asked.last);
    } else {
        add_range(sweep, &asked);
    }
    const uint64_t own = (uint64_t)parameter->value;
    add(sweep, own);
    for (size_t i = 0; i < sweep->count; ++i) {
        sweep->at_default = sweep->points[i].value == own ? i : sweep->at_default;
    }
    return 0;
}
