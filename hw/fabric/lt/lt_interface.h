// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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

// A die's place on the loosely timed network, or one of several (port_group.h). Its injection port
// carries one flit per cycle; in the round half of lt_horizon_cycles before that is free, the
// interface takes chunks from its client, as many as can be injected within the horizon, and calls
// the router. Chunks that arrive wait here until they are due.
//
// It wakes by itself for arrivals that the client wants to know of at their time (of a client that
// knows packets only, for every packet); all else is done in its turns (lt_turns.h).
class lt_interface : public sc_core::sc_module,
                     public network_port,
                     private lt_forward,
                     private lt_backward,
                     private lt_turn_taker {
public:
    SC_HAS_PROCESS(lt_interface);

    lt_initiator_socket out; // injection
    lt_target_socket in;     // ejection

    lt_interface(const sc_core::sc_module_name& name, const lt_context& context, uint32_t die,
                 uint32_t port = 0);

    void set_client(network_client* client) override;
    void wake(uint64_t now) override;
    uint32_t die() const override { return m_die; }
    uint32_t port() const { return m_port; } // of the die
    const network_interface_statistics& statistics() const override { return m_statistics; }

private:
    void end_of_elaboration() override;
    void activate();
    void take_turn(uint64_t now) override;
    void prefetch_queues() const override;
    void prefetch_first() const override;
    void b_transport(chunk_head& head, sc_core::sc_time& delay) override;
    uint64_t next_injection() const { return std::max(m_wake, m_port_free); }
    bool may_offer(uint64_t now) const;
    void ask(uint64_t now);
    bool offer(uint64_t now, uint64_t cycle);
    void gather(uint64_t cycle);
    void append(packet& item);
    void send(uint64_t now, chunk& item);
    void send_part(uint64_t now, chunk& item);
    void file(chunk& item);
    void file_late(const lt_late_arrivals::arrival& item);
    void file_packets(chunk& item);
    void hand_over(chunk& item);
    void hand_over_late(uint64_t now);
    void deliver(uint64_t now);
    void count_arrived(uint64_t packets, uint64_t flits, uint64_t payload, uint64_t metadata,
                       uint64_t hops);
    uint64_t unstalled(uint64_t cycle) const;
    uint32_t flits_of(uint64_t bytes);

    const lt_context& m_context;
    const uint32_t m_die, m_port;
    const chunk_limit m_limit;
    const bool m_overtaking; // chunks of one source may overtake each other
    const bool m_prompt; // chunks of one message may arrive at several ports: the last one that was
                         // announced need not be the last to come
    tlm::tlm_fw_transport_if<lt_types>* m_router = nullptr; // what `out` is bound to
    network_client* m_client = nullptr;
    bool m_takes_chunks = false;     // the client
    uint64_t m_port_free = 0;        // cycle from which the injection port is free
    uint64_t m_wake = kernel::never; // the client has something from here on
    uint64_t m_turn = kernel::never; // cycle of the one asked for
    uint64_t m_known_bytes = 0;      // what flits_of was asked last
    uint32_t m_known_flits = 0;
    lt_late_arrivals m_late;
    lt_arrivals m_arrivals;
    network_interface_statistics m_statistics;
    kernel::wakeup m_wakeup; // for arrivals
    lt_order m_order;
    lt_ways m_ways;
    std::vector<chunk*> m_gathered, m_parts;
};

} // namespace chimera::fabric
