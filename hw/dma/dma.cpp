// SPDX-License-Identifier: Apache-2.0
#include "hw/dma/dma.h"

#include <algorithm>
#include <utility>

#include "hw/base/random.h"
#include "hw/memory/memory.h"

namespace chimera::dma {

namespace {

// What the network hashes of. Half of the 32 bits that a recorded id has for it, so that adding an
// index stays within.
uint64_t network_message(uint32_t die, uint32_t destination, uint64_t message) {
    return chm_hash3(die, destination, message) & INT32_MAX;
}

sender_params params_of(const dma_context& context) {
    const chm_parameters& parameters = *context.parameters;
    sender_params params;
    params.ports = context.network->ports();
    params.port_of = [die = context.die, network = context.network](const message& item,
                                                                    uint64_t packet) {
        const uint64_t number = network_message(die, item.destination, item.number());
        return network->port_of(item.destination, number, packet);
    };
    params.channels = static_cast<uint32_t>(parameters.dma.channels);
    params.setup_cycles = parameters.dma.setup_cycles;
    params.mtu_bytes = static_cast<uint32_t>(parameters.fabric.mtu_bytes);
    params.per_destination = parameters.dma.per_destination;
    params.read_ahead = static_cast<uint32_t>(parameters.dma.read_ahead_packets);
    return params;
}

} // namespace

dma::dma(const sc_core::sc_module_name& name, const dma_context& context)
    : sc_module(name), mem("mem"), m_context(context), m_wakeup("wakeup", context.clock_khz),
      m_scratch(context.parameters->fabric.mtu_bytes),
      m_adder(context.parameters->dma.reduce_bytes_per_cycle),
      m_sender(
          params_of(context),
          context.ideal_memory ? sender::reader() : [this](uint64_t bytes, uint64_t from) {
              return charge(tlm::TLM_READ_COMMAND, bytes, from);
          }) {
    SC_METHOD(activate);
    sensitive << m_wakeup.event();
    dont_initialize();
}

void dma::open(const run_setup& setup, uint64_t now) {
    if (m_spare.empty()) {
        m_spare.push_back(std::make_unique<dma_run>());
    }
    std::unique_ptr<dma_run> fresh = std::move(m_spare.back());
    m_spare.pop_back();
    fresh->reset(setup, *this, m_adder, m_context.parameters->dma.reduce_overlapped,
                 m_context.truth);
    dma_run& run = *fresh;
    m_runs[setup.seq] = std::move(fresh);
    if (m_context.recorder != nullptr) {
        m_context.recorder->opened(m_context.die, setup, now);
    }
    const auto early = m_early.find(setup.seq);
    if (early != m_early.end()) {
        const std::vector<fabric::packet*> items = std::move(early->second);
        m_early.erase(early);
        for (fabric::packet* item : items) {
            take_packet(run, item, now);
        }
    }
    schedule();
}

void dma::start(uint32_t seq, memory::data_block&& input, uint64_t now) {
    m_now = now;
    m_runs.at(seq)->start(std::move(input), now);
    close_finished();
    schedule();
}

void dma::ready_to_receive(uint32_t seq, uint64_t now) {
    m_now = now;
    dma_run& run = *m_runs.at(seq);
    if (m_context.recorder != nullptr) {
        m_context.recorder->buffers_ready(m_context.die, seq, now);
    }
    if (run.setup().credits) {
        for (uint32_t source : run.setup().program->sources) {
            message credit;
            credit.destination = source;
            credit.tag = {run.setup().communicator, seq, ready_chunk};
            if (m_context.recorder != nullptr) {
                m_context.recorder->credit_posted(m_context.die, source, credit.tag, now);
            }
            m_sender.post_control(std::move(credit));
            wake_network(now);
        }
    }
    run.ready_to_receive(now);
    close_finished();
    schedule();
}

void dma::operation_done(uint32_t seq, uint32_t operation, uint64_t now) {
    m_now = now;
    if (m_context.recorder != nullptr) {
        m_context.recorder->operation_done(m_context.die, seq, operation, now);
    }
    m_runs.at(seq)->operation_done(operation, now);
    close_finished();
    schedule();
}

void dma::note_communication(dma_run& run) {
    if (run.first_communication()) {
        m_client->run_communicates(run.setup().seq, m_now);
    }
}

void dma::post_transfer(dma_run& run, uint32_t outgoing) {
    note_communication(run);
    message item;
    item.size = run.take_message(outgoing, item.bytes);
    const chm_transfer& transfer = run.setup().program->out(outgoing);
    item.destination = transfer.destination;
    item.tag = {run.setup().communicator, run.setup().seq, run.setup().program->outgoing[outgoing]};
    item.outgoing = outgoing;
    item.round = transfer.round;
    const bool control = transfer.kind == chm_transfer_credit;
    if (m_context.recorder != nullptr) {
        m_context.recorder->posted(m_context.die, outgoing, item.destination, item.tag,
                                   m_now + (control ? 0 : m_context.parameters->dma.setup_cycles));
    }
    if (control) {
        m_sender.post_control(std::move(item));
    } else {
        m_sender.post(std::move(item), m_now);
    }
    wake_network(m_now);
}

fabric::packet* dma::next_packet_by(uint32_t port, uint64_t now) {
    m_now = now;
    if (m_sender.ready_at(port) > now) {
        if (m_context.recorder != nullptr) {
            m_context.recorder->nothing_to_pull(m_context.die, port);
        }
        wake_port(port, now);
        return nullptr;
    }
    fabric::packet* item = m_context.packets->take();
    message done;
    bool last = false;
    if (!m_sender.next(now, *item, done, last, port)) {
        m_context.packets->give(item);
        return nullptr;
    }
    item->source = m_context.die;
    item->message = network_message(m_context.die, item->destination, item->message);
    m_control_flits += item->payload_bytes + item->metadata_bytes == 0;
    if (m_context.recorder != nullptr) {
        m_context.recorder->pulled(*item, port, now);
    }
    if (last && done.tag.chunk != ready_chunk) {
        // The run may end here; it must not from within the interface's call to the client.
        m_agenda.add(now, {done.tag.seq, done.outgoing, due_kind::sent});
        m_wakeup.at(now);
    }
    // The port asks again by itself. What comes next may be for another one.
    for (uint32_t other = 0; other < m_context.network->ports(); ++other) {
        if (other != port) {
            wake_port(other, now);
        }
    }
    return item;
}

void dma::wake_network(uint64_t now) {
    for (uint32_t port = 0; port < m_context.network->ports(); ++port) {
        wake_port(port, now);
    }
}

void dma::wake_port(uint32_t port, uint64_t now) {
    const uint64_t ready = m_sender.ready_at(port);
    if (ready != kernel::never) {
        m_context.network->wake_port(port, std::max(ready, now));
    }
}

void dma::apply_at(dma_run& run, uint32_t incoming, uint64_t cycle) {
    m_agenda.add(cycle, {run.setup().seq, incoming, due_kind::apply});
}

void dma::activate() {
    m_now = m_wakeup.fired();
    due item = {};
    while (m_agenda.take(m_now, item)) {
        dispatch(item);
        close_finished();
    }
    schedule();
}

void dma::dispatch(const due& item) {
    dma_run& run = *m_runs.at(item.seq);
    run_recorder* recorder = m_context.recorder;
    switch (item.kind) {
    case due_kind::sent:
        if (recorder != nullptr) {
            recorder->sent(m_context.die, item.seq, item.index);
        }
        run.sent(item.index, m_now);
        break;
    case due_kind::credit:
        if (recorder != nullptr) {
            const fabric::packet_tag tag = {run.setup().communicator, item.seq, ready_chunk};
            recorder->credited(m_context.die, item.seq, item.index, tag);
        }
        run.credit(item.index, m_now);
        break;
    case due_kind::apply:
        if (recorder != nullptr) {
            recorder->applied(m_context.die, item.seq, item.index, m_now);
        }
        m_last_completion = std::max(m_last_completion, m_now);
        std::string fault;
        if (!run.apply(item.index, m_now, fault)) {
            m_client->run_fault(chm_overflow, fault);
        }
        break;
    }
}

void dma::schedule() {
    if (!m_agenda.empty()) {
        m_wakeup.at(m_agenda.next());
    }
}

void dma::operation_may_run(dma_run& run, uint32_t operation) {
    m_client->operation_may_run(run.setup().seq, operation, m_now);
}

void dma::delivered(dma_run& run) {
    m_client->run_delivered(run.setup().seq, m_now);
}

void dma::finished(dma_run& run) {
    m_finished.push_back(run.setup().seq);
}

// Runs end outside of their own functions, since ending one may start others.
void dma::close_finished() {
    while (!m_finished.empty()) {
        const uint32_t seq = m_finished.back();
        m_finished.pop_back();
        const auto found = m_runs.find(seq);
        m_spare.push_back(std::move(found->second));
        m_runs.erase(found);
        m_client->run_finished(seq, m_now);
    }
}

uint64_t dma::charge(tlm::tlm_command command, uint64_t bytes, uint64_t from) {
    if (bytes == 0) {
        return from;
    }
    sc_core::sc_time delay = m_wakeup.delay_to(from);
    if (!memory::access(mem, m_payloads, command, memory::bulk_address, m_scratch.data(),
                        static_cast<unsigned int>(bytes), delay)) {
        m_client->run_fault(chm_unsupported, "the memory did not complete a bulk access at once");
    }
    return kernel::cycle_after(delay, m_context.clock_khz);
}

void dma::describe_stuck(std::string& text) const {
    for (const auto& [seq, run] : m_runs) {
        text += "die " + std::to_string(m_context.die) + ": " + run->describe() + "\n";
    }
    for (const auto& [seq, items] : m_early) {
        text += "die " + std::to_string(m_context.die) + ": " + std::to_string(items.size()) +
                " packets of run " + std::to_string(seq) + ", which it has not decided\n";
    }
}

} // namespace chimera::dma
