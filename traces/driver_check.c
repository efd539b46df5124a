// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "hw/base/checked.h"
#include "traces/driver_state.h"

// Refuses programs that do not make sense, with one message per fault.

static const chm_layout* layout_at(const chm_driver* driver, uint32_t layout) {
    return &driver->tables->layouts[layout];
}

static const chm_routing* routing_of(const chm_driver* driver, const chm_value* value) {
    return value->routing == CHM_NONE ? NULL : &driver->tables->routings[value->routing];
}

static bool check_die(const chm_driver* driver, const chm_layout* layout, const char* what,
                      const chm_operation* operation) {
    for (uint32_t rank = 0; rank < chm_mesh_size(&layout->mesh); ++rank) {
        if (layout->mesh.dies[rank] >= driver->dies) {
            chm_diagnose(driver->diagnostics, &operation->origin,
                         "%s: its %s is on die %u; there are %u dies", operation->name, what,
                         layout->mesh.dies[rank], driver->dies);
            return false;
        }
    }
    return true;
}

enum { pair_new = 0, pair_sound, pair_faulty };

// Every (layout, tensor) pair is checked once, where it is first used.
static bool check_layout(const chm_driver* driver, uint8_t* seen, const chm_value* value,
                         uint32_t layout, const char* what, const chm_operation* operation) {
    uint8_t* pair = &seen[(size_t)layout * driver->tables->tensor_count + value->tensor];
    if (*pair != pair_new) {
        return *pair == pair_sound;
    }
    const chm_tensor* tensor = &driver->tables->tensors[value->tensor];
    bool sound = chm_layout_check(layout_at(driver, layout), tensor, routing_of(driver, value),
                                  &operation->origin, driver->diagnostics) == chm_ok &&
                 check_die(driver, layout_at(driver, layout), what, operation);
    *pair = sound ? pair_sound : pair_faulty;
    return sound;
}

static bool check_indices(const chm_driver* driver, const chm_operation* operation, bool* written) {
    const chm_tables* tables = driver->tables;
    const char* fault = NULL;
    bool wants_communicator = operation->kind != chm_operation_compute;
    uint32_t least = 1;
    uint32_t most = operation->kind == chm_operation_compute ? chm_max_operands : 1;
    if (operation->operand_count < least || operation->operand_count > most) {
        fault = "wrong number of operands";
    }
    for (uint32_t i = 0; fault == NULL && i < operation->operand_count; ++i) {
        const chm_operand* operand = &operation->operands[i];
        if (operand->value >= tables->value_count || operand->layout >= tables->layout_count) {
            fault = "an operand is undefined";
        } else if (tables->values[operand->value].producer != CHM_NONE &&
                   tables->values[operand->value].producer >= operation->seq) {
            fault = "an operand is read before it is written (a cycle)";
        }
    }
    if (fault == NULL && wants_communicator &&
        operation->communicator >= tables->communicator_count) {
        fault = "it has no communicator";
    }
    uint32_t result = operation->result;
    if (fault == NULL && operation->kind == chm_operation_collective && result == CHM_NONE) {
        fault = "a collective writes a value";
    } else if (fault == NULL && result != CHM_NONE) {
        if (result >= tables->value_count || operation->kind == chm_operation_wait) {
            fault = "its result is undefined";
        } else if (written[result] || tables->values[result].producer != operation->seq) {
            fault = "its result is written twice";
        } else {
            written[result] = true;
        }
    }
    if (fault != NULL) {
        chm_diagnose(driver->diagnostics, &operation->origin, "%s: %s", operation->name, fault);
    }
    return fault == NULL;
}

// A read must be what was produced, or a slice or embedding of it.
static void check_follows(const chm_driver* driver, const chm_operation* operation,
                          const chm_operand* operand) {
    const chm_value* value = &driver->tables->values[operand->value];
    const chm_tensor* tensor = &driver->tables->tensors[value->tensor];
    const chm_layout* made = layout_at(driver, value->layout);
    const chm_layout* read = layout_at(driver, operand->layout);
    bool computes = operation->kind == chm_operation_compute;
    char have[160];
    char want[160];
    if (operand->layout != value->layout && !chm_layout_same(made, read, tensor) &&
        !chm_layout_slices_to(made, read, tensor, routing_of(driver, value)) &&
        !chm_layout_embeds_to(made, read, tensor)) {
        chm_diagnose(driver->diagnostics, &operation->origin,
                     "%s: value '%s' is %s, which does not give %s by slicing or embedding",
                     operation->name, value->name, chm_layout_format(made, have, sizeof have),
                     chm_layout_format(read, want, sizeof want));
    }
    if (computes && chm_layout_is_partial(read)) {
        chm_diagnose(driver->diagnostics, &operation->origin,
                     "%s: value '%s' is read as %s; only collectives read addends", operation->name,
                     value->name, chm_layout_format(read, want, sizeof want));
    }
}

static bool same_dies(const chm_die_mesh* a, const chm_die_mesh* b) {
    if (chm_mesh_size(a) != chm_mesh_size(b)) {
        return false;
    }
    for (uint32_t rank = 0; rank < chm_mesh_size(a); ++rank) {
        if (chm_mesh_rank(b, a->dies[rank]) == CHM_NO_RANK) {
            return false;
        }
    }
    return true;
}

static void check_compute(const chm_driver* driver, const chm_operation* operation) {
    const chm_value* first = &driver->tables->values[operation->operands[0].value];
    const chm_tensor* tensor = &driver->tables->tensors[first->tensor];
    const chm_layout* on = layout_at(driver, operation->operands[0].layout);
    const chm_value* result =
        operation->result == CHM_NONE ? NULL : &driver->tables->values[operation->result];
    bool movable = operation->op_class != chm_class_opaque;
    const char* fault = NULL;
    for (uint32_t i = 1; i < operation->operand_count; ++i) {
        if (!same_dies(&on->mesh, &layout_at(driver, operation->operands[i].layout)->mesh)) {
            fault = "its operands are on different dies";
        }
    }
    if (result != NULL && !same_dies(&on->mesh, &layout_at(driver, result->layout)->mesh)) {
        fault = "its result is on other dies than its operands";
    }
    if (fault == NULL && movable && result != NULL &&
        (result->tensor != first->tensor ||
         !chm_layout_same(on, layout_at(driver, result->layout), tensor))) {
        fault = "a movable operation writes the layout (and tensor) of its first operand";
    }
    if (fault == NULL &&
        (operation->op_class == chm_class_transparent ||
         operation->op_class == chm_class_row_wise) &&
        !chm_layout_rows_complete(on)) {
        fault = "it needs complete rows";
    }
    if (fault == NULL && movable && chm_driver_mixes_copies(driver, operation)) {
        fault = "of its operands some are routed copies, of which a die has not the rows of the "
                "others";
    }
    if (fault != NULL) {
        chm_diagnose(driver->diagnostics, &operation->origin, "%s: %s", operation->name, fault);
    }
}

static bool communicator_has(const chm_driver* driver, const chm_communicator* c, uint32_t die) {
    return chm_mesh_rank(&layout_at(driver, c->layout)->mesh, die) != CHM_NO_RANK ||
           (c->other_layout != CHM_NONE &&
            chm_mesh_rank(&layout_at(driver, c->other_layout)->mesh, die) != CHM_NO_RANK);
}

static void check_members(const chm_driver* driver, const chm_operation* operation,
                          const chm_layout* layout) {
    const chm_communicator* c = &driver->tables->communicators[operation->communicator];
    for (uint32_t rank = 0; rank < chm_mesh_size(&layout->mesh); ++rank) {
        if (!communicator_has(driver, c, layout->mesh.dies[rank])) {
            chm_diagnose(driver->diagnostics, &operation->origin,
                         "%s: die %u is not in communicator '%s'", operation->name,
                         layout->mesh.dies[rank], c->name);
            return;
        }
    }
}

static void check_collective(const chm_driver* driver, const chm_operation* operation) {
    const chm_value* in = &driver->tables->values[operation->operands[0].value];
    const chm_value* out = &driver->tables->values[operation->result];
    const chm_layout* from = layout_at(driver, operation->operands[0].layout);
    const chm_layout* to = layout_at(driver, out->layout);
    const char* fault = in->tensor != out->tensor
                            ? "a collective writes the tensor that it reads"
                            : chm_collective_fault(operation->collective, from, to);
    if (fault != NULL) {
        char have[160];
        char want[160];
        chm_diagnose(driver->diagnostics, &operation->origin, "%s from %s to %s: %s",
                     operation->name, chm_layout_format(from, have, sizeof have),
                     chm_layout_format(to, want, sizeof want), fault);
        return;
    }
    check_members(driver, operation, from);
    check_members(driver, operation, to);
}

static void check_wait(const chm_driver* driver, const chm_operation* operation) {
    const chm_communicator* c = &driver->tables->communicators[operation->communicator];
    const chm_layout* layout = layout_at(driver, operation->operands[0].layout);
    if (operation->waiting_die != CHM_NONE &&
        (chm_mesh_rank(&layout->mesh, operation->waiting_die) == CHM_NO_RANK ||
         !communicator_has(driver, c, operation->waiting_die))) {
        chm_diagnose(driver->diagnostics, &operation->origin,
                     "%s: die %u does not hold what it waits for", operation->name,
                     operation->waiting_die);
    }
    if (operation->waiting_die == CHM_NONE &&
        !same_dies(&layout->mesh, &layout_at(driver, c->layout)->mesh)) {
        chm_diagnose(driver->diagnostics, &operation->origin,
                     "%s: the dies of communicator '%s' do not hold what they wait for",
                     operation->name, c->name);
    }
}

// Experts: exact balance needs at least dies x k tokens.
static void check_routing(const chm_driver* driver, bool* seen, const chm_operation* operation) {
    const chm_value* value =
        operation->result == CHM_NONE ? NULL : &driver->tables->values[operation->result];
    if (value == NULL || value->routing == CHM_NONE || seen[value->tensor]) {
        return;
    }
    const chm_routing* routing = routing_of(driver, value);
    const chm_tensor* tensor = &driver->tables->tensors[value->tensor];
    uint64_t least = (uint64_t)routing->dies * routing->top_k;
    seen[value->tensor] = true;
    if (routing->top_k < 1 || routing->top_k > chm_max_top_k || routing->top_k > routing->dies) {
        chm_diagnose(driver->diagnostics, &operation->origin,
                     "routing: top_k is %u; allowed: 1 .. %u, the dies that experts are on",
                     routing->top_k,
                     routing->dies < chm_max_top_k ? routing->dies : (uint32_t)chm_max_top_k);
    }
    if (tensor->tokens < least) {
        chm_diagnose(driver->diagnostics, &operation->origin,
                     "routing: %llu tokens; allowed: at least %u dies x top_k %u = %llu",
                     (unsigned long long)tensor->tokens, routing->dies, routing->top_k,
                     (unsigned long long)least);
    }
}

static void check_operation(chm_driver* driver, const chm_operation* operation, uint8_t* seen) {
    const chm_value* values = driver->tables->values;
    bool sound = true;
    for (uint32_t i = 0; i < operation->operand_count; ++i) {
        const chm_operand* operand = &operation->operands[i];
        const chm_value* value = &values[operand->value];
        sound = check_layout(driver, seen, value, value->layout, "operand", operation) && sound;
        sound = check_layout(driver, seen, value, operand->layout, "operand", operation) && sound;
    }
    if (operation->result != CHM_NONE) {
        const chm_value* value = &values[operation->result];
        sound = check_layout(driver, seen, value, value->layout, "result", operation) && sound;
    }
    if (!sound) {
        return;
    }
    for (uint32_t i = 0; i < operation->operand_count; ++i) {
        check_follows(driver, operation, &operation->operands[i]);
    }
    switch (operation->kind) {
    case chm_operation_collective: check_collective(driver, operation); break;
    case chm_operation_compute: check_compute(driver, operation); break;
    case chm_operation_wait: check_wait(driver, operation); break;
    }
}

chm_status chm_driver_check(chm_driver* driver) {
    const chm_tables* tables = driver->tables;
    uint32_t before = driver->diagnostics->errors;
    uint8_t* seen = chm_arena_alloc(
        driver->arena, (size_t)tables->layout_count * tables->tensor_count, sizeof *seen);
    bool* routed = chm_arena_alloc(driver->arena, tables->tensor_count, sizeof *routed);
    bool* written = chm_arena_alloc(driver->arena, tables->value_count, sizeof *written);
    if (seen == NULL || routed == NULL || written == NULL) {
        return chm_no_memory;
    }
    for (uint32_t seq = 0; seq < driver->program->operation_count; ++seq) {
        const chm_operation* operation = &driver->program->operations[seq];
        if (check_indices(driver, operation, written)) {
            check_operation(driver, operation, seen);
            check_routing(driver, routed, operation);
        }
    }
    return driver->diagnostics->errors == before ? chm_ok : chm_bad_input;
}
