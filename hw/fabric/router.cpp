// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/router.h"

namespace chimera::fabric {

router::router(const sc_core::sc_module_name& name, const chm_topology& topology,
               const fabric_params& params, uint32_t node, fabric_shared* shared)
    : sc_core::sc_module(name), out("out", chm_node_outputs(&topology, node)),
      in("in", chm_node_inputs(&topology, node)),
      m_core(topology, params, node, shared == nullptr ? nullptr : &shared->packets),
      m_shared(shared), m_wakeup("wakeup", chm_clock_khz(topology.clock_ghz)) {
    const uint32_t first_in = topology.first_in_link[node];
    const uint32_t links_in = topology.first_in_link[node + 1] - first_in;
    link_params link = {topology.vcs, topology.vc_depth_flits, topology.flit_bytes, 0};
    link_listener& listener = *this;
    for (uint32_t port = 0; port < out.size(); ++port) {
        uint32_t id = chm_node_output_link(&topology, node, port);
        link.latency_cycles =
            id == UINT32_MAX ? topology.ejection_latency_cycles : topology.links[id].latency_cycles;
        m_senders.emplace_back(listener, port, link);
        out[port].bind(m_senders.back());
    }
    for (uint32_t port = 0; port < in.size(); ++port) {
        link.latency_cycles =
            port < links_in ? topology.links[topology.in_links[first_in + port]].latency_cycles
                            : topology.injection_latency_cycles;
        m_receivers.emplace_back(listener, port, link);
        in[port].bind(m_receivers.back());
    }
    SC_METHOD(activate);
    sensitive << m_wakeup.event();
    dont_initialize();
}

void router::end_of_elaboration() {
    for (uint32_t port = 0; port < out.size(); ++port) {
        m_senders[port].check(out[port], m_faults);
        m_forward.push_back(out[port].operator->());
    }
    if (m_shared != nullptr) {
        m_shared->faults += m_faults;
    }
    for (uint32_t port = 0; port < in.size(); ++port) {
        m_backward.push_back(in[port].operator->());
    }
}

void router::activate() {
    const uint64_t granted = m_core.grants();
    if (m_core.cold()) {
        fetch_ends();
    }
    m_core.catch_up(m_wakeup.fired(), *this);
    if (m_shared != nullptr) {
        ++m_shared->statistics.activations;
        m_shared->grants += m_core.grants() - granted;
    }
    m_wakeup.at(m_core.deadline());
}

// Asks the memory for the other ends of all links: most are called soon.
void router::fetch_ends() const {
    for (const auto* end : m_forward) {
        __builtin_prefetch(end);
    }
    for (const auto* end : m_backward) {
        __builtin_prefetch(end);
    }
}

void router::file_packet(uint32_t port, packet* item, uint64_t due) {
    m_core.file_packet(port, item, due);
    m_wakeup.at(m_core.deadline());
}

void router::file_credit(uint32_t port, uint32_t vc, uint32_t flits, uint64_t due) {
    m_core.file_credit(port, vc, flits, due);
    m_wakeup.at(m_core.deadline());
}

void router::file_train_cut(uint32_t port, uint32_t keep, uint64_t due) {
    m_core.file_train_cut(port, keep, due);
    m_wakeup.at(m_core.deadline());
}

void router::file_credit_cut(uint32_t port, uint32_t serial, uint64_t from, uint64_t due) {
    m_core.file_credit_cut(port, serial, from, due);
    m_wakeup.at(m_core.deadline());
}

void router::send_packet(uint32_t output, packet* item, uint64_t due) {
    link_item message;
    message.packet = item;
    message.due = due;
    link_phase phase = item->train > 1 ? link_phase::train : link_phase::packet;
    sc_core::sc_time delay = m_wakeup.annotation(due);
    m_forward[output]->nb_transport_fw(message, phase, delay);
}

void router::send_credit(uint32_t input, uint32_t vc, uint32_t flits, uint64_t due) {
    link_item message;
    message.vc = vc;
    message.flits = flits;
    message.due = due;
    link_phase phase = link_phase::credit;
    sc_core::sc_time delay = m_wakeup.annotation(due);
    m_backward[input]->nb_transport_bw(message, phase, delay);
}

void router::send_train_cut(uint32_t output, uint32_t keep, uint64_t due) {
    link_item message;
    message.keep = keep;
    message.due = due;
    link_phase phase = link_phase::train_cut;
    sc_core::sc_time delay = m_wakeup.annotation(due);
    m_forward[output]->nb_transport_fw(message, phase, delay);
}

void router::send_credit_cut(uint32_t input, uint32_t serial, uint64_t from, uint64_t due) {
    link_item message;
    message.serial = serial;
    message.from = from;
    message.due = due;
    link_phase phase = link_phase::train_cut;
    sc_core::sc_time delay = m_wakeup.annotation(due);
    m_backward[input]->nb_transport_bw(message, phase, delay);
}

} // namespace chimera::fabric
