// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <systemc>

#include "hw/fabric/fabric_params.h"
#include "hw/fabric/fabric_shared.h"
#include "hw/fabric/faults/outage.h"
#include "hw/fabric/link_protocol.h"
#include "hw/fabric/network_port.h"
#include "hw/fabric/output_unit.h"
#include "hw/fabric/ring_queue.h"
#include "hw/fabric/send_window.h"
#include "hw/kernel/wakeup.h"

namespace chimera::fabric {

// A die's place on the network, or one of several (port_group.h): one injection and one ejection
// port of one flit per cycle. It pulls packets from its client, keeps credits toward the router's
// injection buffer and hands arrived packets to the client. Ejection never blocks.
//
// Timing: the head of a packet is on the injection link at s, no earlier than the wake; the next
// follows at s + flits. packet_arrived is called one cycle after the last flit.
class network_interface : public sc_core::sc_module,
                          public network_port,
                          public acknowledged,
                          public outage_listener,
                          private link_listener {
public:
    SC_HAS_PROCESS(network_interface);

    link_initiator_socket out; // injection
    link_target_socket in;     // ejection

    // `topology`, `params` and `shared` must outlive the module. Clients that send trains need the
    // latter.
    network_interface(const sc_core::sc_module_name& name, const chm_topology& topology,
                      const fabric_params& params, uint32_t die, fabric_shared* shared = nullptr,
                      uint32_t port = 0);

    void set_client(network_client* client) override { m_client = client; }
    void wake(uint64_t now) override;

    uint32_t die() const override { return m_die; }
    uint32_t port() const { return m_port; } // of the die
    uint64_t activations() const { return m_wakeup.activations(); }
    const network_interface_statistics& statistics() const override { return m_statistics; }
    bool holds_packet() const { return m_held != nullptr; } // pulled, waits for credits
    void describe_stuck(std::string& text) const;
    const std::string& faults() const { return m_faults; } // of elaboration, "" if none
    void file_acknowledgement(uint32_t destination, uint32_t flits, uint64_t due) override;
    void resume(uint64_t cycle) override;
    bool credits_complete() const; // every credit is back: the injection buffer is empty

private:
    struct arrival {
        uint64_t due; // of the first packet
        packet* item;
        bool awaited; // somebody needs to know at once
        uint64_t last_due() const { return due + uint64_t(item->train - 1) * item->flits; }
    };
    // The train that is being sent, or was sent last.
    struct sent_train {
        packet item; // as it was sent
        uint64_t first = 0;
        bool sending = false;
        uint64_t uncredited_from = kernel::never;
    };
    struct credit_cut {
        uint64_t due;
        uint32_t serial;
        uint64_t from;
    };

    void end_of_elaboration() override;
    void activate();
    void file_packet(uint32_t port, packet* item, uint64_t due) override;
    void file_credit(uint32_t port, uint32_t vc, uint32_t flits, uint64_t due) override;
    void file_train_cut(uint32_t port, uint32_t keep, uint64_t due) override;
    void file_credit_cut(uint32_t port, uint32_t serial, uint64_t from, uint64_t due) override;
    void eject(uint64_t now);
    void deliver(packet* item, uint64_t now);
    void inject(uint64_t now);
    bool pull(uint64_t now);
    bool choose_vc(uint32_t flits);
    void send(uint64_t now);
    void launch(packet* item, uint64_t cycle);
    void count_injected(const packet& item, uint64_t packets);

    // Trains (network_interface_trains.cpp).
    packet* next_of_train();
    bool may_send_train(uint64_t now) const;
    bool may_send_ahead();
    bool one_way(uint32_t destination) const;
    void send_train(uint64_t now);
    void work_off_trains(uint64_t now);
    void settle_train(uint32_t packets, uint64_t now);
    void cut_train(uint64_t now);
    uint64_t round_trip(uint32_t flits) const;
    bool stalled(uint32_t port, uint64_t now) const;

    const chm_topology& m_topology;
    const fabric_params& m_params;
    uint32_t m_die, m_port;
    network_client* m_client = nullptr;
    kernel::wakeup m_wakeup;
    link_sender m_sender;
    link_receiver m_receiver;
    tlm::tlm_fw_transport_if<link_types>* m_forward = nullptr; // where `out` leads
    std::vector<uint32_t> m_credits; // per channel of the injection buffer, in flits
    ring_queue<link_credit> m_returning;
    ring_queue<arrival> m_arriving;
    const bool m_prompt; // every arrival is told at its cycle: those of one message may arrive at
                         // several ports, out of order, or stalls and windows may ask for it
    send_window m_window;
    uint32_t m_last_vc;
    uint64_t m_port_free = 0;        // cycle from which the injection port is free
    uint64_t m_wake = kernel::never; // the client has something from here on
    packet* m_held = nullptr;
    uint32_t m_held_sent = 0; // packets of it that are on their way, if it is a train
    fabric_shared* m_shared;
    packet_pool* m_pool; // of the above
    outage* m_outage;    // of the above; null: nothing fails
    sent_train m_train;
    std::vector<credit_cut> m_credit_cuts;
    uint32_t m_serial = 0;
    uint32_t m_singles = 0; // packets to send one by one before the next train is tried
    uint32_t m_patience;    // how many after the next cut
    network_interface_statistics m_statistics;
    std::string m_faults;
};

} // namespace chimera::fabric
