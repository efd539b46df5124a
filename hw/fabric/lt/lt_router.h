// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "hw/fabric/lt/lt_context.h"
#include "hw/fabric/lt/lt_input.h"
#include "hw/fabric/lt/lt_leaving.h"
#include "hw/fabric/lt/lt_output.h"
#include "hw/fabric/lt/lt_protocol.h"
#include "hw/kernel/wakeup.h"
#include "hw/trace/observer.h"

namespace chimera::fabric {

// A router of the loosely timed fabric. Each output has a calendar of reserved time, in which a
// chunk gets the first stretch that holds it as a whole; there are no buffers that fill.
//
// In order (lt_in_order on): an input keeps what comes and serves one chunk after the other. In the
// round of turns (lt_turns.h) in which the first one can leave, the router serves all that can, in
// the order in which heads can leave their inputs, ties by (die, input). A round is no longer
// than any link, so that nothing sent later comes before them. Otherwise: all happens in the
// caller's call, in the order of calls.
//
// Ports are numbered as the topology numbers them.
class lt_router : public sc_core::sc_module, private lt_backward, private lt_turn_taker {
public:
    sc_core::sc_vector<lt_initiator_socket> out;
    sc_core::sc_vector<lt_target_socket> in;

    lt_router(const sc_core::sc_module_name& name, const lt_context& context, uint32_t node);

    uint64_t busy_cycles(uint32_t port) const { return m_outputs[port].busy_cycles(); }
    size_t intervals() const;                                               // of all calendars
    void set_observer(trace::observer* observer) { m_observer = observer; } // null: nobody

    // For its inputs: one has something again, and a chunk goes on at once.
    void begins(uint32_t input);
    void pass(chunk_head& head, uint32_t input, uint32_t cycles_per_flit, sc_core::sc_time& delay);
    // A chunk leaves without gaps: what comes over a link of so many cycles per flit goes on over a
    // faster one so late that its last flit does not keep it waiting.
    void put_off(chunk_head& head, uint32_t input, uint32_t cycles_per_flit);

private:
    void end_of_elaboration() override;
    void take_turn(uint64_t now) override;
    void prefetch_queues() const override;
    void prefetch_first() const override;
    uint64_t gather(uint64_t begin, uint64_t end);
    void ask(uint64_t cycle, uint64_t now);
    void let_pass(uint32_t index, uint64_t from);
    lt_output& output_of(chunk_head& head, uint32_t input);
    uint32_t ask_route(const chunk_head& head, uint32_t input);
    uint64_t serve(chunk_head& head, uint32_t input, lt_output& way, uint64_t from, uint64_t now);
    void note_hop(const chunk_head& head, uint32_t input, uint32_t port, uint64_t start);
    uint64_t stalled_until(uint32_t port, uint64_t cycle) const;

    const lt_context& m_context;
    const uint32_t m_node;
    const uint32_t m_router_cycles;
    const uint32_t m_most_passed; // by so many others may a chunk be passed
    const uint16_t m_most_hops;   // more, and the way leads in a circle
    const bool m_stalls;
    const bool m_one_port; // of every die
    trace::observer* m_observer = nullptr;
    uint64_t m_turn = kernel::never; // cycle of the one asked for
    std::vector<uint8_t> m_routes;   // outputs by destination, as far as they were asked for
    std::vector<lt_output> m_outputs;
    std::vector<lt_input> m_inputs;
    std::vector<uint64_t> m_waiting; // inputs that are not empty, a bit each
    lt_leaving m_leaving;
};

} // namespace chimera::fabric
