// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/network_interface.h"

#include <algorithm>

#include "hw/base/random.h"
#include "hw/fabric/train.h"

namespace chimera::fabric {

namespace {
enum stall_place : uint32_t { stall_injection = 0, stall_ejection = 1 };
constexpr uint32_t most_ahead = shortest_train; // packets filed in one activation
} // namespace

network_interface::network_interface(const sc_core::sc_module_name& name,
                                     const chm_topology& topology, const fabric_params& params,
                                     uint32_t die, fabric_shared* shared, uint32_t port)
    : sc_core::sc_module(name), out("out"), in("in"), m_topology(topology), m_params(params),
      m_die(die), m_port(port), m_wakeup("wakeup", chm_clock_khz(topology.clock_ghz)),
      m_sender(*this, 0,
               {topology.vcs, topology.vc_depth_flits, topology.flit_bytes,
                topology.injection_latency_cycles}),
      m_receiver(*this, 0,
                 {topology.vcs, topology.vc_depth_flits, topology.flit_bytes,
                  topology.ejection_latency_cycles}),
      m_credits(topology.vcs, topology.vc_depth_flits),
      m_prompt(params.stall_probability > 0 || params.window_round_trips > 0 ||
               !params.failures.empty() ||
               (chm_die_ports(&topology, die) > 1 && topology.random_bits > 0)),
      m_window(topology, die, shared == nullptr ? 0 : params.window_round_trips),
      m_last_vc(topology.vcs - 1), m_shared(shared),
      m_pool(shared == nullptr ? nullptr : &shared->packets),
      m_outage(shared == nullptr ? nullptr : shared->failures), m_patience(shortest_train) {
    if (m_outage != nullptr) {
        m_outage->add_listener(*this);
    }
    if (m_window.limits()) {
        m_shared->senders.resize(topology.first_die_port[topology.dies]);
        m_shared->senders[topology.first_die_port[die] + port] = this;
    }
    out.bind(m_sender);
    in.bind(m_receiver);
    SC_METHOD(activate);
    sensitive << m_wakeup.event();
    dont_initialize();
}

void network_interface::end_of_elaboration() {
    m_sender.check(out, m_faults);
    m_forward = out.operator->();
    if (m_shared != nullptr) {
        m_shared->faults += m_faults;
    }
}

void network_interface::wake(uint64_t now) {
    m_wake = std::min(m_wake, now);
    if (m_held == nullptr) {
        m_wakeup.at(std::max(m_wake, m_port_free));
    }
}

void network_interface::file_packet(uint32_t, packet* item, uint64_t due) {
    const bool awaited = m_prompt || item->train > 1 || m_client->announced(*item);
    m_arriving.push({due, item, awaited});
    if (awaited) {
        m_wakeup.at(m_arriving.back().last_due());
    }
}

void network_interface::file_credit(uint32_t, uint32_t vc, uint32_t flits, uint64_t due) {
    m_returning.push({due, vc, flits});
    if (m_held != nullptr) {
        m_wakeup.at(std::max(due, m_port_free));
    }
}

void network_interface::file_acknowledgement(uint32_t destination, uint32_t flits, uint64_t due) {
    m_window.file(due, destination, flits);
    if (m_held != nullptr) {
        m_wakeup.at(std::max(due, m_port_free));
    }
}

// Asks for a packet then, whether the client has said anything meanwhile or not.
void network_interface::resume(uint64_t cycle) {
    m_wake = cycle;
    m_wakeup.at(cycle);
}

void network_interface::activate() {
    const uint64_t now = m_wakeup.fired();
    if (m_shared != nullptr) {
        ++m_shared->statistics.activations;
    }
    if (m_train.sending || !m_credit_cuts.empty()) {
        work_off_trains(now);
    }
    while (!m_returning.empty() && m_returning.front().due <= now) {
        m_credits[m_returning.front().vc] += m_returning.front().flits;
        m_returning.pop();
    }
    m_window.settle(now);
    eject(now);
    inject(now);
}

bool network_interface::stalled(uint32_t port, uint64_t now) const {
    if (m_params.stall_probability <= 0) {
        return false;
    }
    // Nodes count from 0 up in the routers' hashes; dies from the top down.
    uint64_t place = (static_cast<uint64_t>(~m_die) << 32) | (2 * m_port + port);
    return chm_chance(chm_hash3(m_params.seed, place, now), m_params.stall_probability);
}

void network_interface::eject(uint64_t now) {
    if (!m_arriving.empty() && m_arriving.front().last_due() <= now &&
        stalled(stall_ejection, now)) {
        m_wakeup.at(now + 1);
        return;
    }
    while (!m_arriving.empty() && m_arriving.front().last_due() <= now) {
        const arrival item = m_arriving.front();
        m_arriving.pop();
        deliver(item.item, item.item->train > 1 || !m_prompt ? item.last_due() : now);
    }
    for (size_t i = 0; i < m_arriving.size(); ++i) {
        if (m_arriving.at(i).awaited) {
            m_wakeup.at(m_arriving.at(i).last_due());
            return;
        }
    }
}

void network_interface::deliver(packet* item, uint64_t now) {
    if (m_outage != nullptr && m_outage->dead(m_die, now)) {
        m_outage->lose(item, now, true);
        return;
    }
    const uint64_t packets = item->train;
    const uint64_t payload = packets * item->payload_bytes, extra = packets * item->metadata_bytes;
    m_statistics.ejected_packets += packets;
    m_statistics.ejected_flits += packets * item->flits;
    m_statistics.ejected_payload_bytes += payload;
    m_statistics.ejected_metadata_bytes += extra;
    m_statistics.ejected_hops += packets * item->hops;
    m_statistics.ejected_byte_hops += (payload + extra) * item->hops;
    if (m_shared != nullptr) {
        m_shared->statistics.ejected_packets += packets;
        m_shared->statistics.packet_hops += packets * item->hops;
        m_shared->statistics.byte_hops += (payload + extra) * item->hops;
    }
    if (m_window.limits()) {
        m_shared->sender_of(m_topology, *item)
            .file_acknowledgement(m_die, item->flits, now + m_window.way_back(item->source));
    }
    m_client->packet_arrived(item, now);
    if (m_outage != nullptr) {
        m_outage->arrived(now);
    }
}

void network_interface::inject(uint64_t now) {
    if (m_outage != nullptr && m_outage->closed(m_die, now)) {
        m_wake = kernel::never; // resume() comes, or has come
        if (m_outage->opens_at() > now) {
            resume(m_outage->opens_at());
        }
        return;
    }
    if (now < m_port_free) {
        if (m_held != nullptr || m_wake != kernel::never) {
            m_wakeup.at(m_held != nullptr ? m_port_free : std::max(m_port_free, m_wake));
        }
        return;
    }
    if (m_held == nullptr && !pull(now)) {
        return;
    }
    if (m_outage != nullptr && !m_outage->reaches(m_die, m_held->destination)) {
        m_outage->lose(m_held, now, false);
        m_held = nullptr;
        resume(now + 1);
        return;
    }
    if (stalled(stall_injection, now)) {
        m_wakeup.at(now + 1);
    } else if (!m_window.open(m_held->destination, m_held->flits)) {
        m_wakeup.at(std::max(m_window.next_due(), now + 1)); // `never` if none is filed yet
    } else if (m_held->train > 1 && may_send_train(now)) {
        send_train(now);
    } else if (choose_vc(m_held->flits)) {
        send(now);
    } else if (!m_returning.empty()) {
        m_wakeup.at(m_returning.front().due);
    }
}

// Takes the next packet to send: one that came back, else the client's.
bool network_interface::pull(uint64_t now) {
    if (m_outage != nullptr) {
        m_held = m_outage->take_returned(m_die);
        m_wake = m_held != nullptr ? std::min(m_wake, now + 1) : m_wake; // the client's, behind it
    }
    if (m_held == nullptr) {
        if (m_wake > now) {
            if (m_wake != kernel::never) {
                m_wakeup.at(m_wake);
            }
            return false;
        }
        m_wake = kernel::never;
        m_held = m_client->next_packet_by(m_port, now);
        if (m_held == nullptr) {
            return false;
        }
    }
    m_held->flits =
        packet_flits(m_topology, uint64_t(m_held->payload_bytes) + m_held->metadata_bytes);
    m_held->random = route_random(m_params.seed, m_held->message, m_held->index);
    m_held_sent = 0;
    return true;
}

// The next channel after the last one used that has room for the whole packet.
bool network_interface::choose_vc(uint32_t flits) {
    for (uint32_t i = 1; i <= m_topology.vcs; ++i) {
        uint32_t vc = (m_last_vc + i) % m_topology.vcs;
        if (m_credits[vc] >= flits) {
            m_last_vc = vc;
            return true;
        }
    }
    return false;
}

void network_interface::send(uint64_t now) {
    uint32_t sent = 0;
    do {
        packet* item = m_held->train > 1 ? next_of_train() : m_held;
        if (item == m_held) {
            m_held = nullptr;
        }
        if (m_window.limits()) {
            m_window.sent(item->destination, item->flits);
        }
        item->vc = m_last_vc;
        item->port = static_cast<uint8_t>(m_port);
        m_credits[m_last_vc] -= item->flits;
        count_injected(*item, 1);
        launch(item, sent == 0 ? now : m_port_free);
    } while (++sent < most_ahead && m_held != nullptr && may_send_ahead());
    m_wakeup.at(m_port_free);
}

void network_interface::count_injected(const packet& item, uint64_t packets) {
    m_statistics.injected_packets += packets;
    m_statistics.injected_flits += packets * item.flits;
    m_statistics.injected_payload_bytes += packets * item.payload_bytes;
    m_statistics.injected_metadata_bytes += packets * item.metadata_bytes;
    if (m_shared != nullptr) {
        m_shared->statistics.injected_packets += packets;
        m_shared->statistics.injected_payload_bytes += packets * item.payload_bytes;
        m_shared->statistics.injected_metadata_bytes += packets * item.metadata_bytes;
    }
}

// Puts an item on the link at `cycle`, the present or a later one.
void network_interface::launch(packet* item, uint64_t cycle) {
    item->injected = cycle;
    m_port_free = cycle + uint64_t(item->train) * item->flits;
    // Ask for the next one when the port is free.
    m_wake = std::min(m_wake, m_port_free);

    link_item message;
    message.packet = item;
    message.due = cycle + m_topology.injection_latency_cycles;
    link_phase phase = item->train > 1 ? link_phase::train : link_phase::packet;
    sc_core::sc_time delay = m_wakeup.annotation(message.due);
    m_forward->nb_transport_fw(message, phase, delay);
}

bool network_interface::credits_complete() const {
    std::vector<uint32_t> credits = m_credits;
    for (size_t i = 0; i < m_returning.size(); ++i) {
        credits[m_returning.at(i).vc] += m_returning.at(i).flits;
    }
    return std::all_of(credits.begin(), credits.end(),
                       [this](uint32_t flits) { return flits == m_topology.vc_depth_flits; });
}

void network_interface::describe_stuck(std::string& text) const {
    if (m_held != nullptr) {
        text += std::string(name()) + ": packet " + std::to_string(m_held->message) + "." +
                std::to_string(m_held->index) + " from die " + std::to_string(m_held->source) +
                " to die " + std::to_string(m_held->destination) + " waits for room for " +
                std::to_string(m_held->flits) + " flits in the injection queue\n";
    }
}

} // namespace chimera::fabric
