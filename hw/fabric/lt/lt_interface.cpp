// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/lt/lt_interface.h"

#include <algorithm>
#include <string>

#include "hw/base/random.h"

namespace chimera::fabric {

lt_interface::lt_interface(const sc_core::sc_module_name& name, const lt_context& context,
                           uint32_t die, uint32_t port)
    : sc_core::sc_module(name), out("out"), in("in"), m_context(context), m_die(die),
      m_port(port), m_limit{std::max<uint64_t>(1, context.params.lt_chunk_bytes /
                                                      context.topology.mtu_bytes),
                            context.params.lt_chunk_share},
      m_overtaking(context.topology.random_bits > 0 || !context.params.lt_in_order),
      m_prompt(chm_die_ports(&context.topology, die) > 1 && context.topology.random_bits > 0),
      m_wakeup("wakeup", chm_clock_khz(context.topology.clock_ghz)),
      m_ways(context.topology, context.params.seed) {
    out.bind(*this);
    in.bind(*this);
    SC_METHOD(activate);
    sensitive << m_wakeup.event();
    dont_initialize();
}

void lt_interface::end_of_elaboration() {
    m_router = out.operator->();
    if (m_client != nullptr && m_client->needs_at()) {
        m_context.shared.faults += std::string(name()) + ": its client needs packets timed one by "
                                                         "one; allowed: fidelity at\n";
    }
}

void lt_interface::set_client(network_client* client) {
    m_client = client;
    m_takes_chunks = client != nullptr && client->takes_chunks();
}

void lt_interface::wake(uint64_t now) {
    m_wake = std::min(m_wake, now);
    // Mostly it has a turn anyway.
    if (next_injection() - std::min(next_injection(), m_context.params.lt_horizon_cycles / 2) <
        m_turn) {
        ask(m_context.turns.present());
    }
}

// The injection of what the client has is no further away than the horizon.
bool lt_interface::may_offer(uint64_t now) const {
    const uint64_t cycle = next_injection();
    return m_wake != kernel::never &&
           cycle - std::min(cycle, now) <= m_context.params.lt_horizon_cycles;
}

// For a turn in time for the next injection and soon after the next late arrival, unless it has one
// that early.
void lt_interface::ask(uint64_t now) {
    uint64_t cycle = m_late.empty() ? kernel::never : m_context.turns.round_after(m_late.next());
    if (m_wake != kernel::never) {
        const uint64_t next = next_injection();
        cycle = std::min(cycle, next - std::min(next, m_context.params.lt_horizon_cycles / 2));
    }
    if (cycle < m_turn) {
        m_turn = m_context.turns.ask_interface(m_context.topology.first_die_port[m_die] + m_port,
                                               *this, cycle, now);
    }
}

void lt_interface::activate() {
    const uint64_t now = m_wakeup.fired();
    ++m_context.shared.statistics.activations;
    deliver(now);
    if (!m_arrivals.empty()) {
        m_wakeup.at(m_arrivals.next());
    }
}

void lt_interface::prefetch_queues() const {
    __builtin_prefetch(&m_port_free, 1);
    __builtin_prefetch(&m_statistics, 1);
    __builtin_prefetch(m_client);
}

void lt_interface::prefetch_first() const {
    m_late.each([this](const lt_late_arrivals::arrival& one) {
        __builtin_prefetch(&m_context.chunks.at(one.place), 1);
    });
}

void lt_interface::take_turn(uint64_t now) {
    m_turn = 0; // nothing asks for one meanwhile
    hand_over_late(now);
    uint64_t next = 0;
    while (may_offer(now) && next_injection() >= next) {
        const uint64_t cycle = std::max({now, m_wake, m_port_free});
        m_wake = kernel::never;
        if (offer(now, cycle)) {
            m_wake = std::min(m_wake, m_port_free);
        }
        next = cycle + 1; // a client that has nothing may have said when it will
    }
    m_turn = kernel::never;
    ask(now);
}

uint64_t lt_interface::unstalled(uint64_t cycle) const {
    const uint64_t place = (static_cast<uint64_t>(~m_die) << 32) | (2 * m_port);
    while (m_context.params.stall_probability > 0 &&
           chm_chance(chm_hash3(m_context.params.seed, place, cycle),
                      m_context.params.stall_probability)) {
        ++cycle;
    }
    return cycle;
}

uint32_t lt_interface::flits_of(uint64_t bytes) {
    if (bytes != m_known_bytes || m_known_flits == 0) {
        m_known_bytes = bytes;
        m_known_flits = static_cast<uint32_t>(chm_topology_flits(&m_context.topology, bytes));
    }
    return m_known_flits;
}

// Takes from the client what it has for `cycle` and sends it; false if it has nothing.
bool lt_interface::offer(uint64_t now, uint64_t cycle) {
    m_port_free = unstalled(cycle);
    if (!m_takes_chunks) {
        gather(m_port_free);
        for (chunk* each : m_gathered) {
            send(now, *each);
        }
        return !m_gathered.empty();
    }
    chunk& item = m_context.chunks.take();
    if (!m_client->next_chunk_by(m_port, m_port_free, m_limit, item)) {
        m_context.chunks.give(item);
        return false;
    }
    item.flits = flits_of(item.payload_bytes + item.metadata_bytes);
    send(now, item);
    return true;
}

// Packets of one message among the next ones travel together, where its first one stands.
void lt_interface::gather(uint64_t cycle) {
    m_gathered.clear();
    uint64_t limit = m_limit.least;
    for (uint64_t count = 0; count < limit; ++count) {
        packet* item = m_client->next_packet_by(m_port, cycle);
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
    if (!m_overtaking) {
        send_part(now, item);
        return;
    }
    lt_pair& pair = m_order.pair(item.destination, now);
    m_ways.split(item, pair, m_context.chunks, m_parts);
    for (chunk* each : m_parts) {
        each->pair = &pair;
        each->turn = pair.issued++;
        send_part(now, *each);
    }
}

void lt_interface::send_part(uint64_t now, chunk& item) {
    chunk_head head;
    head.body = item.place;
    head.source = item.source;
    head.destination = item.destination;
    if (m_context.topology.random_bits > 0) {
        head.random = m_ways.choice(item.message, item.index);
    }
    head.awaited = item.awaited;
    head.flits = item.flits;
    head.due = m_port_free + m_context.topology.injection_latency_cycles;
    m_port_free += item.flits;
    sc_core::sc_time delay = m_context.clock.delay(now, head.due);
    m_router->b_transport(head, delay);
}

void lt_interface::b_transport(chunk_head& head, sc_core::sc_time&) {
    if (!m_overtaking && !head.awaited && m_takes_chunks) {
        file_late({head.due, head.body, head.hops});
        return;
    }
    chunk& item = m_context.chunks.at(head.body);
    item.due = head.due;
    item.hops = head.hops;
    if (item.items == nullptr && !m_takes_chunks) {
        SC_REPORT_ERROR("chimera/fabric/lt", "a chunk without packets for a client that knows "
                                             "packets only");
    }
    file_in_order(item, [this](chunk& each) { file(each); });
}

void lt_interface::file(chunk& item) {
    if (item.items != nullptr) {
        file_packets(item);
    } else if (item.awaited && (m_client->announced(item) || m_prompt)) {
        m_arrivals.add(item);
    } else {
        file_late({item.due, item.place, item.hops});
        return;
    }
    m_wakeup.at(m_arrivals.next());
}

void lt_interface::file_late(const lt_late_arrivals::arrival& item) {
    if (m_late.add(item)) {
        ask(m_context.turns.now());
    }
}

// The last one arrives with the chunk, the others before it.
void lt_interface::file_packets(chunk& item) {
    uint64_t due = item.due;
    for (packet* each = item.items; each != nullptr;) {
        packet* next = each->next;
        each->hops = static_cast<uint16_t>(item.hops);
        m_arrivals.add(*each, due);
        due -= each->flits;
        each = next;
    }
    m_context.chunks.give(item);
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

void lt_interface::hand_over(chunk& item) {
    count_arrived(item.packets, item.flits, item.payload_bytes, item.metadata_bytes, item.hops);
    m_client->chunk_arrived(item, item.due);
    m_context.chunks.give(item);
}

void lt_interface::hand_over_late(uint64_t now) {
    m_late.take(now, [this](const lt_late_arrivals::arrival& one) {
        chunk& item = m_context.chunks.at(one.place);
        item.due = one.due;
        item.hops = one.hops;
        hand_over(item);
    });
}

void lt_interface::deliver(uint64_t now) {
    hand_over_late(now);
    while (!m_arrivals.empty() && m_arrivals.next() <= now) {
        const lt_arrivals::arrival one = m_arrivals.take();
        if (one.item == nullptr) {
            hand_over(*one.whole);
            continue;
        }
        const packet& item = *one.item;
        count_arrived(1, item.flits, item.payload_bytes, item.metadata_bytes, item.hops);
        m_client->packet_arrived(one.item, now);
    }
}

} // namespace chimera::fabric
