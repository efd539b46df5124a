// SPDX-License-Identifier: Apache-2.0
#include "hw/dma/run_recorder.h"

#include <algorithm>

// What runs, hosts and arrays wait for; run_recorder_port.cpp has messages and packets.

namespace chimera::dma {

run_recorder::run_recorder(const chm_topology& topology)
    : m_random_routes(topology.random_bits != 0), m_dies(topology.dies) {
    for (uint32_t die = 0; die < topology.dies; ++die) {
        m_dies[die].ports.resize(chm_die_ports(&topology, die));
    }
}

void run_recorder::issued(uint32_t die, uint32_t seq, uint64_t now) {
    recorded_run& run = run_of(die, seq);
    run.issued = now;
    run.issue = m_dies[die].host;
}

void run_recorder::opened(uint32_t die, const run_setup& setup, uint64_t now) {
    recorded_run& run = run_of(die, setup.seq);
    run.program = setup.program;
    run.opened = now;
    if (now > run.issued) { // it waited for staging
        m_graph.unite(die, run.issue, m_dies[die].freed);
    }
    run.in.resize(setup.program->incoming.size());
    run.out.resize(setup.program->outgoing.size());
    run.left.resize(setup.program->outgoing.size());
    run.operations.resize(setup.program->operation_here.size());
}

void run_recorder::input_ready(uint32_t die, uint32_t seq, uint32_t value) {
    recorded_run& run = run_of(die, seq);
    cause start = run.issue;
    m_graph.unite(die, start, m_dies[die].values[value]);
    m_graph.unite(die, run.all, start);
    for (cause& after : run.out) {
        m_graph.unite(die, after, start);
    }
    for (cause& after : run.operations) {
        m_graph.unite(die, after, start);
    }
    for (uint32_t i = 0; i < run.in.size(); ++i) {
        if (run.program->in_needs_input[i]) {
            m_graph.unite(die, run.in[i], start);
        }
    }
}

void run_recorder::buffers_ready(uint32_t die, uint32_t seq, uint64_t now) {
    recorded_run& run = run_of(die, seq);
    if (now > run.opened) {
        m_graph.unite(die, run.issue, m_dies[die].freed);
    }
    m_graph.unite(die, run.all, run.issue);
}

void run_recorder::operation_begins(uint32_t die, uint32_t seq, uint32_t index,
                                    const chm_operation& operation) {
    for (uint32_t i = 1; i < operation.operand_count; ++i) {
        m_graph.unite(die, run_of(die, seq).operations[index],
                      m_dies[die].values[operation.operands[i].value]);
    }
}

void run_recorder::operation_done(uint32_t die, uint32_t seq, uint32_t index, uint64_t now) {
    recorded_run& run = run_of(die, seq);
    const cause done = m_graph.usable_at(die, run.operations[index], now);
    m_graph.unite(die, run.all, done);
    for (uint32_t next : run.program->out_after_operation[index]) {
        m_graph.unite(die, run.out[next], done);
    }
    for (uint32_t next : run.program->operation_after_operation[index]) {
        m_graph.unite(die, run.operations[next], done);
    }
    complete(die, done, now);
}

void run_recorder::credited(uint32_t die, uint32_t seq, uint32_t from,
                            const fabric::packet_tag& tag) {
    run_of(die, seq).credits[from] = take_arrived(key_of(from, die, tag), die);
}

void run_recorder::applied(uint32_t die, uint32_t seq, uint32_t incoming, uint64_t now) {
    recorded_run& run = run_of(die, seq);
    const chm_transfer& transfer = run.program->in(incoming);
    cause done = run.in[incoming];
    fabric::packet_tag tag;
    tag.seq = seq;
    tag.chunk = run.program->incoming[incoming];
    m_graph.unite(die, done, take_arrived(key_of(transfer.source, die, tag), die));
    m_graph.unite(die, run.all, done);
    for (uint32_t next : run.program->in_after_in[incoming]) {
        m_graph.unite(die, run.in[next], done);
    }
    for (uint32_t next : run.program->out_after_in[incoming]) {
        m_graph.unite(die, run.out[next], done);
    }
    for (uint32_t next : run.program->operation_after_in[incoming]) {
        m_graph.unite(die, run.operations[next], done);
    }
    complete(die, done, now);
}

void run_recorder::sent(uint32_t die, uint32_t seq, uint32_t outgoing) {
    recorded_run& run = run_of(die, seq);
    for (uint32_t next : run.program->out_after_out[outgoing]) {
        m_graph.unite(die, run.out[next], run.left[outgoing]);
    }
    for (uint32_t next : run.program->operation_after_out[outgoing]) {
        m_graph.unite(die, run.operations[next], run.left[outgoing]);
    }
    m_graph.unite(die, run.all, run.left[outgoing]);
}

void run_recorder::delivered(uint32_t die, uint32_t seq, uint64_t now) {
    complete(die, run_of(die, seq).all, now);
}

void run_recorder::brought(uint32_t die, uint32_t seq, uint32_t value) {
    m_graph.unite(die, m_dies[die].values[value], run_of(die, seq).all);
}

void run_recorder::finished(uint32_t die, uint32_t seq) {
    m_dies[die].freed = std::move(run_of(die, seq).all);
    m_dies[die].runs.erase(seq);
}

void run_recorder::computed(uint32_t die, const chm_operation& operation, uint64_t now) {
    die_state& state = m_dies[die];
    cause after = state.array; // computes run one after the other
    for (uint32_t i = 0; i < operation.operand_count; ++i) {
        m_graph.unite(die, after, state.values[operation.operands[i].value]);
    }
    const cause done = m_graph.usable_at(die, after, now);
    state.array = state.freed = done;
    if (operation.result != CHM_NONE) {
        state.values[operation.result] = done;
    }
    complete(die, done, now);
}

void run_recorder::host_waited(uint32_t die, const chm_operation& operation) {
    die_state& state = m_dies[die];
    for (uint32_t i = 0; i < operation.operand_count; ++i) {
        m_graph.unite(die, state.host, state.values[operation.operands[i].value]);
    }
}

void run_recorder::complete(uint32_t die, const cause& after, uint64_t now) {
    die_state& state = m_dies[die];
    if (now > state.completed) {
        state.completion.clear();
        state.completed = now;
    }
    if (now == state.completed) {
        m_graph.unite(die, state.completion, after);
    }
}

const chm_graph* run_recorder::finish() {
    if (m_finished != nullptr) {
        return m_finished;
    }
    for (uint32_t die = 0; die < m_dies.size(); ++die) {
        m_graph.conclude(die, m_dies[die].completion, m_dies[die].completed);
    }
    m_finished = m_graph.causal() ? &m_graph.finish(m_random_routes) : nullptr;
    return m_finished;
}

} // namespace chimera::dma
