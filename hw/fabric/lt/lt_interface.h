// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "hw/fabric/lt/lt_arrivals.h"
#include "hw/fabric/lt/lt_context.h"
#include "hw/fabric/lt/lt_protocol.h"
#include "hw/fabric/lt/lt_ways.h"
#include "hw/fabric/network_port.h"
#include "hw/kernel/wakeup.h"

namespace chimera::fabric {

// A die's place on the loosely timed network. Its injection port carries one flit per cycle;
// lt_horizon_cycles before it is free the interface takes the next chunk from its client and calls
// the router. Chunks that arrive wait here until they are due.
//
// It wakes once per chunk at the source and once per arrival at the destination (per packet, for a
// client that knows packets only).
class lt_interface : public sc_core::sc_module,
                     public network_port,
                     private lt_transport,
                     private lt_turn_taker {
public:
    SC_HAS_PROCESS(lt_interface);

    lt_initiator_socket out; // injection
    lt_target_socket in;     // ejection

    lt_interface(const sc_core::sc_module_name& name, const lt_context& context, uint32_t die);

    void set_client(network_client* client) override { m_client = client; }
    void wake(uint64_t now) override;
    uint32_t die() const override { return m_die; }
    const network_interface_statistics& statistics() const override { return m_statistics; }

private:
    void end_of_elaboration() override;
    void activate();
    void take_turn(uint64_t now) override;
    void b_transport(chunk_head& head, sc_core::sc_time& delay) override;
    bool may_offer(uint64_t now) const;
    void schedule(uint64_t now);
    bool offer(uint64_t now, uint64_t cycle);
    void gather(uint64_t cycle);
    void append(packet& item);
    void send(uint64_t now, chunk& item);
    void send_part(uint64_t now, chunk& item, lt_pair& pair);
    void deliver(uint64_t now);
    void count_arrived(uint64_t packets, uint64_t flits, uint64_t payload, uint64_t metadata,
                       uint64_t hops);
    uint64_t unstalled(uint64_t cycle) const;

    const lt_context& m_context;
    uint32_t m_die, m_input; // m_input: injection port of the router
    const chunk_limit m_limit;
    network_client* m_client = nullptr;
    kernel::wakeup m_wakeup;
    lt_arrivals m_arrivals;
    lt_order m_order;
    lt_ways m_ways;
    std::vector<chunk*> m_gathered, m_parts;
    uint64_t m_port_free = 0;        // cycle from which the injection port is free
    uint64_t m_wake = kernel::never; // the client has something from here on
    bool m_asked = false;            // for a turn
    network_interface_statistics m_statistics;
};

} // namespace chimera::fabric
