// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <systemc>
#include <tlm>

#include "hw/fabric/packet.h"

// The protocol of every link of the fabric. Forward calls carry phase `packet`, `train` (a packet
// that stands for several, train.h) or `train_cut`; backward calls `credit`, or `train_cut` for the
// credits of a train. A call only files the item in the receiver's queue and never calls on. The
// item says in cycles of the fabric's clock when it is at the receiver, at least one cycle after
// the call; the TLM delay is the same in picoseconds. transport_dbg answers the receiver's
// parameters, so that both ends can be compared at elaboration. There is no blocking transport and
// no DMI.

namespace chimera::fabric {

enum class link_phase { packet, train, train_cut, credit };

struct link_params {
    uint32_t channels = 0;
    uint32_t depth_flits = 0; // per channel
    uint32_t flit_bytes = 0;
    uint32_t latency_cycles = 0; // >= 1, both ways
};

struct link_item {
    fabric::packet* packet = nullptr;    // packet, train: in channel packet->vc, for the receiver
    uint32_t vc = 0;                     // phase credit: the channel that has room again
    uint32_t flits = 0;                  // phase credit: for so many flits
    uint64_t due = 0;                    // cycle: head at the receiver, or credit or cut usable
    uint32_t keep = 0;                   // forward train_cut: packets that the last train still has
    uint32_t serial = 0;                 // backward train_cut: of the train whose credits ...
    uint64_t from = 0;                   // ... usable from then on will be sent
    const link_params* params = nullptr; // answer of transport_dbg
};

struct link_types {
    typedef link_item tlm_payload_type;
    typedef link_phase tlm_phase_type;
};

using link_initiator_socket = tlm::tlm_initiator_socket<32, link_types>;
using link_target_socket = tlm::tlm_target_socket<32, link_types>;

// What a module does with filed items.
class link_listener {
public:
    virtual ~link_listener() = default;
    virtual void file_packet(uint32_t input_port, packet* item, uint64_t due) = 0;
    virtual void file_credit(uint32_t output_port, uint32_t vc, uint32_t flits, uint64_t due) = 0;
    virtual void file_train_cut(uint32_t input_port, uint32_t keep, uint64_t due) = 0;
    virtual void file_credit_cut(uint32_t output_port, uint32_t serial, uint64_t from,
                                 uint64_t due) = 0;
};

// The receiving end of a link, bound to one target socket of a module.
class link_receiver : public tlm::tlm_fw_transport_if<link_types> {
public:
    link_receiver(link_listener& listener, uint32_t port, const link_params& params)
        : m_listener(listener), m_port(port), m_params(params) {}

    tlm::tlm_sync_enum nb_transport_fw(link_item& item, link_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(link_item& item, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(link_item&, tlm::tlm_dmi&) override { return false; }
    unsigned int transport_dbg(link_item& item) override;

private:
    link_listener& m_listener;
    uint32_t m_port;
    link_params m_params;
};

// The sending end, bound to one initiator socket: receives the credits.
class link_sender : public tlm::tlm_bw_transport_if<link_types> {
public:
    link_sender(link_listener& listener, uint32_t port, const link_params& params)
        : m_listener(listener), m_port(port), m_params(params) {}

    tlm::tlm_sync_enum nb_transport_bw(link_item& item, link_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    // Compares both ends; appends one line per disagreement. `name` is the sending socket's.
    void check(link_initiator_socket& socket, std::string& faults) const;

private:
    link_listener& m_listener;
    uint32_t m_port;
    link_params m_params;
};

} // namespace chimera::fabric
