// SPDX-License-Identifier: Apache-2.0
#include "hw/dma/dma.h"

#include "hw/fabric/trace_notes.h"

// Packets that arrive at a DMA.

namespace chimera::dma {

void dma::packet_arrived(fabric::packet* item, uint64_t now) {
    if (m_context.recorder != nullptr) {
        m_context.recorder->arrived(*item, now);
    }
    if (m_trace != nullptr) {
        m_trace->arrived(fabric::note_of(*item), now);
    }
    const auto found = m_runs.find(item->tag.seq);
    if (found == m_runs.end()) {
        m_early[item->tag.seq].push_back(item);
        return;
    }
    take_packet(*found->second, item, now);
    close_finished();
    schedule();
}

void dma::take_packet(dma_run& run, fabric::packet* item, uint64_t now) {
    m_now = now;
    if (item->tag.chunk == ready_chunk) {
        m_agenda.add(now + 1, {run.setup().seq, item->source, due_kind::credit});
        m_context.packets->give(item);
        return;
    }
    const die_program& program = *run.setup().program;
    const uint32_t incoming = program.incoming_index(item->tag.chunk);
    if (incoming == no_index) {
        refuse(run, chm_mismatch,
               "transfer " + std::to_string(item->tag.chunk) +
                   ", which the die's own decision does not contain");
    } else if (run.setup().credits && !run.execution().receiving() &&
               program.in(incoming).kind != chm_transfer_credit) {
        refuse(run, chm_internal, "data before it had space for it");
    } else {
        note_communication(run);
        // What arrives in cycle `now` can be used in the next one.
        const uint64_t bytes = item->payload_bytes + item->metadata_bytes;
        const uint64_t written =
            m_context.ideal_memory ? now + 1 : charge(tlm::TLM_WRITE_COMMAND, bytes, now + 1);
        run.arrived(incoming, *item, now, written);
    }
    m_context.packets->give(item);
}

void dma::refuse(const dma_run& run, chm_status status, const std::string& what) {
    m_client->run_fault(status, "die " + std::to_string(m_context.die) + ", run " +
                                    std::to_string(run.setup().seq) + ": got " + what);
}

} // namespace chimera::dma
