// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/lt/lt_interface.h"

#include <algorithm>
#include <string>

#include "hw/base/random.h"

namespace chimera::fabric {

lt_interface::lt_interface(const sc_core::sc_module_name& name, const lt_context& context,
                           uint32_t die)
    : sc_core::sc_module(name), out("out"), in("in"), m_context(context), m_die(die),
      m_input(chm_die_injection_port(&context.topology, die)),
      m_limit{std::max<uint64_t>(1, context.params.lt_chunk_bytes / context.topology.mtu_bytes),
              context.params.lt_chunk_share},
      m_wakeup("wakeup", chm_clock_khz(context.topology.clock_ghz)),
      m_ways(context.topology, context.params.seed) {
    out.bind(*this);
    in.bind(*this);
    SC_METHOD(activate);
    sensitive << m_wakeup.event();
    dont_initialize();
}

void lt_interface::end_of_elaboration() {
    if (m_client != nullptr && m_client->needs_at()) {
        m_context.shared.faults += std::string(name()) + ": its client needs packets timed one by "
                                                         "one; allowed: fidelity at\n";
    }
}

void lt_interface::wake(uint64_t now) {
    m_wake = std::min(m_wake, now);
    schedule(now);
}

// The injection of what the client has is no further away than the horizon.
bool lt_interface::may_offer(uint64_t now) const {
    const uint64_t cycle = std::max(m_wake, m_port_free);
    return m_wake != kernel::never &&
           cycle - std::min(cycle, now) <= m_context.params.lt_horizon_cycles;
}

void lt_interface::schedule(uint64_t now) {
    if (!m_arrivals.empty()) {
        m_wakeup.at(m_arrivals.next());
    }
    if (m_wake != kernel::never && !m_asked) {
        const uint64_t cycle = std::max(m_wake, m_port_free);
        m_wakeup.at(std::max(now, cycle - std::min(cycle, m_context.params.lt_horizon_cycles / 2)));
    }
}

void lt_interface::activate() {
    const uint64_t now = m_wakeup.fired();
    ++m_context.shared.statistics.activations;
    deliver(now);
    if (!m_asked && may_offer(now)) {
        m_asked = true;
        m_context.turns.ask(m_die, *this, now);
    }
    schedule(now);
}

void lt_interface::take_turn(uint64_t now) {
    m_asked = false;
    while (may_offer(now)) {
        const uint64_t cycle = std::max({now, m_wake, m_port_free});
        m_wake = kernel::never;
        if (!offer(now, cycle)) {
            break;
        }
        m_wake = std::min(m_wake, m_port_free);
    }
    schedule(now);
}

uint64_t lt_interface::unstalled(uint64_t cycle) const {
    const uint64_t place = static_cast<uint64_t>(~m_die) << 32;
    while (m_context.params.stall_probability > 0 &&
           chm_chance(chm_hash3(m_context.params.seed, place, cycle),
                      m_context.params.stall_probability)) {
        ++cycle;
    }
    return cycle;
}

// Takes from the client what it has for `cycle` and sends it; false if it has nothing.
bool lt_interface::offer(uint64_t now, uint64_t cycle) {
    m_port_free = unstalled(cycle);
    if (!m_client->takes_chunks()) {
        gather(m_port_free);
        for (chunk* each : m_gathered) {
            send(now, *each);
        }
        return !m_gathered.empty();
    }
    chunk& item = m_context.chunks.take();
    if (!m_client->next_chunk(m_port_free, m_limit, item)) {
        m_context.chunks.give(item);
        return false;
    }
    item.flits = static_cast<uint32_t>(
        chm_topology_flits(&m_context.topology, item.payload_bytes + item.metadata_bytes));
    send(now, item);
    return true;
}

// Packets of one message among the next ones travel together, where its first one stands.
void lt_interface::gather(uint64_t cycle) {
    m_gathered.clear();
    uint64_t limit = m_limit.least;
    for (uint64_t count = 0; count < limit; ++count) {
        packet* item = m_client->next_packet(cycle);
        if (item == nullptr) {
            return;
        }
        item->flits =
            packet_flits(m_context.topology, uint64_t(item->payload_bytes) + item->metadata_bytes);
        item->injected = cycle;
        cycle += item->flits;
        limit = std::max(limit, m_limit.packets(item->index));
        append(*item);
    }
}

void lt_interface::append(packet& item) {
    // The last chunk to that destination, so that packets to it keep their order.
    auto at = std::find_if(m_gathered.rbegin(), m_gathered.rend(), [&item](const chunk* one) {
        return one->destination == item.destination;
    });
    chunk* open = at == m_gathered.rend() ? nullptr : *at;
    if (open == nullptr || open->message != item.message) {
        open = &m_context.chunks.take();
        open->source = item.source;
        open->destination = item.destination;
        open->message = item.message;
        open->index = item.index;
        open->packets = 0;
        m_gathered.push_back(open);
    }
    chunk& one = *open;
    ++one.packets;
    one.payload_bytes += item.payload_bytes;
    one.metadata_bytes += item.metadata_bytes;
    one.flits += item.flits;
    one.last = item.last;
    item.next = one.items;
    one.items = &item;
}

void lt_interface::send(uint64_t now, chunk& item) {
    m_statistics.injected_packets += item.packets;
    m_statistics.injected_flits += item.flits;
    m_statistics.injected_payload_bytes += item.payload_bytes;
    m_statistics.injected_metadata_bytes += item.metadata_bytes;
    fabric_statistics& sum = m_context.shared.statistics;
    sum.injected_packets += item.packets;
    sum.injected_payload_bytes += item.payload_bytes;
    sum.injected_metadata_bytes += item.metadata_bytes;
    lt_pair& pair = m_order.pair(item.destination, now);
    m_ways.split(item, pair, m_context.chunks, m_parts);
    for (chunk* each : m_parts) {
        send_part(now, *each, pair);
    }
}

void lt_interface::send_part(uint64_t now, chunk& item, lt_pair& pair) {
    item.pair = &pair;
    item.turn = pair.issued++;
    chunk_head head;
    head.body = &item;
    head.source = item.source;
    head.destination = item.destination;
    head.random = m_ways.random(item.message, item.index);
    head.flits = item.flits;
    head.called = now;
    head.input = m_input;
    head.due = m_port_free + m_context.topology.injection_latency_cycles;
    m_port_free += item.flits;
    sc_core::sc_time delay = m_context.clock.delay(now, head.due);
    out->b_transport(head, delay);
}

void lt_interface::b_transport(chunk_head& head, sc_core::sc_time&) {
    head.body->due = head.due;
    head.body->hops = head.hops;
    if (head.body->items == nullptr && !m_client->takes_chunks()) {
        SC_REPORT_ERROR("chimera/fabric/lt", "a chunk without packets for a client that knows "
                                             "packets only");
    }
    m_arrivals.file(*head.body, m_context.chunks);
    if (!m_arrivals.empty()) {
        m_wakeup.at(m_arrivals.next());
    }
}

void lt_interface::count_arrived(uint64_t packets, uint64_t flits, uint64_t payload,
                                 uint64_t metadata, uint64_t hops) {
    m_statistics.ejected_packets += packets;
    m_statistics.ejected_flits += flits;
    m_statistics.ejected_payload_bytes += payload;
    m_statistics.ejected_metadata_bytes += metadata;
    m_statistics.ejected_hops += hops * packets;
    m_statistics.ejected_byte_hops += hops * (payload + metadata);
    fabric_statistics& sum = m_context.shared.statistics;
    sum.ejected_packets += packets;
    sum.packet_hops += hops * packets;
    sum.byte_hops += hops * (payload + metadata);
}

void lt_interface::deliver(uint64_t now) {
    while (!m_arrivals.empty() && m_arrivals.next() <= now) {
        const lt_arrivals::arrival one = m_arrivals.take();
        if (one.item != nullptr) {
            const packet& item = *one.item;
            count_arrived(1, item.flits, item.payload_bytes, item.metadata_bytes, item.hops);
            m_client->packet_arrived(one.item, now);
        } else {
            const chunk& item = *one.whole;
            count_arrived(item.packets, item.flits, item.payload_bytes, item.metadata_bytes,
                          item.hops);
            m_client->chunk_arrived(item, now);
            m_context.chunks.give(*one.whole);
        }
    }
}

} // namespace chimera::fabric
