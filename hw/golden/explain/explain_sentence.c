// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "hw/golden/explain/explain_internal.h"
#include "hw/golden/fusion/fusion_rules.h"

enum { layout_chars = 512 };

const char* chm_explain_operation_name(const chm_workload* workload, uint32_t seq,
                                       chm_arena* arena) {
    if (seq >= workload->operation_count) {
        return chm_arena_format(arena, "operation %u", seq);
    }
    const chm_operation* operation = &workload->operations[seq];
    const char* kind = operation->kind == chm_operation_wait ? "wait"
                       : operation->kind == chm_operation_collective
                           ? chm_collective_name(operation->collective)
                           : chm_class_name(operation->op_class);
    if (operation->name == NULL || strcmp(operation->name, kind) == 0) {
        return chm_arena_format(arena, "%s (seq %u)", kind, seq);
    }
    return chm_arena_format(arena, "%s '%s' (seq %u)", kind, operation->name, seq);
}

uint32_t chm_explain_opaque_end(const chm_workload* workload, const chm_run* run) {
    const chm_descriptor* last = &run->members[run->count - 1];
    for (uint32_t seq = last->seq + 1; seq < workload->operation_count; ++seq) {
        const chm_operation* operation = &workload->operations[seq];
        if (operation->kind == chm_operation_compute && operation->operand_count > 0 &&
            operation->operands[0].value == last->value_out && !workload->has_descriptor[seq]) {
            return seq;
        }
    }
    return CHM_NONE;
}

static const char* value_name(const chm_workload* workload, uint32_t value) {
    const char* name = workload->tables.values[value].name;
    return name != NULL ? name : "?";
}

static const char* say_needed_by(const chm_workload* workload, const chm_run* run, uint32_t next,
                                 chm_arena* arena) {
    for (uint32_t i = 0; i < run->count; ++i) {
        const chm_descriptor* d = &run->members[i];
        if (d->facts.needed_by > next) {
            continue;
        }
        return chm_arena_format(
            arena, "%s depends on what %s leaves ('%s') in another way and comes before",
            d->facts.needed_by == next
                ? "it also"
                : chm_explain_operation_name(workload, d->facts.needed_by, arena),
            chm_explain_operation_name(workload, d->seq, arena),
            value_name(workload, d->value_out));
    }
    return chm_join_text(chm_join_needed_by);
}

static const char* say_window(const chm_workload* workload, const chm_run* run,
                              const chm_descriptor* next, chm_arena* arena) {
    uint32_t distance = 0;
    chm_run_next(&workload->tables, run, &distance);
    uint32_t depth = chm_run_depth(&workload->tables, run, next);
    if (depth == CHM_NONE) {
        return "neither is a collective, so there is nothing to fuse with";
    }
    return chm_arena_format(arena,
                            "it stands %u descriptors further, %u from the run's first, and the "
                            "smallest window is %u",
                            distance, run->distance + distance, depth);
}

static const char* say_rows(const chm_workload* workload, const chm_run* run,
                            const chm_descriptor* next, chm_arena* arena) {
    char from[layout_chars];
    const char* name = chm_explain_operation_name(workload, next->seq, arena);
    chm_layout_format(chm_run_from(&workload->tables, run), from, sizeof from);
    return chm_arena_format(arena,
                            "%s needs whole rows on one die, and the run starts from %s, where "
                            "there are none and a reduction makes none",
                            name, from);
}

static const char* say_operand(const chm_workload* workload, const chm_run* run,
                               const chm_descriptor* next, chm_arena* arena) {
    const chm_tables* tables = &workload->tables;
    char text[layout_chars], there[layout_chars];
    chm_layout place;
    const chm_descriptor* lacks = chm_run_lacks_operands(tables, run, next, &place);
    if (lacks == NULL) {
        return chm_join_text(chm_join_operand_unavailable);
    }
    chm_layout_format(&place, text, sizeof text);
    chm_layout_format(&tables->layouts[tables->available[lacks->first_available]], there,
                      sizeof there);
    return chm_arena_format(arena,
                            "the run's operations could stand at %s only, and what %s needs beside "
                            "it is on %s%s",
                            text, chm_explain_operation_name(workload, lacks->seq, arena), there,
                            lacks->available_count > 1 ? " and others" : "");
}

static bool changes_data(const chm_descriptor* d) {
    return d->kind == chm_descriptor_marker && d->op_class != chm_class_transparent;
}

// The first operation of run and `next` behind `seq` that changes the data, null if none does.
static const chm_descriptor* changed_by(const chm_run* run, const chm_descriptor* next,
                                        uint32_t seq) {
    for (uint32_t i = 0; i < run->count; ++i) {
        if (run->members[i].seq > seq && changes_data(&run->members[i])) {
            return &run->members[i];
        }
    }
    return changes_data(next) ? next : NULL;
}

static const char* say_reader(const chm_workload* workload, const chm_run* run,
                              const chm_descriptor* next, chm_arena* arena) {
    const chm_reader* reader = NULL;
    chm_run_readers_allow(&workload->tables, run, next, &reader);
    if (reader == NULL) {
        return chm_join_text(chm_join_other_reader);
    }
    char layout[layout_chars];
    chm_layout_format(&workload->tables.layouts[reader->layout], layout, sizeof layout);
    const char* needs = chm_arena_format(arena, "%s needs the intermediate '%s' too, as %s",
                                         chm_explain_operation_name(workload, reader->seq, arena),
                                         value_name(workload, reader->value), layout);
    const chm_descriptor* changes =
        changed_by(run, next, workload->tables.values[reader->value].producer);
    if (needs == NULL || changes == NULL) {
        return needs;
    }
    return chm_arena_format(arena,
                            "%s; %s changes it, and only a near reader of the blocks where that "
                            "stands could be served",
                            needs, chm_explain_operation_name(workload, changes->seq, arena));
}

static const char* say_layout(const chm_workload* workload, const chm_run* run,
                              const chm_descriptor* next, chm_arena* arena) {
    const chm_descriptor* last = &run->members[run->count - 1];
    const chm_tables* tables = &workload->tables;
    char left[layout_chars], taken[layout_chars];
    chm_layout_format(&tables->layouts[last->layout_out], left, sizeof left);
    chm_layout_format(&tables->layouts[next->layout_in], taken, sizeof taken);
    return chm_arena_format(arena, "it takes '%s' as %s, and %s was left",
                            value_name(workload, next->value_in), taken, left);
}

// A movable operation that is an ordinary compute all the same.
static const char* say_stays(const chm_workload* workload, uint32_t seq, chm_arena* arena) {
    const chm_operation* operation = &workload->operations[seq];
    if (operation->kind != chm_operation_compute || operation->op_class == chm_class_opaque) {
        return chm_join_text(chm_join_opaque);
    }
    if (chm_layout_is_routed(&workload->tables.layouts[operation->operands[0].layout])) {
        char copies[layout_chars];
        chm_layout_format(&workload->tables.layouts[operation->operands[0].layout], copies,
                          sizeof copies);
        return chm_arena_format(arena,
                                "it works on what each die got by the routing, %s; a run's "
                                "operations stand where each row is on one die, in front of a "
                                "dispatch or behind a combine",
                                copies);
    }
    return operation->result == CHM_NONE
               ? "it writes nothing that a further operation could take up"
               : chm_join_text(chm_join_opaque);
}

static const char* reason(const chm_workload* workload, const chm_run* run, uint32_t second,
                          chm_join rule, chm_arena* arena) {
    const chm_descriptor* next =
        workload->has_descriptor[second] ? &workload->descriptors[second] : NULL;
    if (rule == chm_join_needed_by) {
        return say_needed_by(workload, run, second, arena);
    }
    if (next == NULL) {
        return rule == chm_join_opaque ? say_stays(workload, second, arena) : chm_join_text(rule);
    }
    switch (rule) {
    case chm_join_window: return say_window(workload, run, next, arena);
    case chm_join_rows_incomplete: return say_rows(workload, run, next, arena);
    case chm_join_operand_unavailable: return say_operand(workload, run, next, arena);
    case chm_join_other_reader: return say_reader(workload, run, next, arena);
    case chm_join_layout: return say_layout(workload, run, next, arena);
    default: return chm_join_text(rule);
    }
}

const char* chm_explain_sentence(const chm_workload* workload, const chm_run* run, uint32_t second,
                                 chm_join rule, chm_arena* arena) {
    const chm_descriptor* last = &run->members[run->count - 1];
    const char* first_name = chm_explain_operation_name(workload, last->seq, arena);
    const char* second_name = chm_explain_operation_name(workload, second, arena);
    const char* why = reason(workload, run, second, rule, arena);
    if (first_name == NULL || second_name == NULL || why == NULL) {
        return NULL;
    }
    return chm_arena_format(arena, "%s does not join %s on '%s': %s", second_name, first_name,
                            value_name(workload, last->value_out), why);
}
