// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <systemc>

#include "hw/fabric/fabric_shared.h"
#include "hw/fabric/link_protocol.h"
#include "hw/fabric/router_core.h"
#include "hw/kernel/wakeup.h"

namespace chimera::fabric {

// A router as a module: sockets, one method and one wake-up around a router_core. Ports are
// numbered as the topology numbers them; out[i] and in[i] belong to port i.
class router : public sc_core::sc_module, private link_listener, private router_sink {
public:
    SC_HAS_PROCESS(router);

    sc_core::sc_vector<link_initiator_socket> out;
    sc_core::sc_vector<link_target_socket> in;

    // `topology`, `params` and `shared` must outlive the module. Trains pass only where there is
    // the latter.
    router(const sc_core::sc_module_name& name, const chm_topology& topology,
           const fabric_params& params, uint32_t node, fabric_shared* shared = nullptr);

    const router_core& core() const { return m_core; }
    // Decides at once for all cycles until now, the present one, instead of when it must.
    void settle(uint64_t now) { m_wakeup.at(now); }
    void set_observer(trace::observer* observer) { m_core.set_observer(observer); }
    uint64_t activations() const { return m_wakeup.activations(); }
    const std::string& faults() const { return m_faults; } // of elaboration, "" if none

private:
    void end_of_elaboration() override;
    void activate();
    void fetch_ends() const;
    void file_packet(uint32_t port, packet* item, uint64_t due) override;
    void file_credit(uint32_t port, uint32_t vc, uint32_t flits, uint64_t due) override;
    void file_train_cut(uint32_t port, uint32_t keep, uint64_t due) override;
    void file_credit_cut(uint32_t port, uint32_t serial, uint64_t from, uint64_t due) override;
    void send_packet(uint32_t output, packet* item, uint64_t due) override;
    void send_credit(uint32_t input, uint32_t vc, uint32_t flits, uint64_t due) override;
    void send_train_cut(uint32_t output, uint32_t keep, uint64_t due) override;
    void send_credit_cut(uint32_t input, uint32_t serial, uint64_t from, uint64_t due) override;

    router_core m_core;
    fabric_shared* m_shared;
    kernel::wakeup m_wakeup;
    std::deque<link_sender> m_senders; // bound by reference: they must not move
    std::deque<link_receiver> m_receivers;
    // Where the sockets lead, looked up once.
    std::vector<tlm::tlm_fw_transport_if<link_types>*> m_forward;
    std::vector<tlm::tlm_bw_transport_if<link_types>*> m_backward;
    std::string m_faults;
};

} // namespace chimera::fabric
