// SPDX-License-Identifier: Apache-2.0
// Trains at a network interface (train.h). While one is being sent, credits and channels are as
// they were before its first packet.
#include <algorithm>

#include "hw/base/random.h"
#include "hw/fabric/network_interface.h"
#include "hw/fabric/train.h"

namespace chimera::fabric {

namespace {
constexpr uint32_t longest_patience = 4096; // packets between trains that are cut again and again
constexpr uint32_t most_links = 1024;       // of a way that is compared with others
} // namespace

void network_interface::file_train_cut(uint32_t, uint32_t keep, uint64_t due) {
    packet* item = m_arriving.back().item;
    item->train = keep;
    item->last = false;
    m_wakeup.at(std::max(due, m_arriving.back().last_due()));
}

void network_interface::file_credit_cut(uint32_t, uint32_t serial, uint64_t from, uint64_t due) {
    m_credit_cuts.push_back({due, serial, from});
    m_wakeup.at(due);
}

// The next packet of the train that is held, on its own; the last one takes the train's place.
packet* network_interface::next_of_train() {
    const uint32_t i = m_held_sent++;
    packet* item = m_pool->take();
    train_extract(*item, *m_held, i,
                  route_random(m_params.seed, m_held->message, m_held->index + i));
    m_singles -= m_singles > 0 ? 1 : 0;
    if (m_held_sent == m_held->train) {
        m_pool->give(m_held);
        m_held = nullptr;
    }
    return item;
}

bool network_interface::may_send_train(uint64_t) const {
    if (!m_params.trains || m_pool == nullptr || m_params.stall_probability > 0 || m_singles > 0 ||
        m_topology.vcs < 2 || m_held->train - m_held_sent < shortest_train) {
        return false;
    }
    const uint64_t room = train_room(round_trip(m_held->flits), m_held->flits, m_topology.vcs);
    return std::all_of(m_credits.begin(), m_credits.end(),
                       [room](uint32_t credits) { return credits >= room; }) &&
           one_way(m_held->destination);
}

// What the packet does that comes behind the one just sent, when the port is free again, is certain
// now: nothing is asked before, no train is tried, and the channel whose turn it is has room and
// can only get more.
bool network_interface::may_send_ahead() {
    if ((m_held->train - m_held_sent >= shortest_train && m_singles == 0) ||
        m_params.stall_probability > 0 || m_window.limits()) {
        return false;
    }
    const uint32_t next = m_last_vc + 1 < m_topology.vcs ? m_last_vc + 1 : 0;
    if (m_credits[next] < m_held->flits) {
        return false;
    }
    m_last_vc = next;
    return true;
}

// Whatever the random key, packets take the same links.
bool network_interface::one_way(uint32_t destination) const {
    if (m_topology.random_bits == 0) {
        return true;
    }
    if (m_topology.random_bits > 4) {
        return false;
    }
    uint32_t links[most_links], others[most_links];
    chm_route_key key = {m_die, destination, 0};
    const uint32_t count = chm_topology_path(&m_topology, &key, links, most_links);
    if (count > most_links) {
        return false;
    }
    for (key.random = 1; key.random < (uint64_t(1) << m_topology.random_bits); ++key.random) {
        if (chm_topology_path(&m_topology, &key, others, most_links) != count ||
            !std::equal(links, links + count, others)) {
            return false;
        }
    }
    return true;
}

uint64_t network_interface::round_trip(uint32_t flits) const {
    return 2 * uint64_t(m_topology.injection_latency_cycles) + flits + m_params.credit_delay_cycles;
}

void network_interface::send_train(uint64_t now) {
    packet* item = m_held;
    m_held = nullptr;
    item->index += m_held_sent;
    item->train -= m_held_sent;
    item->vc = (m_last_vc + 1) % m_topology.vcs;
    item->vc_base = 0;
    item->vc_width = static_cast<uint16_t>(m_topology.vcs);
    item->serial = ++m_serial;
    item->random = route_random(m_params.seed, item->message, item->index);
    m_train = {*item, now, true, kernel::never};
    count_injected(*item, item->train);
    ++m_shared->trains_sending;
    launch(item, now);
    m_wakeup.at(m_port_free);
}

// Before anything else of this cycle: word of credits, and a train that is through.
void network_interface::work_off_trains(uint64_t now) {
    for (const credit_cut& cut : m_credit_cuts) {
        if (cut.due > now) {
            continue;
        }
        if (m_train.sending && m_train.item.serial == cut.serial) {
            m_train.uncredited_from = cut.from;
            cut_train(now);
        } else {
            withdraw_credits(m_returning, cut.serial, cut.from);
        }
    }
    m_credit_cuts.erase(std::remove_if(m_credit_cuts.begin(), m_credit_cuts.end(),
                                       [now](const credit_cut& cut) { return cut.due <= now; }),
                        m_credit_cuts.end());
    if (!m_credit_cuts.empty()) {
        m_wakeup.at(m_credit_cuts.front().due);
    }
    if (m_train.sending && m_port_free <= now) {
        settle_train(m_train.item.train, now);
        m_patience = shortest_train;
    }
}

// The first packets of the train are sent; what they did to channels and credits.
void network_interface::settle_train(uint32_t packets, uint64_t now) {
    const packet& item = m_train.item;
    const uint64_t usable = m_train.first + round_trip(item.flits);
    for (uint32_t i = train_packets_before(usable, item.flits, packets, now + 1); i < packets;
         ++i) {
        const uint32_t vc = train_channel(item.vc, 0, m_topology.vcs, i);
        const uint64_t due = usable + uint64_t(i) * item.flits;
        m_credits[vc] -= item.flits;
        if (due < m_train.uncredited_from) {
            m_returning.push({due, vc, item.flits, item.serial});
        }
    }
    m_last_vc = train_channel(item.vc, 0, m_topology.vcs, packets - 1);
    m_train.sending = false;
    --m_shared->trains_sending;
}

// What has not been sent before `now` is held again, and goes one by one for a while.
void network_interface::cut_train(uint64_t now) {
    const packet& item = m_train.item;
    const uint32_t packets = train_packets_before(m_train.first, item.flits, item.train, now);
    settle_train(packets, now);
    if (packets == item.train) {
        return;
    }
    m_held = m_pool->take();
    uint8_t* data = m_held->data;
    *m_held = item;
    m_held->data = data;
    m_held->index += packets;
    m_held->train -= packets;
    m_held->random = route_random(m_params.seed, m_held->message, m_held->index);
    m_held_sent = 0;
    count_injected(item, uint64_t(packets) - item.train); // modulo 2^64
    m_port_free = m_train.first + uint64_t(packets) * item.flits;
    m_wakeup.at(std::max(m_port_free, now));
    m_singles = m_patience;
    m_patience = std::min(2 * m_patience, longest_patience);

    link_item message;
    message.keep = packets;
    message.due = now + 1;
    link_phase phase = link_phase::train_cut;
    sc_core::sc_time delay = m_wakeup.annotation(message.due);
    out->nb_transport_fw(message, phase, delay);
}

} // namespace chimera::fabric
