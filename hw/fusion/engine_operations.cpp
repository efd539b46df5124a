// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hw/fusion/engine.h"

// Operations that execute inside runs: gating and what else was moved, and markers that run alone.

namespace chimera::fusion {

namespace {

uint64_t tile_id(uint32_t seq, uint32_t index) {
    return uint64_t{seq} << 32 | index;
}

} // namespace

void engine::operation_may_run(uint32_t seq, uint32_t operation, uint64_t now) {
    m_waiting.push_back({seq, operation});
    m_wakeup.at(now);
}

bool engine::operands_ready(const chm_operation& operation) const {
    for (uint32_t i = 1; i < operation.operand_count; ++i) {
        if (!m_context.values->ready(operation.operands[i])) {
            return false;
        }
    }
    return true;
}

// Gating takes the gating unit's rate; other operations take what the program says for the rows of
// the layout as written, scaled to the rows they work on here.
uint64_t engine::operation_cycles(const chm_operation& operation, uint64_t rows) const {
    if (operation.op_class == chm_class_transparent) {
        const uint64_t rate = m_params.gating_rows_per_cycle;
        return rate == 0 ? 0 : chm_ceil_div_u64(rows, rate);
    }
    const chm_tables& tables = m_context.workload->tables;
    const chm_operand& operand = operation.operands[0];
    const chm_layout& layout = tables.layouts[operand.layout];
    const uint32_t rank = chm_mesh_rank(&layout.mesh, m_context.die);
    const chm_tensor& tensor = tables.tensors[tables.values[operand.value].tensor];
    const chm_holding holding =
        chm_layout_holding(&layout, &tensor, rank == CHM_NO_RANK ? 0 : rank);
    uint64_t written = holding.rect.token_end - holding.rect.token_begin;
    if (chm_layout_is_routed(&layout)) {
        const uint64_t width = holding.rect.width_end - holding.rect.width_begin;
        written = m_context.values->uses().layout_bytes(operand.value, layout, m_context.die) /
                  std::max<uint64_t>(1, width * tensor.element_bytes);
    }
    return written == 0 ? 0 : chm_ceil_div_u64(operation.cycles * rows, written);
}

void engine::begin_operation(const waiting_operation& item, uint64_t now) {
    const run_instance& run = *m_by_seq.at(item.seq);
    const chm_plan_operation& planned = run.recipe->plan().operations[item.index];
    const chm_operation& operation = m_context.workload->operations[planned.seq];
    if (m_context.recorder != nullptr) {
        m_context.recorder->operation_begins(m_context.die, item.seq, item.index, operation);
    }
    const uint64_t cycles = operation_cycles(operation, run.program->operation_rows[item.index]);
    if (m_params.gating_on_compute && cycles != 0) {
        m_context.meter->compute_begins(now);
        const uint64_t end =
            m_context.array->put_between_tiles(tile_id(item.seq, item.index), cycles, *this, now);
        tell_operation(planned.seq, end - cycles, end);
        return;
    }
    const uint64_t end = m_pipeline.gate(now, cycles);
    m_agenda.add(end, {due_kind::operation, item.seq, item.index});
    m_wakeup.at(end);
    tell_operation(planned.seq, end - cycles, end);
}

void engine::tile_work_done(uint64_t id, uint64_t now) {
    m_context.meter->compute_ends(now);
    m_agenda.add(now, {due_kind::operation, static_cast<uint32_t>(id >> 32),
                       static_cast<uint32_t>(id & UINT32_MAX)});
    m_wakeup.at(now);
}

void engine::end_operation(uint32_t seq, uint32_t index, uint64_t now) {
    const run_instance& run = *m_by_seq.at(seq);
    const chm_plan_operation& planned = run.recipe->plan().operations[index];
    m_last_completion = std::max(m_last_completion, now);
    if (m_context.values->data_on()) {
        m_context.mover->data(seq).operate(index, m_context.workload->operations[planned.seq]);
    }
    m_context.mover->operation_done(seq, index, now);
}

} // namespace chimera::fusion
