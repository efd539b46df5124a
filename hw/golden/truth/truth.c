// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/truth/truth.h"

#include <stdlib.h>

#include "hw/base/random.h"
#include "hw/golden/truth/truth_internal.h"

static const chm_layout* layout_of(const chm_truth* truth, uint32_t value) {
    const chm_tables* tables = &truth->workload->tables;
    uint32_t layout = tables->values[value].layout;
    return layout == CHM_NONE ? NULL : &tables->layouts[layout];
}

static bool is_routed_partial(const chm_layout* layout) {
    return layout != NULL && chm_layout_is_routed(layout) && chm_layout_is_partial(layout);
}

uint32_t chm_truth_row_addends(const chm_truth* truth, uint32_t value, uint64_t token) {
    uint32_t targets[chm_max_top_k];
    const chm_tables* tables = &truth->workload->tables;
    return is_routed_partial(layout_of(truth, value))
               ? chm_routing_targets(&tables->routings[truth->routing[value]], token, targets)
               : truth->addends[value];
}

// A line's values carry the code of the gating that comes next on it; what no gating follows
// carries the first routing's, so that column 0 is made alike everywhere.
static void find_routings(chm_truth* truth) {
    const chm_workload* workload = truth->workload;
    const chm_tables* tables = &workload->tables;
    for (uint32_t v = 0; v < tables->value_count; ++v) {
        truth->routing[v] = tables->values[v].routing;
    }
    for (uint32_t i = workload->operation_count; i-- > 0;) {
        const chm_operation* operation = &workload->operations[i];
        if (operation->result != CHM_NONE && operation->operand_count > 0) {
            uint32_t* before = &truth->routing[operation->operands[0].value];
            *before = *before == CHM_NONE ? truth->routing[operation->result] : *before;
        }
    }
    for (uint32_t v = 0; v < tables->value_count && tables->routing_count > 0; ++v) {
        truth->routing[v] = truth->routing[v] == CHM_NONE ? 0 : truth->routing[v];
    }
}

static chm_status check_value(const chm_truth* truth, uint32_t value,
                              chm_diagnostics* diagnostics) {
    const chm_tensor* tensor = chm_truth_tensor(truth, value);
    const char* name = chm_truth_value(truth, value)->name;
    if (tensor->element_bytes != sizeof(float)) {
        chm_diagnose(diagnostics, NULL, "value '%s': data with %u bytes an element; allowed: 4",
                     name, tensor->element_bytes);
        return chm_unsupported;
    }
    if (truth->addends[value] > chm_truth_most_addends) {
        chm_diagnose(diagnostics, NULL, "value '%s': data with %u addends; allowed: 1 .. %d", name,
                     truth->addends[value], chm_truth_most_addends);
        return chm_unsupported;
    }
    return chm_ok;
}

static chm_status prepare(chm_truth* truth, chm_diagnostics* diagnostics) {
    const chm_tables* tables = &truth->workload->tables;
    chm_status status = chm_ok;
    for (uint32_t v = 0; v < tables->value_count; ++v) {
        const chm_layout* layout = layout_of(truth, v);
        truth->addends[v] = 1;
        if (layout != NULL && !chm_layout_is_routed(layout)) {
            truth->addends[v] = chm_layout_holding(layout, chm_truth_tensor(truth, v), 0).addends;
        }
        if (is_routed_partial(layout) && tables->values[v].routing == CHM_NONE) {
            return chm_bad_argument;
        }
        chm_status fault = check_value(truth, v, diagnostics);
        status = status == chm_ok ? fault : status;
    }
    for (uint32_t r = 0; r < tables->routing_count; ++r) {
        if (2 * (uint64_t)tables->routings[r].dies >= chm_truth_code_range) {
            chm_diagnose(diagnostics, NULL, "routing over %u dies with data; allowed: 1 .. %d",
                         tables->routings[r].dies, chm_truth_code_range / 2 - 1);
            status = chm_unsupported;
        }
    }
    find_routings(truth);
    return status;
}

chm_status chm_truth_create(chm_truth** truth, const chm_workload* workload, uint64_t seed,
                            bool random_floats, chm_diagnostics* diagnostics) {
    *truth = NULL;
    chm_truth* made = calloc(1, sizeof *made);
    if (made == NULL) {
        return chm_no_memory;
    }
    size_t values = workload->tables.value_count + 1; // never a size of 0
    made->workload = workload;
    made->seed = seed;
    made->random_floats = random_floats;
    made->routing = calloc(values, sizeof *made->routing);
    made->addends = calloc(values, sizeof *made->addends);
    made->rows = calloc(values, sizeof *made->rows);
    made->owns_rows = calloc(values, sizeof *made->owns_rows);
    made->wanted = calloc(values, 1);
    bool allocated = made->routing != NULL && made->addends != NULL && made->rows != NULL &&
                     made->owns_rows != NULL && made->wanted != NULL;
    chm_status status = allocated ? prepare(made, diagnostics) : chm_no_memory;
    if (status != chm_ok) {
        chm_truth_free(made);
        return status;
    }
    *truth = made;
    return chm_ok;
}

void chm_truth_free(chm_truth* truth) {
    if (truth == NULL) {
        return;
    }
    for (uint32_t v = 0; truth->owns_rows != NULL && v < truth->workload->tables.value_count; ++v) {
        if (truth->owns_rows[v]) {
            free(truth->rows[v]);
        }
    }
    free(truth->routing);
    free(truth->addends);
    free(truth->rows);
    free(truth->owns_rows);
    free(truth->wanted);
    free(truth);
}

void chm_truth_input(const chm_truth* truth, uint32_t value, uint32_t addend, uint32_t addends,
                     uint64_t token, uint64_t width_begin, uint64_t width_end, float* out) {
    const chm_tables* tables = &truth->workload->tables;
    uint64_t key = chm_hash3(truth->seed, value, 0);
    uint64_t row = token * chm_truth_tensor(truth, value)->width;
    uint32_t routing = truth->routing[value];
    for (uint64_t column = width_begin; column < width_end; ++column) {
        float* element = &out[column - width_begin];
        if (column == 0 && routing != CHM_NONE) {
            uint32_t code = chm_routing_code(&tables->routings[routing], token);
            *element = chm_truth_coded(key, token, code, addend, addends);
        } else if (truth->random_floats) {
            *element = chm_truth_random(key, row + column, addend);
        } else {
            *element = chm_truth_count(key, row + column, addend, addends);
        }
    }
}
