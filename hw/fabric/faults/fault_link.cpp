// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/faults/fault_link.h"

#include <algorithm>

namespace chimera::fabric {

fault_link::fault_link(const sc_core::sc_module_name& name, const chm_topology& topology,
                       const fabric_params& params, uint32_t link, outage* failures)
    : sc_core::sc_module(name), in("in"), out("out"),
      m_latency(topology.links[link].latency_cycles),
      m_cycles_per_flit(topology.links[link].cycles_per_flit), m_lossy(params.lossy()),
      m_outage(failures),
      m_fails_at(failures == nullptr ? outage::never : failures->link_fails_at(link)),
      m_core(params, link, topology.links[link].latency_cycles, m_fails_at, m_cycles_per_flit),
      m_wakeup("wakeup", chm_clock_khz(topology.clock_ghz)) {
    tlm::tlm_fw_transport_if<link_types>& forward = *this;
    tlm::tlm_bw_transport_if<link_types>& backward = *this;
    in.bind(forward);
    out.bind(backward);
    SC_METHOD(activate);
    sensitive << m_wakeup.event();
    dont_initialize();
}

void fault_link::schedule() {
    const uint64_t next = m_core.next();
    if (next != retry_link::never) {
        m_wakeup.at(next + m_latency);
    }
}

void fault_link::activate() {
    const uint64_t decided = m_wakeup.fired() - m_latency;
    while (m_core.next() <= decided) {
        m_core.advance(*this);
    }
    schedule();
}

void fault_link::deliver(packet* item, uint64_t due) {
    link_item message;
    message.packet = item;
    message.due = due;
    link_phase phase = link_phase::packet;
    sc_core::sc_time delay = m_wakeup.annotation(due);
    out->nb_transport_fw(message, phase, delay);
}

tlm::tlm_sync_enum fault_link::nb_transport_fw(link_item& item, link_phase& phase,
                                               sc_core::sc_time& delay) {
    if (phase != link_phase::packet) {
        SC_REPORT_ERROR("chimera/fabric/fault_link", "trains do not pass links with faults");
    } else if (m_lossy) {
        m_core.file(item.packet, item.due - m_latency);
        schedule();
    } else if (tail_of(item) > m_fails_at) {
        give_back(item.packet, tail_of(item));
    } else {
        return out->nb_transport_fw(item, phase, delay);
    }
    return tlm::TLM_ACCEPTED;
}

// Credits are due in the order in which they are filed: not before the last that passed.
void fault_link::give_back(packet* item, uint64_t cycle) {
    m_last_credit = std::max(m_last_credit, cycle);
    link_item message;
    message.vc = item->vc;
    message.flits = item->flits;
    message.due = m_last_credit;
    link_phase phase = link_phase::credit;
    sc_core::sc_time delay = m_wakeup.delay_to(message.due);
    m_outage->cut(item, cycle);
    in->nb_transport_bw(message, phase, delay);
}

tlm::tlm_sync_enum fault_link::nb_transport_bw(link_item& item, link_phase& phase,
                                               sc_core::sc_time& delay) {
    m_last_credit = std::max(m_last_credit, item.due);
    return in->nb_transport_bw(item, phase, delay);
}

void fault_link::b_transport(link_item&, sc_core::sc_time&) {
    SC_REPORT_ERROR("chimera/fabric/fault_link", "a link has no blocking transport");
}

bool fault_link::describe_stuck(std::string& text) const {
    if (m_core.empty() || m_core.has_crossed()) {
        return false;
    }
    const packet& item = m_core.oldest();
    text += std::string(name()) + ": packet " + std::to_string(item.message) + "." +
            std::to_string(item.index) + " from die " + std::to_string(item.source) + " to die " +
            std::to_string(item.destination) + " (" + std::to_string(m_core.waiting()) +
            " wait), sent " + std::to_string(m_core.oldest_attempts()) + " times and not across\n";
    return true;
}

} // namespace chimera::fabric
