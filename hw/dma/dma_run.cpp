// SPDX-License-Identifier: Apache-2.0
#include "hw/dma/dma_run.h"

#include <algorithm>
#include <utility>

#include "hw/dma/message_format.h"

namespace chimera::dma {

void dma_run::reset(const run_setup& setup, run_host& host, reduce_unit& adder, bool overlapped,
                    const chm_truth* truth) {
    m_setup = setup;
    m_host = &host;
    m_adder = &adder;
    m_overlapped = overlapped;
    m_data_on = truth != nullptr;
    m_now = 0;
    m_communicates = false;
    m_execution.reset(*setup.program, setup.credits, *this);
    m_arrivals.assign(setup.program->incoming.size(), {});
    m_slot_rows.assign(setup.program->slot_capacity.size(), 0);
    if (m_data_on) {
        m_data.reset(*setup.program, *truth);
        m_contents.assign(setup.program->outgoing.size(), {});
    }
}

void dma_run::start(memory::data_block&& input, uint64_t now) {
    m_now = now;
    if (m_data_on) {
        m_data.load(std::move(input));
    }
    m_execution.start();
}

void dma_run::ready_to_receive(uint64_t now) {
    m_now = now;
    m_execution.ready_to_receive();
}

void dma_run::credit(uint32_t die, uint64_t now) {
    m_now = now;
    m_execution.credit(die);
}

void dma_run::sent(uint32_t outgoing, uint64_t now) {
    m_now = now;
    m_execution.sent(outgoing);
}

void dma_run::operation_done(uint32_t operation, uint64_t now) {
    m_now = now;
    m_execution.operation_done(operation);
}

void dma_run::arrived(uint32_t incoming, const fabric::packet& item, uint64_t now,
                      uint64_t written) {
    m_now = now;
    arrival& here = m_arrivals[incoming];
    ++here.packets;
    here.bytes += item.payload_bytes;
    if (item.last) { // it may overtake others: the count decides
        here.total = item.index + 1;
    }
    here.done_at = std::max(here.done_at, written);
    if (item.data != nullptr && m_data_on) {
        take_part(item.data, here.content);
    }
    if (m_overlapped && adds(incoming)) {
        advance(incoming);
    }
    try_file(incoming);
}

bool dma_run::adds(uint32_t incoming) const {
    const chm_transfer_kind kind = m_setup.program->in(incoming).kind;
    return kind == chm_transfer_reduce || kind == chm_transfer_routed_reduce;
}

// Sums keep their order element by element: what has arrived of a transfer is added as far as the
// ones before it have been.
uint64_t dma_run::reduce_limit(uint32_t incoming) const {
    const die_program& program = *m_setup.program;
    if (m_execution.in_turn(incoming)) {
        return UINT64_MAX;
    }
    if (program.in_needs_input[incoming] && !m_execution.started()) {
        return 0;
    }
    uint64_t limit = UINT64_MAX;
    for (uint32_t before : program.in_before_in[incoming]) {
        if (!m_execution.is_applied(before)) {
            limit = std::min(limit, adds(before) ? m_arrivals[before].reduced : 0);
        }
    }
    return limit;
}

void dma_run::advance(uint32_t incoming) {
    arrival& here = m_arrivals[incoming];
    const uint64_t target = std::min(here.bytes, reduce_limit(incoming));
    if (target <= here.reduced) {
        return;
    }
    const uint64_t from = std::max(m_now, here.done_at);
    here.done_at = m_adder->add(target - here.reduced, from);
    here.reduced = target;
    for (uint32_t next : m_setup.program->in_after_in[incoming]) {
        if (adds(next)) {
            advance(next);
        }
    }
}

void dma_run::try_file(uint32_t incoming) {
    arrival& here = m_arrivals[incoming];
    if (here.filed || here.total == 0 || here.packets < here.total ||
        !m_execution.in_turn(incoming)) {
        return;
    }
    if (adds(incoming)) {
        if (!m_overlapped) {
            here.done_at = m_adder->add(here.bytes, std::max(m_now, here.done_at));
        } else {
            advance(incoming);
        }
    }
    here.filed = true;
    m_host->apply_at(*this, incoming, std::max(m_now, here.done_at));
}

bool dma_run::apply(uint32_t incoming, uint64_t now, std::string& fault) {
    m_now = now;
    arrival& here = m_arrivals[incoming];
    if (!fits_slot(incoming, here, fault)) {
        return false;
    }
    if (m_data_on) {
        m_data.apply(incoming, here.content);
        std::vector<uint8_t>().swap(here.content);
    }
    m_execution.applied(incoming);
    return true;
}

bool dma_run::fits_slot(uint32_t incoming, const arrival& here, std::string& fault) {
    const die_program& program = *m_setup.program;
    const chm_transfer& transfer = program.in(incoming);
    if (transfer.route == chm_route_none) {
        return true;
    }
    const uint32_t slot = program.in_slot[incoming];
    m_slot_rows[slot] += m_data_on ? read_header(here.content).rows : program.in_rows[incoming];
    const uint64_t rows = m_slot_rows[slot];
    if (rows <= program.slot_capacity[slot]) {
        return true;
    }
    const bool combines = transfer.route == chm_route_combine;
    fault = "slot overflow: expert die " +
            std::to_string(combines ? transfer.source : transfer.destination) +
            (combines ? " returns " : " receives ") + std::to_string(rows) +
            " rows in the slot of die " + std::to_string(transfer.source) + " at die " +
            std::to_string(transfer.destination) + ", which takes " +
            std::to_string(program.slot_capacity[slot]) + " (run " + std::to_string(m_setup.seq) +
            "); allowed: a larger capacity_factor";
    return false;
}

message_size dma_run::take_message(uint32_t outgoing, std::vector<uint8_t>& bytes) {
    if (!m_data_on) {
        return m_setup.program->out_size[outgoing];
    }
    bytes = std::move(m_contents[outgoing].bytes);
    return m_contents[outgoing].size;
}

void dma_run::transfer_data_ready(uint32_t outgoing) {
    if (m_data_on) {
        content& item = m_contents[outgoing];
        const uint64_t rows =
            m_data.gather(outgoing, m_setup.communicator, m_setup.seq, item.bytes);
        item.size = m_setup.program->size_of(m_setup.program->out(outgoing), rows);
    }
}

void dma_run::transfer_may_go(uint32_t outgoing) {
    m_host->post_transfer(*this, outgoing);
}

void dma_run::transfer_in_turn(uint32_t incoming) {
    if (m_overlapped && adds(incoming)) {
        advance(incoming);
    }
    try_file(incoming);
}

void dma_run::operation_may_run(uint32_t operation) {
    m_host->operation_may_run(*this, operation);
}

void dma_run::delivered() {
    m_host->delivered(*this);
}

void dma_run::finished() {
    m_host->finished(*this);
}

std::string dma_run::describe() const {
    const die_program& program = *m_setup.program;
    std::string text = "run " + std::to_string(m_setup.seq) + ": ";
    if (!m_execution.started()) {
        text += "waits for its input";
    } else if (!m_execution.receiving()) {
        text += "waits for a free buffer";
    } else {
        text += std::to_string(m_execution.left_to_arrive()) + " of " +
                std::to_string(program.incoming.size()) + " transfers to arrive, " +
                std::to_string(m_execution.left_to_send()) + " of " +
                std::to_string(program.outgoing.size()) + " to send";
    }
    return text;
}

} // namespace chimera::dma
