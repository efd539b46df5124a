// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "hw/fusion/engine.h"

// The engine's back: runs from issue to retire.

namespace chimera::fusion {

void engine::issue(uint64_t now) {
    run_instance& run = *m_planned.front();
    m_planned.pop_front();
    const std::vector<uint32_t>& members = run.recipe->members();
    m_planned_descriptors -= static_cast<uint32_t>(members.size());
    for (uint32_t seq : members) {
        const uint64_t held = now - m_decoded_at[seq];
        m_held_cycles[seq] = held;
        ++m_held.descriptors;
        m_held.sum_cycles += held;
        m_held.max_cycles = std::max(m_held.max_cycles, held);
    }
    if (run.program == nullptr) { // an observer's part is over
        run.state = run_state::retired;
        return;
    }
    m_registers.fused += members.size() > 1 ? members.size() : 0;
    m_registers.eliminated += run.recipe->composition().eliminated;
    if (run.recipe->concerns(m_context.die)) {
        m_registers.asked += run.recipe->asked_bytes() / run.recipe->die_count();
    }
    const chm_request& request = run.recipe->composition().request;
    for (uint32_t i = 0; i < request.demand_count; ++i) {
        if (chm_mesh_rank(&request.demands[i]->mesh, m_context.die) != CHM_NO_RANK) {
            run.outputs.push_back(i);
        }
    }
    run.state = run_state::issued;
    tell_run(run, trace::run_step::issued, now);
    if (m_context.recorder != nullptr) {
        m_context.recorder->issued(m_context.die, run.seq, now);
    }
    m_by_seq[run.seq] = &run;
}

void engine::evaluate(uint64_t now) {
    // In issue order; index by index, since what starts may end others.
    bool staging_blocked = false;
    for (size_t i = 0; i < m_runs.size(); ++i) {
        run_instance& run = *m_runs[i];
        if (run.state == run_state::planned) {
            break;
        }
        if (run.state == run_state::issued && !staging_blocked) {
            staging_blocked = !m_staging.reserve(run.program->staging_bytes);
            if (!staging_blocked) {
                stage(run, now);
            }
        }
        if (run.state == run_state::staged) {
            if (!run.receiving && buffers_free(run)) {
                receive(run, now);
            }
            if (!run.started && (run.program->from_rank == CHM_NO_RANK ||
                                 m_context.values->ready(run.recipe->input_value()))) {
                start(run, now);
            }
        }
    }
    for (size_t i = 0; i < m_waiting.size();) {
        const waiting_operation item = m_waiting[i];
        const uint32_t seq = m_by_seq.at(item.seq)->recipe->plan().operations[item.index].seq;
        if (!operands_ready(m_context.workload->operations[seq])) {
            ++i;
            continue;
        }
        m_waiting.erase(m_waiting.begin() + static_cast<std::ptrdiff_t>(i));
        begin_operation(item, now);
    }
    m_runs.erase(std::remove_if(m_runs.begin(), m_runs.end(),
                                [](const auto& run) { return run->state == run_state::retired; }),
                 m_runs.end());
}

void engine::stage(run_instance& run, uint64_t now) {
    m_context.values->stage(run.program->staging_bytes);
    run.state = run_state::staged;
    dma::run_setup setup;
    setup.seq = run.seq;
    setup.communicator = run.recipe->communicator();
    setup.program = run.program;
    setup.credits = !run.recipe->ready_at_start();
    m_context.mover->open(setup, now);
}

bool engine::buffers_free(const run_instance& run) const {
    const std::vector<uint32_t>& members = run.recipe->members();
    return std::all_of(run.outputs.begin(), run.outputs.end(), [&](uint32_t i) {
        return m_context.values->buffer_free(run.recipe->composition().demand_values[i],
                                             members.data(), static_cast<uint32_t>(members.size()));
    });
}

void engine::receive(run_instance& run, uint64_t now) {
    run.receiving = true;
    run.state = run.started ? run_state::running : run.state;
    const chm_composition& composition = run.recipe->composition();
    for (uint32_t i : run.outputs) {
        const uint32_t value = composition.demand_values[i];
        if (value != run.recipe->input_value()) {
            m_context.values->allocate(
                value, m_context.values->uses().layout_bytes(value, *composition.request.demands[i],
                                                             m_context.die));
        }
    }
    m_context.mover->ready_to_receive(run.seq, now);
}

void engine::start(run_instance& run, uint64_t now) {
    run.started = true;
    run.state = run.receiving ? run_state::running : run.state;
    memory::data_block input;
    if (m_context.values->data_on() && run.program->from_rank != CHM_NO_RANK &&
        !m_context.values->read(run.recipe->input_value(), *run.recipe->plan().from, input)) {
        run_fault(chm_internal, "die " + std::to_string(m_context.die) + ": the input of run " +
                                    std::to_string(run.seq) + " is not there in its layout");
        return;
    }
    if (m_context.recorder != nullptr) {
        m_context.recorder->input_ready(m_context.die, run.seq, run.recipe->input_value());
    }
    tell_run(run, trace::run_step::started, now);
    m_context.mover->start(run.seq, std::move(input), now);
}

void engine::run_communicates(uint32_t seq, uint64_t now) {
    m_by_seq.at(seq)->communicating = true;
    m_context.meter->communication_begins(now);
}

void engine::run_delivered(uint32_t seq, uint64_t now) {
    run_instance& run = *m_by_seq.at(seq);
    run.state = run_state::delivered;
    tell_run(run, trace::run_step::delivered, now);
    if (m_context.recorder != nullptr) {
        m_context.recorder->delivered(m_context.die, seq, now);
    }
    deliver(run, now);
    m_last_completion = std::max(m_last_completion, now);
}

void engine::deliver(run_instance& run, uint64_t now) {
    const chm_composition& composition = run.recipe->composition();
    memory::value_store& values = *m_context.values;
    for (uint32_t i : run.outputs) {
        const uint32_t value = composition.demand_values[i];
        const chm_layout& layout = *composition.request.demands[i];
        if (!values.data_on() || value == run.recipe->input_value()) {
            m_context.observer->value_delivered(m_context.die, value, layout, nullptr, now);
            continue;
        }
        memory::data_block block = m_context.mover->data(run.seq).demand(
            layout, chm_mesh_rank(&layout.mesh, m_context.die),
            m_context.workload->tables.values[value].producer);
        m_context.observer->value_delivered(m_context.die, value, layout, &block, now);
        values.add_block(value, std::move(block));
    }
    for (uint32_t i : run.outputs) {
        if (m_context.recorder != nullptr) {
            m_context.recorder->brought(m_context.die, run.seq, composition.demand_values[i]);
        }
        values.raise(composition.demand_values[i], now);
    }
}

void engine::run_finished(uint32_t seq, uint64_t now) {
    run_instance& run = *m_by_seq.at(seq);
    if (m_context.recorder != nullptr) {
        m_context.recorder->finished(m_context.die, seq);
    }
    if (run.communicating) {
        m_context.meter->communication_ends(now);
    }
    m_staging.release(run.program->staging_bytes);
    m_context.values->unstage(run.program->staging_bytes);
    run.state = run_state::retired;
    tell_run(run, trace::run_step::retired, now);
    m_by_seq.erase(seq);
    ++m_retired;
    for (uint32_t member : run.recipe->members()) {
        m_context.values->finish_uses(m_context.workload->operations[member], now);
    }
    m_wakeup.at(now); // staging may be free for the next
}

void engine::run_fault(chm_status status, const std::string& text) {
    m_context.observer->fault(status, text);
}

bool engine::idle() const {
    return m_runs.empty() && m_fetched.empty() && m_drained && chm_window_occupancy(m_window) == 0;
}

bool engine::is_running(uint32_t seq) const {
    return std::any_of(m_runs.begin(), m_runs.end(),
                       [seq](const auto& run) { return run->seq == seq; });
}

void engine::describe_stuck(std::string& text) const {
    const std::string who = "die " + std::to_string(m_context.die) + ": ";
    for (const auto& run : m_runs) {
        if (run->state == run_state::issued) {
            text += who + "run " + std::to_string(run->seq) + " waits for staging\n";
        } else if (run->state == run_state::staged && !run->started) {
            const char* name = m_context.workload->tables.values[run->recipe->input_value()].name;
            text += who + "run " + std::to_string(run->seq) + " waits for value " +
                    (name != nullptr ? name : std::to_string(run->recipe->input_value())) + "\n";
        }
    }
    for (const waiting_operation& item : m_waiting) {
        text += who + "operation " + std::to_string(item.index) + " of run " +
                std::to_string(item.seq) + " waits for its other operands\n";
    }
    if (chm_window_occupancy(m_window) != 0) {
        text += who + std::to_string(chm_window_occupancy(m_window)) +
                " descriptors in undecided runs\n";
    }
}

} // namespace chimera::fusion
