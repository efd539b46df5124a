// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "hw/golden/planner/planner_search.h"

// Comparing recipes, and the list of candidates that explain prints.

static uint32_t count_steps(const chm_plan* plan) {
    uint32_t steps = 0;
    for (uint32_t p = 0; p < plan->phase_count; ++p) {
        uint32_t last = 0;
        for (uint32_t t = 0; t < plan->transfer_count; ++t) {
            const chm_transfer* transfer = &plan->transfers[t];
            last = transfer->phase == p && transfer->step + 1 > last ? transfer->step + 1 : last;
        }
        steps += last;
    }
    return steps;
}

bool chm_score_less(const chm_score* a, const chm_score* b) {
    if (a->cost != b->cost) {
        return a->cost < b->cost;
    }
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->steps < b->steps;
}

// The estimate does not see how packets of different phases get into each other's way: where they
// overlap, plans were measured to take up to a sixteenth longer. So slices must gain more than
// that, and a set-up each, which the DMA's channels share.
static uint64_t cost_of(const chm_search* search, uint64_t cycles, uint32_t slices) {
    const chm_costs* costs = search->options->costs;
    uint64_t set_ups = (slices - 1) * costs->dma_setup_cycles / costs->dma_channels;
    return slices == 1 ? cycles : cycles + cycles / 16 + set_ups;
}

// "first; second" of what the stages say; schedules: only of those that have one.
static const char* describe(const chm_recipe* recipe, bool schedules, chm_arena* arena) {
    const char* text = NULL;
    for (uint32_t s = 0; s < recipe->count; ++s) {
        const chm_stage* stage = &recipe->stages[s];
        const char* word = schedules ? stage->phase.schedule : stage->text;
        if (word == NULL) {
            continue;
        }
        text = text == NULL ? chm_arena_string(arena, word)
                            : chm_arena_format(arena, "%s; %s", text, word);
        if (text == NULL) {
            return NULL;
        }
    }
    return text == NULL ? (schedules ? "none" : "nothing") : text;
}

// Keeps the better of two candidates that read alike.
static chm_status record(chm_search* search, const chm_recipe* recipe, const chm_score* score,
                         bool best) {
    chm_candidate_list* list = search->candidates;
    if (list == NULL) {
        return chm_ok;
    }
    chm_candidate candidate = {.form = describe(recipe, false, search->arena),
                               .schedule = describe(recipe, true, search->arena),
                               .estimated_cycles = score->cycles,
                               .cost_cycles = score->cost,
                               .payload_bytes = score->bytes,
                               .steps = score->steps,
                               .slices = score->slices,
                               .chosen = best};
    if (candidate.form == NULL || candidate.schedule == NULL) {
        return chm_no_memory;
    }
    chm_candidate* same = NULL;
    for (uint32_t i = 0; i < list->count; ++i) {
        chm_candidate* other = &list->items[i];
        other->chosen = other->chosen && !best;
        if (strcmp(other->form, candidate.form) == 0 &&
            strcmp(other->schedule, candidate.schedule) == 0) {
            same = other;
        }
    }
    if (same != NULL) {
        const chm_score had = {
            .cost = same->cost_cycles,
            .bytes = same->payload_bytes,
            .steps = same->steps,
        };
        if (best || chm_score_less(score, &had)) {
            *same = candidate;
        }
        return chm_ok;
    }
    void* items = list->items;
    chm_status status = chm_arena_grow(search->arena, &items, &list->capacity,
                                       (size_t)list->count + 1, sizeof candidate);
    if (status == chm_ok) {
        list->items = items;
        list->items[list->count++] = candidate;
    }
    return status;
}

chm_status chm_recipe_score(chm_search* search, const chm_recipe* recipe, bool complete,
                            chm_score* score, bool* fits) {
    chm_arena scratch;
    chm_arena_init(&scratch);
    chm_plan plan;
    chm_status status = chm_recipe_build(search, recipe, &scratch, &plan);
    *fits = status == chm_ok;
    if (status == chm_ok) {
        status = chm_estimate_plan(&plan, search->options->costs, &scratch, &score->cycles);
        score->bytes = plan.payload_bytes;
        score->steps = count_steps(&plan);
        score->transfers = plan.transfer_count;
        score->slices = plan.slices;
        score->cost = cost_of(search, score->cycles, plan.slices);
    } else if (status == chm_unsupported) {
        status = chm_ok;
    }
    chm_arena_free(&scratch);
    if (status != chm_ok || !*fits || !complete) {
        return status;
    }
    bool best = !search->found || chm_score_less(score, &search->best_score);
    if (best) {
        search->found = true;
        search->best = *recipe;
        search->best_score = *score;
    }
    return record(search, recipe, score, best);
}

chm_status chm_recipe_extend(chm_search* search, chm_recipe* recipe, const chm_stage* variants,
                             uint32_t count, bool complete, chm_score* score, bool* fits) {
    const uint32_t before = recipe->count;
    uint32_t best = count;
    *fits = false;
    for (uint32_t i = 0; i < count; ++i) {
        chm_score tried;
        bool this_fits = false;
        recipe->count = before;
        chm_status status = chm_recipe_push(recipe, &variants[i]);
        if (status == chm_ok) {
            status = chm_recipe_score(search, recipe, complete, &tried, &this_fits);
        }
        if (status != chm_ok) {
            return status;
        }
        if (this_fits && (best == count || chm_score_less(&tried, score))) {
            best = i;
            *score = tried;
            *fits = true;
        }
    }
    recipe->count = before;
    // Estimates of large plans cost time: what is behind already is not followed further.
    const uint32_t large_plan = 1024;
    if (*fits && !complete && search->found && score->transfers > large_plan &&
        score->cycles > search->best_score.cycles) {
        *fits = false;
    }
    return *fits ? chm_recipe_push(recipe, &variants[best]) : chm_ok;
}
