// SPDX-License-Identifier: Apache-2.0
#include "hw/compute/systolic_array.h"

#include <algorithm>

#include "hw/base/checked.h"

namespace chimera::compute {

systolic_array::systolic_array(const sc_core::sc_module_name& name, const array_context& context)
    : sc_module(name), m_context(context), m_wakeup("wakeup", context.clock_khz) {
    SC_METHOD(activate);
    sensitive << m_wakeup.event();
    dont_initialize();
    m_context.values->add_listener(this);
}

void systolic_array::push(uint32_t seq, uint64_t now) {
    m_queue.push_back(seq);
    m_wakeup.at(now);
}

uint64_t systolic_array::put_between_tiles(uint64_t id, uint64_t cycles, tile_client& client,
                                           uint64_t now) {
    const uint64_t begin = std::max(next_boundary(now), m_tile_free);
    m_tile_free = begin + cycles;
    if (m_running && begin < m_end) {
        m_start += cycles;
        m_end += cycles;
    }
    m_tiles.add(m_tile_free, {id, &client});
    m_wakeup.at(m_tile_free);
    return m_tile_free;
}

void systolic_array::set_observer(trace::observer* observer, uint64_t now) {
    m_trace = observer;
    tell(m_running ? m_queue.front() : trace::none, now);
}

void systolic_array::tell(uint32_t seq, uint64_t now) {
    if (m_trace != nullptr) {
        m_trace->compute(m_context.values->die(), seq, now);
    }
}

uint64_t systolic_array::next_boundary(uint64_t now) const {
    if (!m_running || now <= m_start) {
        return now;
    }
    const uint64_t tile = m_context.params->array_rows + m_context.params->array_columns;
    return std::min(m_end, m_start + chm_ceil_div_u64(now - m_start, tile) * tile);
}

void systolic_array::activate() {
    const uint64_t now = m_wakeup.fired();
    tile_work work = {};
    while (m_tiles.take(now, work)) {
        m_last_completion = std::max(m_last_completion, now);
        work.client->tile_work_done(work.id, now);
    }
    if (m_running && m_end <= now) {
        finish(now);
    }
    try_start(now);
    if (m_running) {
        m_wakeup.at(m_end);
    }
    if (!m_tiles.empty()) {
        m_wakeup.at(m_tiles.next());
    }
}

void systolic_array::finish(uint64_t now) {
    const uint32_t seq = m_queue.front();
    const chm_operation& operation = m_context.values->uses().workload().operations[seq];
    m_queue.pop_front();
    m_running = false;
    m_context.meter->compute_ends(now);
    tell(trace::none, now);
    m_last_completion = std::max(m_last_completion, now);
    if (m_context.values->watcher() != nullptr) {
        m_context.values->watcher()->computed(m_context.values->die(), operation, now);
    }
    if (operation.result != CHM_NONE) {
        if (m_context.results != nullptr) {
            m_context.results->make_result(operation, now);
        }
        m_context.values->raise(operation.result, now);
    }
    m_context.values->finish_uses(operation, now);
}

bool systolic_array::ready(const chm_operation& operation) const {
    for (uint32_t i = 0; i < operation.operand_count; ++i) {
        if (!m_context.values->ready(operation.operands[i])) {
            return false;
        }
    }
    return operation.result == CHM_NONE ||
           m_context.values->buffer_free(operation.result, &operation.seq, 1);
}

void systolic_array::try_start(uint64_t now) {
    // A compute of no cycles ends where it starts, so several may pass in one cycle.
    while (!m_running && !m_queue.empty()) {
        const memory::use_table& uses = m_context.values->uses();
        const chm_operation& operation = uses.workload().operations[m_queue.front()];
        if (!ready(operation)) {
            return;
        }
        if (m_tile_free > now) {
            m_wakeup.at(m_tile_free);
            return;
        }
        if (operation.result != CHM_NONE) {
            const chm_tables& tables = uses.workload().tables;
            const chm_layout& layout = tables.layouts[tables.values[operation.result].layout];
            m_context.values->allocate(
                operation.result,
                uses.layout_bytes(operation.result, layout, m_context.values->die()));
        }
        m_running = true;
        m_start = now;
        m_end = now + operation.cycles;
        m_context.meter->compute_begins(now);
        tell(m_queue.front(), now);
        if (operation.cycles == 0) {
            finish(now);
        }
    }
}

void systolic_array::describe_stuck(std::string& text) const {
    if (m_queue.empty() || m_running) {
        return;
    }
    const chm_workload& workload = m_context.values->uses().workload();
    const chm_operation& operation = workload.operations[m_queue.front()];
    const std::string who = "die " + std::to_string(m_context.values->die()) + ": compute " +
                            std::to_string(operation.seq) + " (" +
                            (operation.name != nullptr ? operation.name : "") + ") waits for ";
    for (uint32_t i = 0; i < operation.operand_count; ++i) {
        if (!m_context.values->ready(operation.operands[i])) {
            const char* value = workload.tables.values[operation.operands[i].value].name;
            text += who + "value " + (value != nullptr ? value : "") + "\n";
            return;
        }
    }
    text += who + "its result's buffer\n";
}

} // namespace chimera::compute
