// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/fusion/window.h"

#include <stdlib.h>

// A run that is open, decided or waiting for reuse; in exactly one list.
typedef struct run_slot {
    chm_run run;
    uint32_t next_seq; // open: the only operation that may join
    chm_join end_rule; // decided
    struct run_slot* link;
} run_slot;

struct chm_window {
    const chm_tables* tables;
    run_slot* open;    // any order
    run_slot* decided; // in issue order
    run_slot* current; // what the last pop gave, reused with the next call
    run_slot* spare;
    uint32_t occupancy;
    uint32_t last_seq;
    bool started;
};

chm_window* chm_window_create(const chm_tables* tables) {
    chm_window* window = calloc(1, sizeof *window);
    if (window != NULL) {
        window->tables = tables;
    }
    return window;
}

static void free_list(run_slot* slot) {
    while (slot != NULL) {
        run_slot* next = slot->link;
        free(slot);
        slot = next;
    }
}

void chm_window_free(chm_window* window) {
    if (window != NULL) {
        free_list(window->open);
        free_list(window->decided);
        free_list(window->current);
        free_list(window->spare);
        free(window);
    }
}

static void prepend(run_slot** list, run_slot* slot) {
    slot->link = *list;
    *list = slot;
}

static void recycle_current(chm_window* window) {
    if (window->current != NULL) {
        prepend(&window->spare, window->current);
        window->current = NULL;
    }
}

// Makes sure that a spare slot is there, so that a push cannot fail half-way.
static bool reserve_slot(chm_window* window) {
    if (window->spare == NULL) {
        run_slot* slot = malloc(sizeof *slot);
        if (slot == NULL) {
            return false;
        }
        slot->link = NULL;
        window->spare = slot;
    }
    return true;
}

static uint32_t last_seq_of(const run_slot* slot) {
    return slot->run.members[slot->run.count - 1].seq;
}

static bool issues_before(const run_slot* a, const run_slot* b) {
    return a->run.key != b->run.key ? a->run.key < b->run.key : last_seq_of(a) < last_seq_of(b);
}

// Files a slot that is in no list among the decided runs.
static void decide(chm_window* window, run_slot* slot, uint32_t key, chm_join rule) {
    slot->run.key = key;
    slot->end_rule = rule;
    run_slot** at = &window->decided;
    while (*at != NULL && issues_before(*at, slot)) {
        at = &(*at)->link;
    }
    prepend(at, slot);
}

// Files a slot whose last member is new: open if the facts leave room for a successor.
static void settle(chm_window* window, run_slot* slot) {
    chm_join rule = chm_run_may_grow(window->tables, &slot->run);
    if (rule != chm_join_yes) {
        decide(window, slot, last_seq_of(slot), rule);
        return;
    }
    uint32_t distance;
    slot->next_seq = chm_run_next(window->tables, &slot->run, &distance);
    prepend(&window->open, slot);
}

static bool mesh_has(const chm_tables* tables, uint32_t layout, uint32_t die) {
    return layout != CHM_NONE && chm_mesh_rank(&tables->layouts[layout].mesh, die) != CHM_NO_RANK;
}

static bool run_has_die(const chm_tables* tables, const chm_run* run, uint32_t die) {
    for (uint32_t i = 0; i < run->count; ++i) {
        if (mesh_has(tables, run->members[i].layout_in, die) ||
            mesh_has(tables, run->members[i].layout_out, die)) {
            return true;
        }
    }
    return false;
}

static bool run_meets_layout(const chm_tables* tables, const chm_run* run, uint32_t layout) {
    if (layout == CHM_NONE) {
        return false;
    }
    const chm_die_mesh* mesh = &tables->layouts[layout].mesh;
    uint32_t size = chm_mesh_size(mesh);
    for (uint32_t rank = 0; rank < size; ++rank) {
        if (run_has_die(tables, run, mesh->dies[rank])) {
            return true;
        }
    }
    return false;
}

static bool is_cut(const chm_tables* tables, const chm_run* run, const chm_descriptor* fence) {
    if (fence->waiting_die != CHM_NONE) {
        return run_has_die(tables, run, fence->waiting_die);
    }
    const chm_communicator* c = &tables->communicators[fence->communicator];
    return run_meets_layout(tables, run, c->layout) ||
           run_meets_layout(tables, run, c->other_layout);
}

// Decides the open runs whose successor this die has passed without seeing it.
static void pass_over(chm_window* window, uint32_t seq) {
    for (run_slot** at = &window->open; *at != NULL;) {
        run_slot* slot = *at;
        if (slot->next_seq >= seq) {
            at = &slot->link;
            continue;
        }
        *at = slot->link;
        decide(window, slot, slot->next_seq, chm_join_not_next);
    }
}

static void cut(chm_window* window, const chm_descriptor* fence) {
    for (run_slot** at = &window->open; *at != NULL;) {
        run_slot* slot = *at;
        if (!is_cut(window->tables, &slot->run, fence)) {
            at = &slot->link;
            continue;
        }
        *at = slot->link;
        decide(window, slot, fence->seq, chm_join_fence);
    }
}

// The open run that the descriptor joins, taken out of the list, or null. Runs that wait for it and
// may not have it are decided.
static run_slot* take_joined(chm_window* window, const chm_descriptor* descriptor) {
    run_slot* joined = NULL;
    for (run_slot** at = &window->open; *at != NULL;) {
        run_slot* slot = *at;
        if (slot->next_seq != descriptor->seq) {
            at = &slot->link;
            continue;
        }
        *at = slot->link;
        chm_join rule = joined != NULL ? chm_join_not_next
                                       : chm_run_may_join(window->tables, &slot->run, descriptor);
        if (rule == chm_join_yes) {
            joined = slot;
        } else {
            decide(window, slot, descriptor->seq, rule);
        }
    }
    return joined;
}

static void add_member(chm_window* window, const chm_descriptor* descriptor) {
    run_slot* slot = take_joined(window, descriptor);
    if (slot != NULL) {
        chm_run_append(window->tables, &slot->run, descriptor);
    } else {
        slot = window->spare;
        window->spare = slot->link;
        chm_run_start(&slot->run, descriptor);
    }
    window->occupancy++;
    settle(window, slot);
}

chm_status chm_window_push(chm_window* window, const chm_descriptor* descriptor) {
    recycle_current(window);
    if (window->started && descriptor->seq <= window->last_seq) {
        return chm_bad_input;
    }
    if (!reserve_slot(window)) {
        return chm_no_memory;
    }
    window->started = true;
    window->last_seq = descriptor->seq;
    pass_over(window, descriptor->seq);
    if (descriptor->kind == chm_descriptor_fence) {
        cut(window, descriptor);
        pass_over(window, descriptor->seq + 1); // a reader that stood in and only waits
    } else {
        add_member(window, descriptor);
    }
    return chm_ok;
}

void chm_window_drain(chm_window* window) {
    recycle_current(window);
    pass_over(window, CHM_NONE);
}

bool chm_window_pop(chm_window* window, chm_decided_run* decided) {
    recycle_current(window);
    run_slot* slot = window->decided;
    if (slot == NULL) {
        return false;
    }
    window->decided = slot->link;
    slot->link = NULL;
    window->current = slot;
    window->occupancy -= slot->run.count;
    decided->run = &slot->run;
    decided->end_rule = slot->end_rule;
    return true;
}

uint32_t chm_window_occupancy(const chm_window* window) {
    return window->occupancy;
}
