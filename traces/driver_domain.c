// SPDX-License-Identifier: Apache-2.0
#include "traces/driver_state.h"

// Domains: on which dies a descriptor is queued. Distances: how many descriptors stand between.
//
// The two depend on each other: a distance counts the descriptors that observers queue, and who
// observes depends on distances. It is cut in one step. Distances counted over members' own
// descriptors alone, without observers and fences, are never more than the final ones; so every
// pair that the engine could join under its final distance is linked here, and all dies of a run
// see all of it. What is linked but turns out too far apart costs observers, never a decision.

bool chm_sets_meet(const uint64_t* a, const uint64_t* b, uint32_t words) {
    for (uint32_t w = 0; w < words; ++w) {
        if ((a[w] & b[w]) != 0) {
            return true;
        }
    }
    return false;
}

void chm_set_add(uint64_t* set, const uint64_t* other, uint32_t words) {
    for (uint32_t w = 0; w < words; ++w) {
        set[w] |= other[w];
    }
}

static void add_mesh(const chm_driver* driver, uint64_t* set, uint32_t layout) {
    const chm_die_mesh* mesh = &driver->tables->layouts[layout].mesh;
    for (uint32_t rank = 0; rank < chm_mesh_size(mesh); ++rank) {
        set[mesh->dies[rank] / 64] |= (uint64_t)1 << (mesh->dies[rank] % 64);
    }
}

static void add_waiting(const chm_driver* driver, uint64_t* set, const chm_operation* wait) {
    if (wait->waiting_die != CHM_NONE) {
        set[wait->waiting_die / 64] |= (uint64_t)1 << (wait->waiting_die % 64);
        return;
    }
    const chm_communicator* c = &driver->tables->communicators[wait->communicator];
    add_mesh(driver, set, c->layout);
    if (c->other_layout != CHM_NONE) {
        add_mesh(driver, set, c->other_layout);
    }
}

chm_status chm_driver_groups(chm_driver* driver) {
    for (uint32_t seq = 0; seq < driver->program->operation_count; ++seq) {
        const chm_operation* operation = &driver->program->operations[seq];
        uint64_t* set = chm_driver_group(driver, seq);
        if (operation->kind == chm_operation_wait) {
            add_waiting(driver, set, operation);
            continue;
        }
        add_mesh(driver, set, operation->operands[0].layout);
        if (operation->result != CHM_NONE) {
            add_mesh(driver, set, driver->tables->values[operation->result].layout);
        }
    }
    return chm_ok;
}

chm_status chm_driver_list_queues(chm_driver* driver, const uint64_t* sets, bool with_waits) {
    const chm_operation* operations = driver->program->operations;
    uint32_t count = driver->program->operation_count;
    for (uint32_t die = 0; die < driver->dies; ++die) {
        uint32_t length = 0;
        for (int pass = 0; pass < 2; ++pass) {
            length = 0;
            for (uint32_t seq = 0; seq < count; ++seq) {
                bool listed = driver->queued[seq] ||
                              (with_waits && operations[seq].kind == chm_operation_wait);
                if (!listed || !chm_set_has(sets + (size_t)seq * driver->words, die)) {
                    continue;
                }
                if (pass == 1) {
                    driver->queue[die][length] = seq;
                }
                ++length;
            }
            if (pass == 0) {
                driver->queue[die] = chm_arena_alloc(driver->arena, length, sizeof(uint32_t));
                if (driver->queue[die] == NULL) {
                    return chm_no_memory;
                }
            }
        }
        driver->queue_count[die] = length;
    }
    return chm_ok;
}

// Number of seqs of an ascending list that are at most `seq`.
static uint32_t count_to(const uint32_t* list, uint32_t count, uint32_t seq) {
    uint32_t begin = 0;
    while (begin < count) {
        uint32_t middle = begin + (count - begin) / 2;
        if (list[middle] <= seq) {
            begin = middle + 1;
        } else {
            count = middle;
        }
    }
    return begin;
}

uint32_t chm_driver_distance(const chm_driver* driver, const uint64_t* a, const uint64_t* b,
                             uint32_t first, uint32_t last) {
    uint32_t most = 0;
    for (uint32_t w = 0; w < driver->words; ++w) {
        for (uint64_t set = a[w] | b[w]; set != 0; set &= set - 1) {
            uint32_t die = w * 64 + (uint32_t)__builtin_ctzll(set);
            const uint32_t* list = driver->queue[die];
            uint32_t between = count_to(list, driver->queue_count[die], last) -
                               count_to(list, driver->queue_count[die], first);
            most = between > most ? between : most;
        }
    }
    return most;
}

static uint32_t largest_window(const chm_driver* driver) {
    uint32_t largest = 0;
    for (uint32_t c = 0; c < driver->tables->communicator_count; ++c) {
        uint32_t depth = driver->tables->communicators[c].window_depth;
        largest = depth > largest ? depth : largest;
    }
    return largest;
}

// Whether a run that ends in `seq` may be held open for its next: by the window that `seq` asks
// for, whatever the next asks for, as the engine must see the next to know. Markers ask for no
// window of their own and may be in a run with the largest.
static bool is_linked(const chm_driver* driver, uint32_t seq, uint32_t largest) {
    const chm_operation* operation = &driver->program->operations[seq];
    uint32_t next = driver->next[seq];
    if (next == CHM_NONE) {
        return false;
    }
    uint32_t window = operation->kind == chm_operation_collective
                          ? driver->tables->communicators[operation->communicator].window_depth
                          : largest;
    return chm_driver_distance(driver, chm_driver_group(driver, seq),
                               chm_driver_group(driver, next), seq, next) < window;
}

// The waits that may find the stretch from `first` to `last` open become fences on its whole
// domain: those between two members, if a member so far has a waiting die. A driver that does not
// know what comes next keeps the last member open for a window more.
static void add_fences(chm_driver* driver, uint32_t first, uint32_t last, uint64_t* so_far,
                       uint32_t largest) {
    const chm_program* program = driver->program;
    uint32_t end = last;
    if (program->lookahead == chm_lookahead_readers) {
        end = program->operation_count - last > largest ? last + largest : program->operation_count;
    }
    uint32_t member = first;
    for (uint32_t w = 0; w < driver->words; ++w) {
        so_far[w] = 0;
    }
    for (uint32_t seq = first; seq < end; ++seq) {
        if (seq == member) {
            chm_set_add(so_far, chm_driver_group(driver, seq), driver->words);
            member = seq == last ? CHM_NONE : driver->next[seq];
        } else if (program->operations[seq].kind == chm_operation_wait &&
                   chm_sets_meet(so_far, chm_driver_group(driver, seq), driver->words)) {
            chm_set_add(chm_driver_domain(driver, seq), chm_driver_domain(driver, first),
                        driver->words);
        }
    }
}

chm_status chm_driver_domains(chm_driver* driver) {
    const chm_program* program = driver->program;
    uint32_t largest = largest_window(driver);
    uint64_t* whole = chm_arena_alloc(driver->arena, driver->words, sizeof *whole);
    if (whole == NULL) {
        return chm_no_memory;
    }
    chm_status status = chm_driver_list_queues(driver, driver->groups, false);
    if (status != chm_ok) {
        return status;
    }
    bool* inside = chm_arena_alloc(driver->arena, program->operation_count, sizeof *inside);
    if (inside == NULL) {
        return chm_no_memory;
    }
    for (uint32_t seq = 0; seq < program->operation_count; ++seq) {
        if (!driver->queued[seq] || inside[seq]) {
            continue;
        }
        uint32_t last = seq;
        for (uint32_t w = 0; w < driver->words; ++w) {
            whole[w] = chm_driver_group(driver, seq)[w];
        }
        while (program->lookahead != chm_lookahead_none && is_linked(driver, last, largest)) {
            last = driver->next[last];
            chm_set_add(whole, chm_driver_group(driver, last), driver->words);
        }
        for (uint32_t member = seq;; member = driver->next[member]) {
            inside[member] = true;
            chm_set_add(chm_driver_domain(driver, member), whole, driver->words);
            if (member == last) {
                break;
            }
        }
        add_fences(driver, seq, last, whole, largest);
    }
    for (uint32_t seq = 0;
         program->lookahead == chm_lookahead_readers && seq < program->operation_count; ++seq) {
        if (program->operations[seq].kind == chm_operation_wait) {
            chm_set_add(chm_driver_domain(driver, seq), chm_driver_group(driver, seq),
                        driver->words);
        }
    }
    return chm_driver_list_queues(driver, driver->domains, true);
}
