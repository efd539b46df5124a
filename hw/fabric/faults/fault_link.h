// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <systemc>
#include <tlm>

#include "hw/fabric/faults/outage.h"
#include "hw/fabric/faults/retry_link.h"
#include "hw/fabric/link_protocol.h"
#include "hw/kernel/wakeup.h"

namespace chimera::fabric {

// A link that loses packets or fails, as a module between the sockets of two routers: `in` is bound
// to by the sender, `out` to the receiver. Where packets get lost, a retry_link decides for a cycle
// one latency of the link later, when all that may be sent in it has been filed, and before the
// receiver has to know. Else they pass. Those that are not across when the link fails, and all that
// come later, are given back to their sources, and their room to the sender, as if they had passed
// and left: to the network it is a port that never blocks. Credits pass.
class fault_link : public sc_core::sc_module,
                   private tlm::tlm_fw_transport_if<link_types>,
                   private tlm::tlm_bw_transport_if<link_types>,
                   private retry_sink {
public:
    SC_HAS_PROCESS(fault_link);

    link_target_socket in;
    link_initiator_socket out;

    // `topology` and `params` must outlive the module. `link` is its index in the topology.
    fault_link(const sc_core::sc_module_name& name, const chm_topology& topology,
               const fabric_params& params, uint32_t link, outage* failures);

    const retry_link& core() const { return m_core; }
    // Appends a line if a packet has not come across.
    bool describe_stuck(std::string& text) const;

private:
    void activate();
    void schedule();
    void deliver(packet* item, uint64_t due) override;
    void give_back(packet* item, uint64_t cycle) override;

    tlm::tlm_sync_enum nb_transport_fw(link_item& item, link_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(link_item& item, link_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(link_item& item, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(link_item&, tlm::tlm_dmi&) override { return false; }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    unsigned int transport_dbg(link_item& item) override { return out->transport_dbg(item); }

    uint64_t tail_of(const link_item& item) const {
        return item.due + uint64_t(item.packet->flits) * m_cycles_per_flit;
    }

    uint64_t m_latency;
    uint32_t m_cycles_per_flit;
    bool m_lossy;
    outage* m_outage; // null: it does not fail
    uint64_t m_fails_at;
    uint64_t m_last_credit = 0; // when the last credit is due at the sender
    retry_link m_core;
    kernel::wakeup m_wakeup;
};

} // namespace chimera::fabric
