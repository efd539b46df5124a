// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/link_protocol.h"

namespace chimera::fabric {

namespace {

void compare(const char* what, uint32_t ours, uint32_t theirs, const char* name,
             std::string& faults) {
    if (ours != theirs) {
        faults += std::string(name) + ": the sender has " + what + " " + std::to_string(ours) +
                  ", the receiver " + std::to_string(theirs) + "\n";
    }
}

} // namespace

tlm::tlm_sync_enum link_receiver::nb_transport_fw(link_item& item, link_phase& phase,
                                                  sc_core::sc_time&) {
    if (phase == link_phase::packet || phase == link_phase::train) {
        m_listener.file_packet(m_port, item.packet, item.due);
    } else if (phase == link_phase::train_cut) {
        m_listener.file_train_cut(m_port, item.keep, item.due);
    }
    return tlm::TLM_ACCEPTED;
}

void link_receiver::b_transport(link_item&, sc_core::sc_time&) {
    SC_REPORT_ERROR("chimera/fabric/link", "a link of the AT fabric has no blocking transport");
}

unsigned int link_receiver::transport_dbg(link_item& item) {
    item.params = &m_params;
    return 1;
}

tlm::tlm_sync_enum link_sender::nb_transport_bw(link_item& item, link_phase& phase,
                                                sc_core::sc_time&) {
    if (phase == link_phase::credit) {
        m_listener.file_credit(m_port, item.vc, item.flits, item.due);
    } else if (phase == link_phase::train_cut) {
        m_listener.file_credit_cut(m_port, item.serial, item.from, item.due);
    }
    return tlm::TLM_ACCEPTED;
}

void link_sender::check(link_initiator_socket& socket, std::string& faults) const {
    const char* name = socket.name();
    link_item item;
    if (socket->transport_dbg(item) == 0 || item.params == nullptr) {
        faults += std::string(name) + ": the receiver does not answer its parameters\n";
        return;
    }
    compare("channels", m_params.channels, item.params->channels, name, faults);
    compare("channel depth in flits", m_params.depth_flits, item.params->depth_flits, name, faults);
    compare("flit bytes", m_params.flit_bytes, item.params->flit_bytes, name, faults);
    compare("latency in cycles", m_params.latency_cycles, item.params->latency_cycles, name,
            faults);
    if (m_params.latency_cycles == 0) {
        faults += std::string(name) + ": a link needs a latency of at least one cycle\n";
    }
}

} // namespace chimera::fabric
