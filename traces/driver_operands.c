// SPDX-License-Identifier: Apache-2.0
#include "traces/driver_state.h"

// The other operands of movable operations: in which layout each is needed, and so where the
// operation may stand.

static const chm_layout* layout_at(const chm_driver* driver, uint32_t layout) {
    return &driver->tables->layouts[layout];
}

static const chm_tensor* tensor_of(const chm_driver* driver, uint32_t value) {
    return &driver->tables->tensors[driver->tables->values[value].tensor];
}

// Operands of another shape are weights, whose places `weights_on` lists.
static bool is_beside(const chm_driver* driver, const chm_operation* operation, uint32_t operand) {
    const chm_tensor* first = tensor_of(driver, operation->operands[0].value);
    const chm_tensor* other = tensor_of(driver, operation->operands[operand].value);
    return operand > 0 && first->tokens == other->tokens && first->width == other->width &&
           first->element_bytes == other->element_bytes;
}

bool chm_driver_mixes_copies(const chm_driver* driver, const chm_operation* operation) {
    const bool copies = chm_layout_is_routed(layout_at(driver, operation->operands[0].layout));
    for (uint32_t i = 1; i < operation->operand_count; ++i) {
        const chm_layout* other = layout_at(driver, operation->operands[i].layout);
        if (is_beside(driver, operation, i) && chm_layout_is_routed(other) != copies) {
            return true;
        }
    }
    return false;
}

static bool is_plain(const chm_layout* layout) {
    return !chm_layout_is_routed(layout) && !chm_layout_is_partial(layout);
}

// The layout that an all-gather of its own line gathers `value` from, if nobody but the reader asks
// for the gathered value; CHM_NONE if there is none.
static uint32_t gathered_from(const chm_driver* driver, uint32_t value) {
    uint32_t producer = driver->tables->values[value].producer;
    bool alone = driver->first_reader[value + 1] - driver->first_reader[value] == 1;
    if (producer == CHM_NONE || !alone || driver->previous[producer] != CHM_NONE) {
        return CHM_NONE;
    }
    const chm_operation* gather = &driver->program->operations[producer];
    uint32_t layout = gather->operands[0].layout;
    bool gathers = gather->kind == chm_operation_collective && gather->collective == chm_all_gather;
    return gathers && is_plain(layout_at(driver, layout)) ? layout : CHM_NONE;
}

// Add(x, A-G(z)) = A-G(Add(x, z)), where x and the sum are cut as z is: the join needs no more of
// the gathered value than what was gathered from. The engine delivers that to a reader inside the
// window of the gathering; to one further away it gathers as written.
static void look_through_gather(chm_driver* driver, chm_operation* join, uint32_t operand) {
    uint32_t value = join->operands[operand].value;
    uint32_t layout = gathered_from(driver, value);
    if (layout == CHM_NONE || driver->program->lookahead == chm_lookahead_none) {
        return;
    }
    const chm_value* gathered = &driver->tables->values[value];
    const chm_operation* gather = &driver->program->operations[gathered->producer];
    uint32_t window = driver->tables->communicators[gather->communicator].window_depth;
    chm_reader* reader = &driver->readers[driver->first_reader[value]];
    if (window > 1 && reader->distance < window &&
        chm_layout_slices_to(layout_at(driver, gathered->layout), layout_at(driver, layout),
                             tensor_of(driver, value), NULL)) {
        reader->layout = layout;
        join->operands[operand].layout = layout;
        driver->idle[gathered->producer] = true;
    }
}

static bool weights_cover(const chm_driver* driver, const chm_operation* operation,
                          const chm_layout* place) {
    for (uint32_t i = 0; i < operation->available_count; ++i) {
        uint32_t layout = driver->tables->available[operation->first_available + i];
        const chm_die_mesh* mesh = &layout_at(driver, layout)->mesh;
        bool covers = true;
        for (uint32_t rank = 0; rank < chm_mesh_size(&place->mesh) && covers; ++rank) {
            covers = chm_mesh_rank(mesh, place->mesh.dies[rank]) != CHM_NO_RANK;
        }
        if (covers) {
            return true;
        }
    }
    return operation->available_count == 0;
}

// Every other operand can be cut to what `layout` has of it, and weights are there.
static bool can_stand(const chm_driver* driver, const chm_operation* operation, uint32_t layout) {
    const chm_layout* place = layout_at(driver, layout);
    const chm_tensor* tensor = tensor_of(driver, operation->operands[0].value);
    bool can = is_plain(place) && weights_cover(driver, operation, place);
    for (uint32_t i = 1; i < operation->operand_count && can; ++i) {
        const chm_layout* there = layout_at(driver, operation->operands[i].layout);
        can = !is_beside(driver, operation, i) ||
              (is_plain(there) && chm_layout_slices_to(there, place, tensor, NULL));
    }
    return can;
}

// The layouts at which all other operands are there: those in which they are read themselves, else
// only where the program wrote the operation.
static void list_places(chm_driver* driver, chm_operation* operation) {
    uint32_t first = driver->available_count;
    for (uint32_t i = 1; i < operation->operand_count; ++i) {
        uint32_t layout = operation->operands[i].layout;
        bool listed = false;
        for (uint32_t k = first; k < driver->available_count; ++k) {
            listed = listed || driver->available[k] == layout;
        }
        if (is_beside(driver, operation, i) && !listed && can_stand(driver, operation, layout)) {
            driver->available[driver->available_count++] = layout;
        }
    }
    if (driver->available_count == first) {
        driver->available[driver->available_count++] = operation->operands[0].layout;
    }
    operation->first_available = first;
    operation->available_count = driver->available_count - first;
}

static bool has_others(const chm_driver* driver, const chm_operation* operation) {
    for (uint32_t i = 1; i < operation->operand_count; ++i) {
        if (is_beside(driver, operation, i)) {
            return true;
        }
    }
    return false;
}

static bool is_made_by(const chm_driver* driver, uint32_t value, chm_collective_kind a,
                       chm_collective_kind b) {
    uint32_t producer = driver->tables->values[value].producer;
    if (producer == CHM_NONE) {
        return false;
    }
    const chm_operation* made = &driver->operations[producer];
    return made->kind == chm_operation_collective &&
           (made->collective == a || made->collective == b);
}

// An addition may take its operands in any order: the line goes on through the sum, and what is
// gathered stands beside it.
static void continue_sum(const chm_driver* driver, chm_operation* join) {
    chm_operand* first = &join->operands[0];
    bool gathered = is_made_by(driver, first->value, chm_all_gather, chm_all_gather);
    for (uint32_t i = 1; i < join->operand_count && gathered; ++i) {
        chm_operand* other = &join->operands[i];
        if (other->layout == first->layout && is_beside(driver, join, i) &&
            is_made_by(driver, other->value, chm_all_reduce, chm_reduce_scatter)) {
            const chm_operand sum = *other;
            *other = *first;
            *first = sum;
            return;
        }
    }
}

chm_status chm_driver_order(chm_driver* driver) {
    uint32_t count = driver->program->operation_count;
    for (uint32_t seq = 0; seq < count; ++seq) {
        chm_operation* operation = &driver->operations[seq];
        if (operation->kind == chm_operation_compute && operation->op_class == chm_class_linear) {
            continue_sum(driver, operation);
        }
    }
    return chm_ok;
}

static chm_status copy_available(chm_driver* driver) {
    const chm_program* program = driver->program;
    uint32_t listed = program->tables.available_count;
    size_t most = listed + (size_t)program->operation_count * chm_max_operands;
    driver->available = chm_arena_alloc(driver->arena, most, sizeof *driver->available);
    driver->idle = chm_arena_alloc(driver->arena, program->operation_count, sizeof *driver->idle);
    if (driver->available == NULL || driver->idle == NULL) {
        return chm_no_memory;
    }
    for (uint32_t i = 0; i < listed; ++i) {
        driver->available[i] = program->tables.available[i];
    }
    driver->available_count = listed;
    return chm_ok;
}

chm_status chm_driver_operands(chm_driver* driver) {
    chm_status status = copy_available(driver);
    for (uint32_t seq = 0; seq < driver->program->operation_count && status == chm_ok; ++seq) {
        chm_operation* operation = &driver->operations[seq];
        bool marker = driver->queued[seq] && operation->kind == chm_operation_compute;
        if (!marker || operation->op_class == chm_class_transparent ||
            !has_others(driver, operation)) {
            continue;
        }
        for (uint32_t i = 1; i < operation->operand_count; ++i) {
            if (operation->op_class == chm_class_linear && is_beside(driver, operation, i)) {
                look_through_gather(driver, operation, i);
            }
        }
        list_places(driver, operation);
    }
    return status;
}
