// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/fusion/fusion.h"

#include "hw/golden/fusion/fusion_rules.h"

typedef struct join_words {
    const char* name;
    const char* text;
} join_words;

static const join_words words[] = {
    [chm_join_yes] = {"yes", "it joins"},
    [chm_join_not_next] = {"not_next", "nothing on the value's line follows"},
    [chm_join_next_unknown] = {"next_unknown", "the driver could not look ahead to what follows"},
    [chm_join_window] = {"window", "it is queued a window or more away"},
    [chm_join_fence] = {"fence", "a host waits in between"},
    [chm_join_needed_by] = {"needed_by",
                            "a collective at or before it needs a member's result on another path"},
    [chm_join_opaque] = {"opaque", "an opaque operation stands there, which cannot be moved"},
    [chm_join_rows_incomplete] = {"rows_incomplete",
                                  "no earlier layout has complete rows on one die"},
    [chm_join_operand_unavailable] = {"operand_unavailable",
                                      "its other operands (such as gate weights) are not on the "
                                      "dies of the earlier layout"},
    [chm_join_other_reader] = {"other_reader",
                               "another operation needs the intermediate as written"},
    [chm_join_reader_unknown] = {"reader_unknown", "somebody unknown may read the intermediate"},
    [chm_join_layout] = {"layout",
                         "it consumes another layout or shape than what was produced, or a slice "
                         "of it"},
    [chm_join_ordered_sum] = {"ordered_sum",
                              "one reduction instead of several would change the order of sums"},
    [chm_join_routing] = {"routing", "rows would have to be routed twice in one run"},
};

static const join_words* words_of(chm_join join) {
    static const join_words unknown = {"?", "?"};
    return (size_t)join < sizeof words / sizeof *words ? &words[join] : &unknown;
}

const char* chm_join_name(chm_join join) {
    return words_of(join)->name;
}

const char* chm_join_text(chm_join join) {
    return words_of(join)->text;
}

void chm_run_start(chm_run* run, const chm_descriptor* first) {
    run->members[0] = *first;
    run->count = 1;
    run->distance = 0;
    run->key = first->seq;
}

void chm_run_append(const chm_tables* tables, chm_run* run, const chm_descriptor* next) {
    uint32_t distance = 0;
    chm_run_next(tables, run, &distance);
    run->members[run->count++] = *next;
    run->distance += distance;
    run->key = next->seq;
}

bool chm_is_pass_through(const chm_descriptor* d) {
    return d->kind == chm_descriptor_marker && d->value_out == d->value_in;
}

uint32_t chm_run_producer(const chm_run* run, uint32_t member) {
    while (member > 0 && chm_is_pass_through(&run->members[member])) {
        --member;
    }
    return member;
}

bool chm_run_has_member(const chm_run* run, uint32_t seq) {
    for (uint32_t i = 0; i < run->count; ++i) {
        if (run->members[i].seq == seq) {
            return true;
        }
    }
    return false;
}

uint32_t chm_run_depth(const chm_tables* tables, const chm_run* run, const chm_descriptor* next) {
    uint32_t depth = CHM_NONE;
    for (uint32_t i = 0; i <= run->count; ++i) {
        const chm_descriptor* d = i < run->count ? &run->members[i] : next;
        if (d != NULL && d->communicator != CHM_NONE) {
            uint32_t asked = tables->communicators[d->communicator].window_depth;
            depth = asked < depth ? asked : depth;
        }
    }
    return depth;
}

const chm_layout* chm_run_from(const chm_tables* tables, const chm_run* run) {
    const chm_descriptor* first = &run->members[0];
    const chm_value* value = &tables->values[first->value_in];
    const chm_layout* produced = &tables->layouts[value->layout];
    const chm_layout* needed = &tables->layouts[first->layout_in];
    // Zeros are not worth reducing: what was embedded is taken as it was.
    return chm_layout_embeds_to(produced, needed, &tables->tensors[value->tensor]) ? produced
                                                                                   : needed;
}

const chm_tensor* chm_run_tensor(const chm_tables* tables, const chm_run* run) {
    return &tables->tensors[tables->values[run->members[0].value_in].tensor];
}

const chm_routing* chm_value_routing(const chm_tables* tables, uint32_t value) {
    uint32_t routing = tables->values[value].routing;
    return routing == CHM_NONE ? NULL : &tables->routings[routing];
}

bool chm_value_slices(const chm_tables* tables, uint32_t value, const chm_layout* from,
                      const chm_layout* to) {
    const chm_routing* routing = chm_value_routing(tables, value);
    if (routing == NULL && (chm_layout_is_routed(from) || chm_layout_is_routed(to))) {
        return false;
    }
    return chm_layout_slices_to(from, to, &tables->tensors[tables->values[value].tensor], routing);
}
