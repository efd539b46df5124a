// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "hw/fabric/lt/lt_context.h"
#include "hw/fabric/lt/lt_output.h"
#include "hw/fabric/lt/lt_protocol.h"
#include "hw/fabric/lt/lt_queue.h"
#include "hw/kernel/wakeup.h"
#include "hw/trace/observer.h"

namespace chimera::fabric {

// A router of the loosely timed fabric. Each output has a calendar of reserved time, in which a
// chunk gets the first stretch that holds it as a whole; there are no buffers that fill.
//
// In order (lt_in_order on): a chunk is reserved for in the order in which heads can leave their
// inputs, and an input serves one chunk after the other. A chunk that comes earlier than that is
// kept. In the round of turns (lt_turns.h) in which the first one it keeps can leave, the router
// serves all that can; a round is no longer than any link, so that nothing sent later comes before
// them. Otherwise: all happens in the caller's call, in the order of calls.
//
// Ports are numbered as the topology numbers them.
class lt_router : public sc_core::sc_module, private lt_transport, private lt_turn_taker {
public:
    sc_core::sc_vector<lt_initiator_socket> out;
    sc_core::sc_vector<lt_target_socket> in;

    lt_router(const sc_core::sc_module_name& name, const lt_context& context, uint32_t node);

    uint64_t busy_cycles(uint32_t port) const { return m_outputs[port].busy_cycles(); }
    size_t intervals() const;                                               // of all calendars
    void set_observer(trace::observer* observer) { m_observer = observer; } // null: nobody

private:
    void end_of_elaboration() override;
    void b_transport(chunk_head& head, sc_core::sc_time& delay) override;
    void ask(uint64_t now);
    void take_turn(uint64_t now) override;
    void prefetch_queues() const override;
    void prefetch_first() const override;
    uint32_t route(const chunk_head& head) const;
    void let_pass(uint32_t input, uint64_t cycle);
    uint64_t serve(chunk_head& head, uint32_t port, uint64_t cycle);
    void note_hop(const chunk_head& head, uint32_t port, uint64_t start);
    void call_next(chunk_head& head, sc_core::sc_time& delay);
    uint64_t stalled_until(uint32_t port, uint64_t cycle) const;

    const lt_context& m_context;
    const uint32_t m_node;
    const uint32_t m_router_cycles;
    const bool m_in_order;
    const uint32_t m_most_passed; // by so many others may a chunk be passed
    trace::observer* m_observer = nullptr;
    uint64_t m_turn = kernel::never; // cycle of the one asked for
    std::vector<lt_output> m_outputs;
    lt_queue m_queue;
};

} // namespace chimera::fabric
