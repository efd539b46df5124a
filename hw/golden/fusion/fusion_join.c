// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/fusion/fusion_rules.h"

// The decision rule: every check reads facts and tables only, so that all dies decide alike.

static bool changes_data(const chm_descriptor* d) {
    return d->kind == chm_descriptor_marker && d->op_class != chm_class_transparent;
}

static bool cannot_move(const chm_descriptor* d) {
    return d->kind == chm_descriptor_marker && d->op_class == chm_class_opaque;
}

uint32_t chm_run_next(const chm_tables* tables, const chm_run* run, uint32_t* distance) {
    const chm_descriptor* last = &run->members[run->count - 1];
    const chm_facts* facts = &last->facts;
    *distance = facts->next_distance;
    if (!facts->next_unknown || facts->readers_unknown) {
        return facts->next_seq;
    }
    uint32_t first = CHM_NONE;
    *distance = 0;
    for (uint32_t i = 0; i < facts->reader_count; ++i) {
        const chm_reader* reader = &tables->readers[facts->first_reader + i];
        if (reader->seq > last->seq && reader->seq < first) {
            first = reader->seq;
            // Such a driver fences a window of the common list, not of descriptors (fewer).
            *distance = reader->distance == 0 ? 0 : first - last->seq;
        }
    }
    return first;
}

// The largest window that anybody could ask for: what a run of markers can still hope for.
static uint32_t largest_depth(const chm_tables* tables) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < tables->communicator_count; ++i) {
        uint32_t asked = tables->communicators[i].window_depth;
        depth = asked > depth ? asked : depth;
    }
    return depth;
}

static bool is_needed_by(const chm_run* run, uint32_t seq) {
    for (uint32_t i = 0; i < run->count; ++i) {
        if (seq >= run->members[i].facts.needed_by) {
            return true;
        }
    }
    return false;
}

static chm_join facts_allow(const chm_tables* tables, const chm_run* run, uint32_t depth) {
    const chm_descriptor* last = &run->members[run->count - 1];
    uint32_t distance = 0;
    uint32_t next = chm_run_next(tables, run, &distance);
    if (next == CHM_NONE) {
        return last->facts.next_unknown ? chm_join_next_unknown : chm_join_not_next;
    }
    if (run->count == chm_max_run || distance == 0 || (uint64_t)run->distance + distance >= depth) {
        return chm_join_window;
    }
    if (is_needed_by(run, next)) {
        return chm_join_needed_by;
    }
    return cannot_move(last) ? chm_join_opaque : chm_join_yes;
}

chm_join chm_run_may_grow(const chm_tables* tables, const chm_run* run) {
    uint32_t depth = chm_run_depth(tables, run, NULL);
    return facts_allow(tables, run, depth == CHM_NONE ? largest_depth(tables) : depth);
}

static bool same_shape(const chm_tensor* a, const chm_tensor* b) {
    return a->tokens == b->tokens && a->width == b->width && a->element_bytes == b->element_bytes;
}

static bool consumes(const chm_tables* tables, const chm_run* run, const chm_descriptor* next) {
    const chm_descriptor* last = &run->members[run->count - 1];
    const chm_tensor* tensor = chm_run_tensor(tables, run);
    if (next->value_in != last->value_out ||
        !same_shape(tensor, &tables->tensors[tables->values[next->value_in].tensor]) ||
        !same_shape(tensor, &tables->tensors[tables->values[next->value_out].tensor])) {
        return false;
    }
    const chm_layout* left = &tables->layouts[last->layout_out];
    const chm_layout* taken = &tables->layouts[next->layout_in];
    if (chm_layout_is_partial(&tables->layouts[next->layout_out]) &&
        !chm_layout_is_partial(chm_run_from(tables, run))) {
        return false; // a run does not end in zeros around complete data
    }
    return chm_layout_same(left, taken, tensor) ||
           chm_value_slices(tables, next->value_in, left, taken) ||
           chm_layout_embeds_to(left, taken, tensor);
}

// A second routed layout beside a routed input would need rows to travel by two routings.
static bool routes_twice(const chm_tables* tables, const chm_run* run, const chm_descriptor* next) {
    return chm_layout_is_routed(chm_run_from(tables, run)) &&
           chm_layout_is_routed(&tables->layouts[next->layout_out]);
}

static uint32_t summed_dimensions(const chm_layout* layout) {
    uint32_t summed = 0;
    for (uint32_t d = 0; d < layout->mesh.dimensions; ++d) {
        chm_placement_kind kind = layout->placement[d].kind;
        summed += layout->mesh.extent[d] > 1 &&
                  (kind == chm_place_partial || kind == chm_place_routed_partial);
    }
    return summed;
}

// Several reductions in one run become one; each would associate differently.
static bool keeps_sums(const chm_tables* tables, const chm_run* run, const chm_descriptor* next) {
    uint32_t sums = 0;
    bool ordered = false;
    // What the sums work on: where zeros were embedded there is nothing to add.
    const chm_layout* have = chm_run_from(tables, run);
    for (uint32_t i = 0; i <= run->count; ++i) {
        const chm_descriptor* d = i < run->count ? &run->members[i] : next;
        const chm_layout* out = &tables->layouts[d->layout_out];
        sums += summed_dimensions(have) > summed_dimensions(out);
        ordered |= d->ordered_sum;
        have = out;
    }
    return !ordered || sums < 2;
}

// A reader of an intermediate beside the run can be served by a demand of its own if it is near,
// needs less than the intermediate as written, and nothing behind changes the data.
static bool serves_reader(const chm_tables* tables, const chm_run* run,
                          const chm_descriptor* producer, const chm_reader* reader,
                          uint32_t depth) {
    if (!chm_reader_is_near(reader, depth)) {
        return false;
    }
    const chm_tensor* tensor = chm_run_tensor(tables, run);
    const chm_layout* written = &tables->layouts[producer->layout_out];
    const chm_layout* needed = &tables->layouts[reader->layout];
    const chm_layout* from = chm_run_from(tables, run);
    if (chm_layout_same(from, needed, tensor) ||
        chm_value_slices(tables, reader->value, from, needed)) {
        return true;
    }
    return !chm_layout_same(written, needed, tensor) &&
           chm_value_slices(tables, reader->value, written, needed) &&
           !chm_value_slices(tables, reader->value, needed, written);
}

// Where an operation behind changes the data, what it was before stays on the dies where the run's
// operations stand: a near reader that needs no more than its block there is served.
static bool keeps_for_reader(const chm_tables* tables, const chm_descriptor* producer,
                             const chm_reader* reader, uint32_t depth, const chm_layout* place) {
    if (place == NULL || !chm_reader_is_near(reader, depth)) {
        return false;
    }
    const chm_layout* written = &tables->layouts[producer->layout_out];
    const chm_layout* needed = &tables->layouts[reader->layout];
    return !chm_layout_is_routed(needed) &&
           chm_value_slices(tables, reader->value, written, needed) &&
           chm_value_slices(tables, reader->value, place, needed);
}

// `place`: where the operations of run and `next` stand, null if there are none.
static chm_join intermediate_allows(const chm_tables* tables, const chm_run* run,
                                    const chm_descriptor* next, uint32_t member, uint32_t depth,
                                    const chm_layout* place, const chm_reader** culprit) {
    const chm_descriptor* producer = &run->members[member];
    const chm_facts* facts = &producer->facts;
    if (facts->readers_unknown) {
        return chm_join_reader_unknown;
    }
    bool changed = changes_data(next);
    for (uint32_t i = member + 1; i < run->count; ++i) {
        changed |= changes_data(&run->members[i]);
    }
    for (uint32_t i = 0; i < facts->reader_count; ++i) {
        const chm_reader* reader = &tables->readers[facts->first_reader + i];
        if (reader->seq == next->seq || chm_run_has_member(run, reader->seq)) {
            continue;
        }
        if (reader->layout == CHM_NONE) {
            return chm_join_reader_unknown;
        }
        bool served = changed ? keeps_for_reader(tables, producer, reader, depth, place)
                              : serves_reader(tables, run, producer, reader, depth);
        if (!served) {
            *culprit = reader;
            return chm_join_other_reader;
        }
    }
    return chm_join_yes;
}

static chm_join readers_allow_at(const chm_tables* tables, const chm_run* run,
                                 const chm_descriptor* next, const chm_layout* place,
                                 const chm_reader** reader) {
    uint32_t depth = chm_run_depth(tables, run, next);
    *reader = NULL;
    for (uint32_t i = 0; i < run->count; ++i) {
        const chm_descriptor* d = &run->members[i];
        bool listed_earlier = i > 0 && chm_is_pass_through(d);
        if (listed_earlier || d->value_out == next->value_out) {
            continue;
        }
        chm_join join = intermediate_allows(tables, run, next, i, depth, place, reader);
        if (join != chm_join_yes) {
            return join;
        }
    }
    return chm_join_yes;
}

chm_join chm_run_readers_allow(const chm_tables* tables, const chm_run* run,
                               const chm_descriptor* next, const chm_reader** reader) {
    chm_join join = readers_allow_at(tables, run, next, NULL, reader);
    chm_layout place;
    uint32_t index = 0;
    while (join == chm_join_other_reader && chm_run_computes(run, next) &&
           chm_run_place(tables, run, next, &index, &place)) {
        join = readers_allow_at(tables, run, next, &place, reader);
    }
    return join;
}

static chm_join algebra_allows(const chm_tables* tables, const chm_run* run,
                               const chm_descriptor* next) {
    if (!consumes(tables, run, next)) {
        return chm_join_layout;
    }
    if (routes_twice(tables, run, next)) {
        return chm_join_routing;
    }
    if (!keeps_sums(tables, run, next)) {
        return chm_join_ordered_sum;
    }
    const chm_reader* reader;
    chm_join join = chm_run_readers_allow(tables, run, next, &reader);
    return join == chm_join_yes ? chm_run_may_move(tables, run, next) : join;
}

chm_join chm_run_may_join(const chm_tables* tables, const chm_run* run,
                          const chm_descriptor* next) {
    uint32_t distance = 0;
    uint32_t depth = chm_run_depth(tables, run, next);
    uint32_t expected = chm_run_next(tables, run, &distance);
    if (expected != CHM_NONE && (next->kind == chm_descriptor_fence || next->seq != expected)) {
        return chm_join_not_next;
    }
    // A run of markers alone asks for no window and never fuses.
    chm_join join = facts_allow(tables, run, depth == CHM_NONE ? 0 : depth);
    if (join == chm_join_yes && cannot_move(next)) {
        join = chm_join_opaque;
    }
    return join == chm_join_yes ? algebra_allows(tables, run, next) : join;
}
