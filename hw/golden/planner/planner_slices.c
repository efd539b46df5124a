// SPDX-License-Identifier: Apache-2.0
#include "hw/base/checked.h"
#include "hw/golden/planner/planner_search.h"

// How many slices a plan runs in. A slice goes through the phases on its own, so that phases
// overlap: the run takes about one phase of the slowest port and the other phases of one slice.
// Each slice costs set-ups, and where its pieces are small, parts of packets.

static chm_status search_with(chm_search* search, uint64_t slices) {
    search->slices = (uint32_t)chm_max_u64(1, chm_min_u64(slices, search->request->tensor.tokens));
    return chm_search_all(search);
}

// The best recipe so far in another number of slices; *better tells whether it has become the best.
static chm_status try_best_with(chm_search* search, uint64_t slices, bool* better) {
    *better = false;
    if (slices == 0 || slices > search->request->tensor.tokens) {
        return chm_ok;
    }
    const chm_recipe recipe = search->best;
    const uint64_t before = search->best_score.cost;
    chm_score score;
    bool fits;
    search->slices = (uint32_t)slices;
    chm_status status = chm_recipe_score(search, &recipe, true, &score, &fits);
    *better = search->best_score.cost < before;
    return status;
}

chm_status chm_search_slices(chm_search* search) {
    const chm_tensor* tensor = &search->request->tensor;
    const uint64_t chunk = search->options->chunk_bytes;
    if (chunk != 0) {
        uint64_t row = tensor->width * tensor->element_bytes;
        uint64_t rows = chm_max_u64(1, chunk / chm_max_u64(1, row));
        return search_with(search, chm_ceil_div_u64(tensor->tokens, rows));
    }
    chm_status status = search_with(search, 1);
    if (status == chm_ok && tensor->tokens > 1) {
        status = search_with(search, chm_streamed_slices);
    }
    bool better = search->found;
    while (better && status == chm_ok) { // upwards, else downwards
        status = try_best_with(search, 2 * (uint64_t)search->best_score.slices, &better);
    }
    better = search->found;
    while (better && status == chm_ok) {
        status = try_best_with(search, search->best_score.slices / 2, &better);
    }
    return status;
}
