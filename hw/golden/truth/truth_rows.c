// SPDX-License-Identifier: Apache-2.0
#include "hw/golden/truth/truth_internal.h"

#include <stdlib.h>
#include <string.h>

#include "hw/base/checked.h"

static chm_status make_input(const chm_truth* truth, uint32_t value, float* rows) {
    const chm_tensor* tensor = chm_truth_tensor(truth, value);
    float* addend = malloc((size_t)tensor->width * sizeof *addend);
    if (addend == NULL) {
        return chm_no_memory;
    }
    for (uint64_t token = 0; token < tensor->tokens; ++token) {
        float* row = rows + token * tensor->width;
        uint32_t addends = chm_truth_row_addends(truth, value, token);
        chm_truth_input(truth, value, 0, addends, token, 0, tensor->width, row);
        for (uint32_t a = 1; a < addends; ++a) {
            chm_truth_input(truth, value, a, addends, token, 0, tensor->width, addend);
            for (uint64_t column = 0; column < tensor->width; ++column) {
                row[column] += addend[column];
            }
        }
    }
    free(addend);
    return chm_ok;
}

chm_status chm_truth_apply(const chm_truth* truth, const chm_operation* operation, uint64_t token,
                           const float* in, uint64_t width, uint64_t width_begin,
                           uint64_t width_end, float* out) {
    if (operation->operand_count <= 1) {
        chm_truth_compute(operation, in, width, width_begin, width_end, out);
        return chm_ok;
    }
    float* sum = malloc((size_t)width * sizeof *sum);
    if (sum == NULL) {
        return chm_no_memory;
    }
    memcpy(sum, in, (size_t)width * sizeof *sum);
    bool coded = truth->workload->tables.routing_count > 0;
    chm_status status = chm_ok;
    for (uint32_t i = 1; status == chm_ok && i < operation->operand_count; ++i) {
        uint32_t other = operation->operands[i].value;
        const chm_tensor* tensor = chm_truth_tensor(truth, other);
        if (tensor->width != width || token >= tensor->tokens) {
            continue; // weights and the like: their effect is the operation's own function
        }
        const float* row = chm_truth_row(truth, other, token);
        status = row == NULL ? chm_no_memory : chm_ok;
        for (uint64_t column = coded ? 1 : 0; row != NULL && column < width; ++column) {
            sum[column] += row[column];
        }
    }
    if (status == chm_ok) {
        chm_truth_compute(operation, sum, width, width_begin, width_end, out);
    }
    free(sum);
    return status;
}

// Where the result has another shape than the operand (a matrix product), the operand's rows are
// taken in turn and repeated or cut to the width.
static chm_status make_computed(const chm_truth* truth, const chm_operation* operation,
                                float* rows) {
    const chm_tensor* tensor = chm_truth_tensor(truth, operation->result);
    if (operation->operand_count == 0) {
        return make_input(truth, operation->result, rows);
    }
    uint32_t operand = operation->operands[0].value;
    const chm_tensor* from = chm_truth_tensor(truth, operand);
    float* in = malloc((size_t)tensor->width * sizeof *in);
    chm_status status = in == NULL ? chm_no_memory : chm_ok;
    for (uint64_t token = 0; status == chm_ok && token < tensor->tokens; ++token) {
        const float* source = truth->rows[operand] + token % from->tokens * from->width;
        float* row = rows + token * tensor->width;
        for (uint64_t column = 0; column < tensor->width; ++column) {
            in[column] = source[column % from->width];
        }
        status = chm_truth_apply(truth, operation, token, in, tensor->width, 0, tensor->width, row);
        uint32_t addends = chm_truth_row_addends(truth, operation->result, token);
        for (uint64_t column = 0; column < tensor->width && addends > 1; ++column) {
            float whole = row[column];
            row[column] = chm_truth_part(whole, column, 0, addends);
            for (uint32_t a = 1; a < addends; ++a) {
                row[column] += chm_truth_part(whole, column, a, addends);
            }
        }
    }
    free(in);
    return status;
}

static chm_status make_value(const chm_truth* truth, uint32_t value) {
    uint32_t producer = chm_truth_value(truth, value)->producer;
    const chm_operation* operation =
        producer == CHM_NONE ? NULL : &truth->workload->operations[producer];
    if (operation != NULL && operation->kind == chm_operation_collective) {
        truth->rows[value] = truth->rows[operation->operands[0].value];
        return chm_ok;
    }
    const chm_tensor* tensor = chm_truth_tensor(truth, value);
    uint64_t elements;
    if (!chm_mul_u64(tensor->tokens, tensor->width, &elements) || elements > SIZE_MAX / 8) {
        return chm_overflow;
    }
    float* rows = malloc((size_t)(elements == 0 ? 1 : elements) * sizeof *rows);
    if (rows == NULL) {
        return chm_no_memory;
    }
    chm_status status =
        operation == NULL ? make_input(truth, value, rows) : make_computed(truth, operation, rows);
    if (status != chm_ok) {
        free(rows);
        return status;
    }
    truth->rows[value] = rows;
    truth->owns_rows[value] = true;
    return chm_ok;
}

// Works out a value: what it depends on is found going back over the common list, then made going
// forward, so that long lines need no recursion.
static chm_status make_rows(const chm_truth* truth, uint32_t value) {
    const chm_workload* workload = truth->workload;
    memset(truth->wanted, 0, workload->tables.value_count);
    truth->wanted[value] = 1;
    for (uint32_t i = workload->operation_count; i-- > 0;) {
        const chm_operation* operation = &workload->operations[i];
        bool wanted = operation->result != CHM_NONE && truth->wanted[operation->result] &&
                      truth->rows[operation->result] == NULL;
        for (uint32_t k = 0; wanted && k < operation->operand_count; ++k) {
            truth->wanted[operation->operands[k].value] = 1;
        }
    }
    chm_status status = chm_ok;
    for (uint32_t v = 0; status == chm_ok && v < workload->tables.value_count; ++v) {
        if (truth->wanted[v] && truth->rows[v] == NULL &&
            chm_truth_value(truth, v)->producer == CHM_NONE) {
            status = make_value(truth, v);
        }
    }
    for (uint32_t i = 0; status == chm_ok && i < workload->operation_count; ++i) {
        uint32_t result = workload->operations[i].result;
        if (result != CHM_NONE && truth->wanted[result] && truth->rows[result] == NULL) {
            status = make_value(truth, result);
        }
    }
    return status;
}

const float* chm_truth_row(const chm_truth* truth, uint32_t value, uint64_t token) {
    if (truth->rows[value] == NULL && make_rows(truth, value) != chm_ok) {
        return NULL;
    }
    return truth->rows[value] + token * chm_truth_tensor(truth, value)->width;
}
