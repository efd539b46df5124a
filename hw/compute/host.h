// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include "hw/compute/systolic_array.h"
#include "hw/golden/fusion/workload.h"
#include "hw/kernel/agenda.h"
#include "hw/memory/payload_pool.h"
#include "hw/trace/observer.h"

namespace chimera::compute {

// What the host tells beside the registers: nothing will follow.
class stream_client {
public:
    virtual ~stream_client() = default;
    virtual void stream_ended(uint64_t now) = 0;
    virtual void host_fault(chm_status status, const std::string& text) = 0;
};

// Bytes that are queued in front of a die's entry `position` beside its own: for tests of malformed
// descriptors.
struct injected_descriptor {
    uint32_t die = 0;
    uint32_t position = 0; // in front of the die's descriptor of this number, from 0
    unsigned char bytes[chm_descriptor_bytes] = {};
};

struct host_context {
    uint32_t die = 0;
    uint64_t clock_khz = 1000000;
    const chm_engine_params* params = nullptr;
    const chm_workload* workload = nullptr;
    memory::value_store* values = nullptr;
    systolic_array* array = nullptr;
    const std::vector<injected_descriptor>* injected = nullptr; // may be null
};

// The host of a die walks the die's stream: writes descriptors into the ring in memory and rings
// the engine's doorbell (both by TLM-2.0 transactions), pushes computes on the array's queue, and
// blocks on waits. A descriptor takes enqueue_cycles_per_descriptor; while the ring is full the
// host waits for the engine's signal and reads the head register again.
class host : public sc_core::sc_module, public memory::value_listener {
public:
    SC_HAS_PROCESS(host);

    tlm_utils::simple_initiator_socket<host> mem;
    tlm_utils::simple_initiator_socket<host> ctl;

    host(const sc_core::sc_module_name& name, const host_context& context);

    void set_client(stream_client* client) { m_client = client; }
    void ring_has_space(uint64_t now); // the engine's head has moved
    void values_changed(uint64_t now) override;

    // Null: nobody. It is told how things are at `now`.
    void set_observer(trace::observer* observer, uint64_t now);

    bool finished() const { return m_ended; }
    bool timed_work_pending() const { return m_state == state::enqueueing; }
    // Cycles between the first descriptor that found the ring full and the space for it, summed.
    uint64_t ring_full_cycles() const { return m_ring_full; }
    void describe_stuck(std::string& text) const;

private:
    enum class state { ready, enqueueing, ring_full, waiting, ended };

    void start_of_simulation() override { m_wakeup.at(0); }
    void activate();
    void tell(uint64_t now);
    bool step(uint64_t now);
    bool enqueue(uint64_t now);
    bool has_space(uint64_t now);
    void write_entry(uint64_t now);
    void next_entry(); // into m_bytes
    bool wait_is_over(const chm_operation& operation) const;

    host_context m_context;
    trace::observer* m_trace = nullptr;
    stream_client* m_client = nullptr;
    kernel::wakeup m_wakeup;
    memory::payload_pool m_payloads;
    state m_state = state::ready;
    uint32_t m_position = 0;    // in the stream
    uint32_t m_descriptors = 0; // of the stream queued so far
    uint32_t m_injected = 0;    // next one in context.injected
    bool m_writes_injected = false;
    uint32_t m_head = 0, m_tail = 0; // head as last read
    uint64_t m_due = 0, m_full_since = 0, m_ring_full = 0;
    bool m_ended = false;
    unsigned char m_bytes[chm_descriptor_bytes] = {};
};

} // namespace chimera::compute
