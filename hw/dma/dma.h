// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include "hw/dma/dma_run.h"
#include "hw/dma/run_recorder.h"
#include "hw/dma/sender.h"
#include "hw/fabric/network_client.h"
#include "hw/fabric/network_port.h"
#include "hw/golden/parameters.h"
#include "hw/kernel/agenda.h"
#include "hw/memory/payload_pool.h"

namespace chimera::dma {

// The chunk of a ready credit; transfers use their id in the plan.
constexpr uint64_t ready_chunk = UINT32_MAX;

// Told what happens to the runs of a DMA; `seq` names the run. Called from the DMA's or the network
// interface's process; may call back.
class run_client {
public:
    virtual ~run_client() = default;
    virtual void operation_may_run(uint32_t seq, uint32_t operation, uint64_t now) = 0;
    // Its first transfer may leave this die, or its first packet has arrived here.
    virtual void run_communicates(uint32_t seq, uint64_t now) = 0;
    virtual void run_delivered(uint32_t seq, uint64_t now) = 0;
    virtual void run_finished(uint32_t seq, uint64_t now) = 0; // it is closed after this call
    virtual void run_fault(chm_status status, const std::string& text) = 0;
};

struct dma_context {
    uint32_t die = 0;
    uint64_t clock_khz = 1000000;
    const chm_parameters* parameters = nullptr;
    fabric::network_port* network = nullptr;
    fabric::packet_pool* packets = nullptr;
    const chm_truth* truth = nullptr; // data on: what operations make of rows; null: data is off
    run_recorder* recorder = nullptr; // null: nothing is recorded
    bool ideal_memory = true;         // bulk reads and writes cost nothing and are not made
};

// The DMA of a die: executes the die's part of decided runs. Sends through channels, counts what
// arrives, adds in the plan's order, and tells the engine when operations may run and when the run
// has delivered and finished. What belongs to a run that this die has not decided yet is kept.
class dma : public sc_core::sc_module, public fabric::network_client, private run_host {
public:
    SC_HAS_PROCESS(dma);

    tlm_utils::simple_initiator_socket<dma> mem;

    dma(const sc_core::sc_module_name& name, const dma_context& context);

    void set_client(run_client* client) { m_client = client; }
    // Null: nobody. It is told how things are at `now`.
    void set_observer(trace::observer* observer, uint64_t now) {
        m_trace = observer;
        m_sender.set_observer(observer, m_context.die, now);
    }

    void open(const run_setup& setup, uint64_t now);
    void start(uint32_t seq, memory::data_block&& input, uint64_t now);
    // Output buffers and staging are reserved: sends the ready credits to the senders.
    void ready_to_receive(uint32_t seq, uint64_t now);
    void operation_done(uint32_t seq, uint32_t operation, uint64_t now);
    run_data& data(uint32_t seq) { return m_runs.at(seq)->data(); }

    fabric::packet* next_packet(uint64_t now) override { return next_packet_by(0, now); }
    fabric::packet* next_packet_by(uint32_t port, uint64_t now) override;
    void packet_arrived(fabric::packet* item, uint64_t now) override;

    uint64_t last_completion() const { return m_last_completion; }
    uint64_t control_flits() const { return m_control_flits; }
    bool timed_work_pending() const { return !m_agenda.empty() || m_sender.busy_channels() != 0; }
    bool idle() const { return m_runs.empty() && m_early.empty() && m_sender.idle(); }
    void describe_stuck(std::string& text) const;

private:
    // An outgoing transfer has left, an incoming one is to be applied, or a die's ready credit
    // counts.
    enum class due_kind : uint8_t { sent, apply, credit };
    struct due {
        uint32_t seq, index;
        due_kind kind;
    };

    void activate();
    void dispatch(const due& item);
    void schedule();
    void close_finished();
    void wake_network(uint64_t now);
    void wake_port(uint32_t port, uint64_t now);
    void note_communication(dma_run& run);
    void take_packet(dma_run& run, fabric::packet* item, uint64_t now);
    void refuse(const dma_run& run, chm_status status, const std::string& what);
    uint64_t charge(tlm::tlm_command command, uint64_t bytes, uint64_t from);

    void post_transfer(dma_run& run, uint32_t outgoing) override;
    void apply_at(dma_run& run, uint32_t incoming, uint64_t cycle) override;
    void operation_may_run(dma_run& run, uint32_t operation) override;
    void delivered(dma_run& run) override;
    void finished(dma_run& run) override;

    dma_context m_context;
    trace::observer* m_trace = nullptr;
    run_client* m_client = nullptr;
    kernel::wakeup m_wakeup;
    kernel::agenda<due> m_agenda;
    memory::payload_pool m_payloads;
    std::vector<unsigned char> m_scratch; // what bulk transactions point to
    reduce_unit m_adder;
    sender m_sender;
    std::map<uint32_t, std::unique_ptr<dma_run>> m_runs;
    std::vector<std::unique_ptr<dma_run>> m_spare;
    std::vector<uint32_t> m_finished;
    std::map<uint32_t, std::vector<fabric::packet*>> m_early; // by seq: run not decided yet
    uint64_t m_now = 0;
    uint64_t m_last_completion = 0, m_control_flits = 0;
};

} // namespace chimera::dma
