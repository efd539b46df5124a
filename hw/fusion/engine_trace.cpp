// SPDX-License-Identifier: Apache-2.0
// What the engine tells an observer.
#include "hw/fusion/engine.h"

namespace chimera::fusion {

namespace {

trace::engine_state state_of(const run_instance& run) {
    switch (run.state) {
    case run_state::planned: return trace::engine_state::planning;
    case run_state::issued: return trace::engine_state::waits_for_staging;
    case run_state::staged:
        return run.started ? trace::engine_state::waits_for_buffers
                           : trace::engine_state::waits_for_input;
    case run_state::running: return trace::engine_state::running;
    case run_state::delivered:
    case run_state::retired: break;
    }
    return trace::engine_state::sending;
}

} // namespace

void engine::set_observer(trace::observer* observer, uint64_t now) {
    m_trace = observer;
    if (observer != nullptr) {
        tell(now);
    }
}

void engine::tell(uint64_t now) {
    trace::engine_note note;
    note.window = chm_window_occupancy(m_window);
    note.in_flight = note.window + static_cast<uint32_t>(m_fetched.size()) + m_planned_descriptors;
    note.runs = static_cast<uint32_t>(m_runs.size());
    note.fused = m_registers.fused;
    note.eliminated = m_registers.eliminated;
    if (!m_runs.empty()) {
        note.state = state_of(*m_runs.front());
        note.oldest = m_runs.front()->seq;
    } else if (note.in_flight != 0) {
        note.state = trace::engine_state::collecting;
    }
    m_trace->engine(m_context.die, note, now);
}

// "all_reduce + gating + all_to_all", of what takes part here.
void engine::tell_decided(const run_instance& run, uint64_t now) {
    std::string name;
    for (uint32_t seq : run.recipe->members()) {
        const char* own = m_context.workload->operations[seq].name;
        name += (name.empty() ? "" : " + ") + (own != nullptr ? own : std::to_string(seq));
    }
    m_trace->run(m_context.die, run.seq, trace::run_step::decided, &name, now);
}

void engine::tell_run(const run_instance& run, trace::run_step step, uint64_t now) {
    if (m_trace != nullptr && run.program != nullptr) {
        m_trace->run(m_context.die, run.seq, step, nullptr, now);
    }
}

void engine::tell_operation(uint32_t seq, uint64_t from, uint64_t to) {
    if (m_trace != nullptr) {
        m_trace->operation(m_context.die, seq, from, to);
    }
}

} // namespace chimera::fusion
