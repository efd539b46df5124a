// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/planner/planner_grid.h"

// Moving complete data: cell by cell of the common refinement of what is held and what is needed.

typedef struct mover {
    chm_search* search;
    const chm_blocks* held;
    const chm_blocks* need;
    bool by_rank;
    uint64_t* load;    // [dies] bytes sent so far
    uint64_t* first;   // [dies] bytes that cross to a die first, in a tree
    uint32_t* holders; // dies that hold the cell
    uint32_t* needers; // indices into need of those that lack it
    uint32_t holder_count, needer_count;
    chm_pieces pieces;
} mover;

static chm_status begin(mover* m) {
    chm_arena* arena = m->search->arena;
    uint32_t dies = m->search->topology->dies;
    m->load = chm_arena_alloc(arena, dies, sizeof *m->load);
    m->first = chm_arena_alloc(arena, dies, sizeof *m->first);
    m->holders = chm_arena_alloc(arena, m->held->count, sizeof *m->holders);
    m->needers = chm_arena_alloc(arena, m->need->count, sizeof *m->needers);
    bool ok = m->load != NULL && m->first != NULL && m->holders != NULL && m->needers != NULL;
    return ok ? chm_ok : chm_no_memory;
}

static void look_at_cell(mover* m, const chm_grid* grid) {
    m->holder_count = 0;
    for (uint32_t i = 0; i < grid->found_count[0]; ++i) {
        m->holders[m->holder_count++] = m->held->items[grid->found[0][i]].die;
    }
    m->needer_count = 0;
    for (uint32_t i = 0; i < grid->found_count[1]; ++i) {
        uint32_t die = m->need->items[grid->found[1][i]].die;
        bool lacks = true;
        for (uint32_t h = 0; h < m->holder_count; ++h) {
            lacks = lacks && m->holders[h] != die;
        }
        if (lacks) {
            m->needers[m->needer_count++] = grid->found[1][i];
        }
    }
}

// The place of a die among the blocks of a set: its rank where they are a layout's.
static uint32_t index_of(const chm_blocks* blocks, uint32_t die) {
    uint32_t index = 0;
    while (index < blocks->count && blocks->items[index].die != die) {
        ++index;
    }
    return index;
}

static chm_status add_piece(mover* m, uint32_t source, uint32_t needer, uint32_t step,
                            const chm_rect* rect) {
    chm_pieces* pieces = &m->pieces;
    void* items = pieces->items;
    chm_status status = chm_arena_grow(m->search->arena, &items, &pieces->capacity,
                                       (size_t)pieces->count + 1, sizeof *pieces->items);
    if (status != chm_ok) {
        return status;
    }
    pieces->items = items;
    uint32_t source_index = step == 0 ? index_of(m->held, source) : index_of(m->need, source);
    pieces->items[pieces->count++] = (chm_piece){.source = source,
                                                 .destination = m->need->items[needer].die,
                                                 .source_index = source_index,
                                                 .destination_index = needer,
                                                 .step = step,
                                                 .rect = *rect};
    m->load[source] += chm_rect_elements(rect);
    return chm_ok;
}

static chm_status send_from_holder(mover* m, uint32_t needer, const chm_rect* cell) {
    bool ranked = m->by_rank && needer < m->held->count;
    uint32_t peer = ranked ? m->held->items[needer].die : CHM_NO_RANK;
    uint32_t sender = chm_choose_sender(m->search, m->holders, m->holder_count,
                                        m->need->items[needer].die, m->load, peer);
    return add_piece(m, m->holders[sender], needer, 0, cell);
}

// The needer that gets the one copy that crosses: of those that have got least so far the one
// nearest to a holder, else the first.
static uint32_t choose_first(mover* m) {
    uint32_t best = 0;
    uint32_t best_hops = UINT32_MAX;
    uint64_t best_load = UINT64_MAX;
    for (uint32_t i = 0; i < m->needer_count; ++i) {
        uint32_t die = m->need->items[m->needers[i]].die;
        uint32_t hops = UINT32_MAX;
        for (uint32_t h = 0; h < m->holder_count; ++h) {
            uint32_t this_way = chm_search_hops(m->search, m->holders[h], die);
            hops = this_way < hops ? this_way : hops;
        }
        if (m->first[die] < best_load || (m->first[die] == best_load && hops < best_hops)) {
            best = i;
            best_hops = hops;
            best_load = m->first[die];
        }
    }
    return best;
}

static chm_status send_by_tree(mover* m, const chm_rect* cell) {
    uint32_t first = choose_first(m);
    uint32_t first_die = m->need->items[m->needers[first]].die;
    m->first[first_die] += chm_rect_elements(cell);
    chm_status status = send_from_holder(m, m->needers[first], cell);
    for (uint32_t i = 0; i < m->needer_count && status == chm_ok; ++i) {
        if (i != first) {
            status = add_piece(m, first_die, m->needers[i], 1, cell);
        }
    }
    return status;
}

static chm_status send_cell(mover* m, const chm_rect* cell, chm_schedule_kind schedule) {
    if (m->needer_count > 0 && m->holder_count == 0) {
        return chm_internal; // a layout always holds all of its tensor
    }
    if (schedule == chm_schedule_tree && m->needer_count > 1) {
        return send_by_tree(m, cell);
    }
    chm_status status = chm_ok;
    for (uint32_t i = 0; i < m->needer_count && status == chm_ok; ++i) {
        status = send_from_holder(m, m->needers[i], cell);
    }
    return status;
}

chm_status chm_stage_move(chm_search* search, const chm_blocks* held, const chm_blocks* need,
                          chm_schedule_kind schedule, bool by_rank, chm_stage* stage) {
    mover m = {.search = search, .held = held, .need = need, .by_rank = by_rank};
    chm_grid grid;
    chm_status status = begin(&m);
    if (status == chm_ok) {
        status = chm_grid_begin(&grid, held, need, search->arena);
    }
    while (status == chm_ok && chm_grid_next(&grid)) {
        look_at_cell(&m, &grid);
        status = send_cell(&m, &grid.cell, schedule);
    }
    if (status != chm_ok) {
        return status;
    }
    const chm_transfer sample = {.kind = chm_transfer_copy};
    *stage = (chm_stage){.basic = chm_basic_move, .phase.kind = chm_phase_move};
    status = chm_pieces_order(search, &m.pieces, schedule, need->count, &sample, stage);
    stage->text = chm_move_name(held, need, stage);
    stage->phase.collective = stage->text;
    return status;
}

const char* chm_move_name(const chm_blocks* from, const chm_blocks* to, const chm_stage* stage) {
    bool same_dies = true;
    for (uint32_t i = 0; i < to->count && same_dies; ++i) {
        same_dies = index_of(from, to->items[i].die) < from->count;
    }
    for (uint32_t i = 0; i < from->count && same_dies; ++i) {
        same_dies = index_of(to, from->items[i].die) < to->count;
    }
    bool overlap = false;
    for (uint32_t i = 1; i < to->count && same_dies && !overlap; ++i) {
        overlap = chm_rect_overlaps(&to->items[0].rect, &to->items[i].rect);
    }
    if (same_dies) {
        return overlap ? "A-G" : "A2A";
    }
    bool die_to_die = from->count == to->count;
    for (uint32_t t = 0; t < stage->transfer_count && die_to_die; ++t) {
        const chm_transfer* transfer = &stage->transfers[t];
        uint32_t rank = index_of(from, transfer->source);
        die_to_die = rank < to->count && to->items[rank].die == transfer->destination &&
                     chm_rect_same(&from->items[rank].rect, &to->items[rank].rect);
    }
    return die_to_die ? "P2P" : "M2MS";
}

// Each needer's own addend costs nothing; every other addend comes from one of its holders.
static chm_status send_addends(mover* m, const chm_grid* grid, const chm_holding* holdings) {
    uint32_t addends = holdings[0].addends;
    chm_status status = chm_ok;
    for (uint32_t n = 0; n < grid->found_count[1]; ++n) {
        uint32_t needer = grid->found[1][n];
        for (uint32_t addend = 0; addend < addends && status == chm_ok; ++addend) {
            m->holder_count = 0;
            for (uint32_t h = 0; h < grid->found_count[0]; ++h) {
                uint32_t rank = grid->found[0][h];
                if (holdings[rank].addend == addend) {
                    m->holders[m->holder_count++] = m->held->items[rank].die;
                }
            }
            uint32_t sender = chm_choose_sender(m->search, m->holders, m->holder_count,
                                                m->need->items[needer].die, m->load, CHM_NO_RANK);
            if (m->holders[sender] != m->need->items[needer].die) {
                status = add_piece(m, m->holders[sender], needer, 0, &grid->cell);
            }
        }
    }
    return status;
}

chm_status chm_stage_reduce_move(chm_search* search, const chm_blocks* need,
                                 chm_schedule_kind schedule, chm_stage* stage) {
    const chm_layout* from = search->request->from;
    const chm_tensor* tensor = &search->request->tensor;
    chm_blocks held;
    chm_status status = chm_blocks_of(from, tensor, search->arena, &held);
    mover m = {.search = search, .held = &held, .need = need};
    if (status == chm_ok) {
        status = begin(&m);
    }
    chm_holding* holdings = chm_arena_alloc(search->arena, held.count, sizeof *holdings);
    if (status != chm_ok || holdings == NULL) {
        return status != chm_ok ? status : chm_no_memory;
    }
    for (uint32_t rank = 0; rank < held.count; ++rank) {
        holdings[rank] = chm_layout_holding(from, tensor, rank);
    }
    chm_grid grid;
    status = chm_grid_begin(&grid, &held, need, search->arena);
    while (status == chm_ok && chm_grid_next(&grid)) {
        status = send_addends(&m, &grid, holdings);
    }
    if (status != chm_ok) {
        return status;
    }
    const chm_transfer sample = {.kind = chm_transfer_reduce};
    *stage = (chm_stage){.basic = chm_basic_move,
                         .from_input = true,
                         .text = "M2MS+reduce",
                         .phase = {.kind = chm_phase_reduce, .collective = "M2MS+reduce"}};
    return chm_pieces_order(search, &m.pieces, schedule, need->count, &sample, stage);
}
