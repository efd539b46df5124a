// SPDX-License-Identifier: Apache-2.0
#include "hw/dma/run_execution.h"

#include <algorithm>

namespace chimera::dma {

void run_execution::reset(const die_program& program, bool credits, execution_events& events) {
    m_program = &program;
    m_events = &events;
    m_credits = credits;
    m_started = m_receiving = m_delivered = m_finished = false;
    m_out_pending = program.out_pending;
    m_in_pending = program.in_pending;
    m_operation_pending = program.operation_pending;
    // Everything that touches the die's input waits for start() as one more dependency.
    for (uint32_t& pending : m_out_pending) {
        ++pending;
    }
    for (uint32_t& pending : m_operation_pending) {
        ++pending;
    }
    for (uint32_t i = 0; i < m_in_pending.size(); ++i) {
        m_in_pending[i] += program.in_needs_input[i];
    }
    m_credited.assign(program.destinations.size(), 0);
    m_applied.assign(program.incoming.size(), 0);
    m_left_in = static_cast<uint32_t>(program.incoming.size());
    m_left_out = static_cast<uint32_t>(program.outgoing.size());
    m_left_operations = program.operations_here;
}

void run_execution::start() {
    m_started = true;
    for (uint32_t i = 0; i < m_in_pending.size(); ++i) {
        if (m_program->in_needs_input[i]) {
            release_in(i);
        }
    }
    for (uint32_t i = 0; i < m_out_pending.size(); ++i) {
        release_out(i);
    }
    for (uint32_t i = 0; i < m_operation_pending.size(); ++i) {
        if (m_program->operation_here[i]) {
            release_operation(i);
        }
    }
    check_end();
}

void run_execution::ready_to_receive() {
    m_receiving = true;
    check_end();
}

void run_execution::credit(uint32_t die) {
    const std::vector<uint32_t>& dies = m_program->destinations;
    const auto found = std::lower_bound(dies.begin(), dies.end(), die);
    if (!m_credits || found == dies.end() || *found != die || m_credited[found - dies.begin()]) {
        return;
    }
    m_credited[found - dies.begin()] = 1;
    for (uint32_t i = 0; i < m_out_pending.size(); ++i) {
        if (m_out_pending[i] == 0 && m_program->out(i).destination == die &&
            m_program->out(i).kind != chm_transfer_credit) {
            m_events->transfer_may_go(i);
        }
    }
}

void run_execution::applied(uint32_t incoming) {
    --m_left_in;
    m_applied[incoming] = 1;
    for (uint32_t next : m_program->in_after_in[incoming]) {
        release_in(next);
    }
    for (uint32_t next : m_program->out_after_in[incoming]) {
        release_out(next);
    }
    for (uint32_t next : m_program->operation_after_in[incoming]) {
        release_operation(next);
    }
    check_end();
}

void run_execution::sent(uint32_t outgoing) {
    --m_left_out;
    for (uint32_t next : m_program->out_after_out[outgoing]) {
        release_out(next);
    }
    for (uint32_t next : m_program->operation_after_out[outgoing]) {
        release_operation(next);
    }
    check_end();
}

void run_execution::operation_done(uint32_t operation) {
    --m_left_operations;
    for (uint32_t next : m_program->out_after_operation[operation]) {
        release_out(next);
    }
    for (uint32_t next : m_program->operation_after_operation[operation]) {
        release_operation(next);
    }
    check_end();
}

void run_execution::release_out(uint32_t outgoing) {
    if (--m_out_pending[outgoing] == 0) {
        m_events->transfer_data_ready(outgoing);
        try_go(outgoing);
    }
}

void run_execution::release_in(uint32_t incoming) {
    if (--m_in_pending[incoming] == 0) {
        m_events->transfer_in_turn(incoming);
    }
}

void run_execution::release_operation(uint32_t operation) {
    if (--m_operation_pending[operation] == 0) {
        m_events->operation_may_run(operation);
    }
}

void run_execution::try_go(uint32_t outgoing) {
    const chm_transfer& transfer = m_program->out(outgoing);
    if (m_credits && transfer.kind != chm_transfer_credit) {
        const std::vector<uint32_t>& dies = m_program->destinations;
        const auto found = std::lower_bound(dies.begin(), dies.end(), transfer.destination);
        if (!m_credited[found - dies.begin()]) {
            return;
        }
    }
    m_events->transfer_may_go(outgoing);
}

void run_execution::check_end() {
    if (!m_started) {
        return;
    }
    if (!m_delivered && m_receiving && m_left_in == 0 && m_left_operations == 0) {
        m_delivered = true;
        m_events->delivered();
    }
    if (!m_finished && m_delivered && m_left_out == 0) {
        m_finished = true;
        m_events->finished();
    }
}

} // namespace chimera::dma
