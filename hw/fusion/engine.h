// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "hw/compute/host.h"
#include "hw/compute/systolic_array.h"
#include "hw/dma/dma.h"
#include "hw/fusion/csr_file.h"
#include "hw/fusion/decision_log.h"
#include "hw/fusion/pipeline.h"
#include "hw/fusion/run_instance.h"
#include "hw/golden/fusion/window.h"
#include "hw/trace/observer.h"

namespace chimera::fusion {

// What the engine reports to the machine.
class engine_observer {
public:
    virtual ~engine_observer() = default;
    // A value is there on a die in a layout; `block` is null where data is off.
    virtual void value_delivered(uint32_t die, uint32_t value, const chm_layout& layout,
                                 const memory::data_block* block, uint64_t now) = 0;
    virtual void malformed_descriptor(uint32_t die, uint32_t entry, const std::string& text) = 0;
    virtual void fault(chm_status status, const std::string& text) = 0;
    virtual uint64_t payload_bytes_injected(uint32_t die) = 0;
};

struct engine_context {
    uint32_t die = 0;
    uint64_t clock_khz = 1000000;
    const chm_parameters* parameters = nullptr;
    const chm_workload* workload = nullptr;
    memory::value_store* values = nullptr;
    dma::dma* mover = nullptr;
    compute::systolic_array* array = nullptr;
    compute::host* host = nullptr; // told when the ring has space
    compute::activity_meter* meter = nullptr;
    recipe_book* recipes = nullptr;
    decision_log* decisions = nullptr;
    engine_observer* observer = nullptr;
    dma::run_recorder* recorder = nullptr; // null: nothing is recorded
};

// How long descriptors were held, from decoded to issued.
struct held_statistics {
    uint64_t descriptors = 0, sum_cycles = 0, max_cycles = 0;
};

// The fusion engine of a die: fetch -> decode -> window -> fuse -> plan -> issue -> retire. Takes
// descriptors from the ring in memory, lets golden's window decide which of them form one run, and
// executes decided runs through the DMA and its gating unit. Registers at `ctl` (base protocol,
// 32-bit accesses, completed at once).
//
// An issued run waits for staging (in issue order). Then its output buffers on this die: once the
// readers of their former contents are done, the senders get ready credits. And its input: once the
// flag is up, what it holds is sent.
class engine : public sc_core::sc_module,
               public memory::value_listener,
               public dma::run_client,
               public compute::stream_client,
               private compute::tile_client {
public:
    SC_HAS_PROCESS(engine);

    tlm_utils::simple_target_socket<engine> ctl;
    tlm_utils::simple_initiator_socket<engine> mem;

    engine(const sc_core::sc_module_name& name, const engine_context& context);
    ~engine() override;

    void values_changed(uint64_t now) override { m_wakeup.at(now); }
    void stream_ended(uint64_t now) override;
    void host_fault(chm_status status, const std::string& text) override;

    // Null: nobody. It is told how things are at `now`.
    void set_observer(trace::observer* observer, uint64_t now);

    const csr_file& registers() const { return m_registers; }
    bool interrupt() const { return m_registers.interrupt != 0; }
    uint32_t window_occupancy() const { return chm_window_occupancy(m_window); }
    const held_statistics& held() const { return m_held; }
    // Cycles a descriptor was held, UINT64_MAX if this die has not issued it.
    uint64_t held_cycles(uint32_t seq) const { return m_held_cycles[seq]; }
    uint64_t staging_peak_bytes() const { return m_staging.peak(); }
    uint64_t last_completion() const { return m_last_completion; }
    uint64_t runs_retired() const { return m_retired; }
    bool timed_work_pending() const { return !m_agenda.empty(); }
    bool idle() const;
    bool is_running(uint32_t seq) const; // the run with this last member is decided and not done
    void describe_stuck(std::string& text) const;

private:
    enum class due_kind { doorbell, decode, issue, operation };
    struct due {
        due_kind kind;
        uint32_t first, second; // doorbell: tail; operation: seq, index
    };
    struct fetched_entry {
        uint32_t entry;
        unsigned char bytes[chm_descriptor_bytes];
    };
    struct waiting_operation {
        uint32_t seq, index;
    };

    // engine.cpp: registers and the front of the pipeline
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void access_registers(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
    void activate();
    void dispatch(const due& item, uint64_t now);
    void try_fetch(uint64_t now);
    bool window_has_room() const;
    void decode(uint64_t now);
    void refuse(uint32_t entry, uint32_t byte, const std::string& text);
    void try_drain(uint64_t now);
    void take_decisions(uint64_t now);
    void decided(const chm_decided_run& made, uint64_t now);

    // engine_runs.cpp: runs from issue to retire
    void issue(uint64_t now);
    void evaluate(uint64_t now);
    void stage(run_instance& run, uint64_t now);
    bool buffers_free(const run_instance& run) const;
    void receive(run_instance& run, uint64_t now);
    void start(run_instance& run, uint64_t now);
    void deliver(run_instance& run, uint64_t now);
    void run_communicates(uint32_t seq, uint64_t now) override;
    void run_delivered(uint32_t seq, uint64_t now) override;
    void run_finished(uint32_t seq, uint64_t now) override;
    void run_fault(chm_status status, const std::string& text) override;

    // engine_operations.cpp: operations inside runs
    void operation_may_run(uint32_t seq, uint32_t operation, uint64_t now) override;
    bool operands_ready(const chm_operation& operation) const;
    void begin_operation(const waiting_operation& item, uint64_t now);
    uint64_t operation_cycles(const chm_operation& operation, uint64_t rows) const;
    void tile_work_done(uint64_t id, uint64_t now) override;
    void end_operation(uint32_t seq, uint32_t index, uint64_t now);

    // engine_trace.cpp
    void tell(uint64_t now);
    void tell_decided(const run_instance& run, uint64_t now);
    void tell_operation(uint32_t seq, uint64_t from, uint64_t to);
    void tell_run(const run_instance& run, trace::run_step step, uint64_t now);

    engine_context m_context;
    trace::observer* m_trace = nullptr;
    const chm_engine_params& m_params;
    kernel::wakeup m_wakeup;
    kernel::agenda<due> m_agenda;
    memory::payload_pool m_payloads;
    csr_file m_registers;
    pipeline m_pipeline;
    staging m_staging;
    chm_window* m_window;

    uint32_t m_next_fetch = 0;           // ring entry
    std::deque<fetched_entry> m_fetched; // on their way to decode
    std::deque<run_instance*> m_planned; // on their way to issue
    uint32_t m_planned_descriptors = 0;
    std::vector<std::unique_ptr<run_instance>> m_runs; // decided and not retired, in issue order
    std::map<uint32_t, run_instance*> m_by_seq;
    std::vector<waiting_operation> m_waiting; // for other operands
    bool m_stream_ended = false, m_drained = false;

    std::vector<uint64_t> m_decoded_at, m_held_cycles; // [seq]
    held_statistics m_held;
    uint64_t m_retired = 0, m_last_completion = 0;
};

} // namespace chimera::fusion
