// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/dma/die_program.h"

namespace chimera::dma {

// What an execution asks of its surroundings. Called from within its functions.
class execution_events {
public:
    virtual ~execution_events() = default;
    virtual void transfer_data_ready(uint32_t outgoing) = 0; // its content is final: read it
    virtual void transfer_may_go(uint32_t outgoing) = 0;     // ... and its destination is ready
    virtual void transfer_in_turn(uint32_t incoming) = 0;    // may be applied once it is here
    virtual void operation_may_run(uint32_t operation) = 0;
    virtual void delivered() = 0; // all that this die must hold is there
    virtual void finished() = 0;  // ... and all it had to send is sent
};

// The execution of a run on one die: counters over a die_program, no time and no data. Re-usable:
// reset() allocates nothing once it has been as large.
class run_execution {
public:
    // credits: senders wait for a ready credit of each destination.
    void reset(const die_program& program, bool credits, execution_events& events);

    void start();              // the die's input is there
    void ready_to_receive();   // the die's output buffers and staging are there
    void credit(uint32_t die); // a destination is ready
    void applied(uint32_t incoming);
    void sent(uint32_t outgoing);
    void operation_done(uint32_t operation);

    const die_program& program() const { return *m_program; }
    bool started() const { return m_started; }
    bool receiving() const { return m_receiving; }
    bool in_turn(uint32_t incoming) const { return m_in_pending[incoming] == 0; }
    bool is_applied(uint32_t incoming) const { return m_applied[incoming] != 0; }
    bool is_delivered() const { return m_delivered; }
    bool is_finished() const { return m_finished; }
    uint32_t left_to_arrive() const { return m_left_in; }
    uint32_t left_to_send() const { return m_left_out; }

private:
    void release_out(uint32_t outgoing);
    void release_in(uint32_t incoming);
    void release_operation(uint32_t operation);
    void try_go(uint32_t outgoing);
    void check_end();

    const die_program* m_program = nullptr;
    execution_events* m_events = nullptr;
    std::vector<uint32_t> m_out_pending, m_in_pending, m_operation_pending;
    std::vector<uint8_t> m_credited; // [destinations]
    std::vector<uint8_t> m_applied;  // [incoming]
    bool m_credits = false, m_started = false, m_receiving = false;
    bool m_delivered = false, m_finished = false;
    uint32_t m_left_in = 0, m_left_out = 0, m_left_operations = 0;
};

} // namespace chimera::dma
