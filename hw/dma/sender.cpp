// SPDX-License-Identifier: Apache-2.0
#include "hw/dma/sender.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "hw/base/checked.h"
#include "hw/dma/message_format.h"

namespace chimera::dma {

namespace {

// The order of a heap whose front is the message to be taken next.
auto later_of(bool by_round) {
    return [by_round](const message& a, const message& b) {
        const auto rank = [by_round](const message& m) {
            return std::make_tuple(by_round ? m.tag.seq : 0, by_round ? m.round : 0, m.order);
        };
        return rank(a) > rank(b);
    };
}

} // namespace

sender::sender(const sender_params& params, reader read)
    : m_params(params), m_read(std::move(read)), m_channels(params.ports * params.channels),
      m_waiting(params.ports) {
    for (channel& fresh : m_channels) {
        fresh.reads.resize(params.read_ahead);
    }
}

void sender::post(message&& item, uint64_t now) {
    item.packets = std::max<uint64_t>(1, chm_ceil_div_u64(item.size.total(), m_params.mtu_bytes));
    item.order = m_orders++;
    const uint32_t port = port_of(item, 0);
    std::vector<message>& waiting = m_waiting[port];
    waiting.push_back(std::move(item));
    std::push_heap(waiting.begin(), waiting.end(), later_of(m_params.per_destination));
    channel* const first = &m_channels[port * m_params.channels];
    channel* const end = first + m_params.channels;
    channel* const free = std::find_if(first, end, [](const channel& c) { return !c.busy; });
    if (free != end) {
        assign(*free, now);
    }
}

message sender::take_waiting(uint32_t port) {
    std::vector<message>& waiting = m_waiting[port];
    std::pop_heap(waiting.begin(), waiting.end(), later_of(m_params.per_destination));
    message item = std::move(waiting.back());
    waiting.pop_back();
    return item;
}

void sender::assign(channel& free, uint64_t now) {
    free.busy = true;
    free.item = take_waiting(home(free));
    free.port = home(free);
    ++m_busy;
    const uint64_t set_up = now + m_params.setup_cycles;
    const uint64_t ahead = std::min<uint64_t>(m_params.read_ahead, free.item.packets);
    for (uint64_t packet = 0; packet < ahead; ++packet) {
        free.reads[packet] = fetch(free, packet, set_up);
    }
    if (m_trace != nullptr) {
        tell(free, now);
    }
}

void sender::release(channel& done, uint64_t now) {
    done.busy = false;
    done.free_from = now;
    --m_busy;
    if (m_trace != nullptr) {
        m_trace->channel_ends(m_die, static_cast<uint32_t>(&done - m_channels.data()), now);
    }
    if (!m_waiting[home(done)].empty()) {
        assign(done, now);
    }
}

void sender::set_observer(trace::observer* observer, uint32_t die, uint64_t now) {
    m_trace = observer;
    m_die = die;
    for (const channel& each : m_channels) {
        if (observer != nullptr && each.busy) {
            tell(each, now);
        }
    }
}

// A loosely timed network asks ahead, so that a channel may be given again before it is free.
void sender::tell(const channel& source, uint64_t now) const {
    const message& item = source.item;
    const uint64_t begin = std::max(now, source.free_from);
    const uint64_t ready = std::max(begin, item.sent == 0 ? source.ready() : now);
    m_trace->channel_begins(
        m_die, static_cast<uint32_t>(&source - m_channels.data()),
        {m_die, item.destination, item.tag.seq, item.tag.chunk, item.packets, item.size.total()},
        begin, ready);
}

// Packets are read ahead, so that reading overlaps with sending.
uint64_t sender::fetch(const channel& source, uint64_t packet, uint64_t from) const {
    const uint64_t begin = packet * m_params.mtu_bytes;
    const uint64_t total = source.item.size.total();
    const uint64_t bytes =
        begin < total ? std::min<uint64_t>(m_params.mtu_bytes, total - begin) : 0;
    return m_read && bytes != 0 ? m_read(bytes, from) : from;
}

uint64_t sender::last_served(uint32_t destination) const {
    return destination < m_served.size() ? m_served[destination] : 0;
}

bool sender::before(const channel& a, const channel& b) const {
    if (!m_params.per_destination) {
        return a.item.order < b.item.order;
    }
    const auto rank = [this](const channel& c) {
        return std::make_tuple(c.item.tag.seq, c.item.round, last_served(c.item.destination),
                               c.item.order);
    };
    return rank(a) < rank(b);
}

sender::channel* sender::choose(uint64_t now, uint32_t port) {
    channel* best = nullptr;
    for (channel& candidate : m_channels) {
        // A FIFO waits for its head; else what is ready may pass.
        const bool eligible = candidate.busy && candidate.port == port &&
                              (!m_params.per_destination || candidate.ready() <= now);
        if (eligible && (best == nullptr || before(candidate, *best))) {
            best = &candidate;
        }
    }
    return best != nullptr && best->ready() <= now ? best : nullptr;
}

std::deque<message>::const_iterator sender::first_control(uint32_t port) const {
    return std::find_if(m_control.begin(), m_control.end(),
                        [&](const message& item) { return port_of(item, 0) == port; });
}

bool sender::next(uint64_t now, fabric::packet& packet, message& done, bool& is_last,
                  uint32_t port) {
    const auto control = first_control(port);
    if (control != m_control.end()) {
        fill(*control, packet);
        done = *control;
        m_control.erase(control);
        is_last = true;
        return true;
    }
    channel* chosen = choose(now, port);
    if (chosen == nullptr) {
        return false;
    }
    message& item = chosen->item;
    fill(item, packet);
    if (item.destination >= m_served.size()) {
        m_served.resize(item.destination + 1, 0);
    }
    m_served[item.destination] = ++m_serves;
    is_last = ++item.sent == item.packets;
    if (is_last) {
        done = std::move(item);
        release(*chosen, now);
    } else {
        chosen->port = port_of(item, item.sent);
        const uint64_t next = item.sent + m_params.read_ahead - 1;
        if (next < item.packets) { // into the place of the packet that left
            chosen->reads[next % m_params.read_ahead] = fetch(*chosen, next, now);
        }
    }
    return true;
}

void sender::fill(const message& item, fabric::packet& packet) const {
    const uint64_t total = item.size.total();
    const uint64_t begin = std::min<uint64_t>(item.sent * m_params.mtu_bytes, total);
    const uint64_t end = std::min<uint64_t>(begin + m_params.mtu_bytes, total);
    // Headers and row ids come first on the wire.
    const uint64_t metadata = item.size.metadata;
    packet.metadata_bytes =
        static_cast<uint32_t>(std::min(end, metadata) - std::min(begin, metadata));
    packet.payload_bytes = static_cast<uint32_t>(end - begin) - packet.metadata_bytes;
    packet.destination = item.destination;
    packet.tag = item.tag;
    packet.message = item.number();
    packet.index = static_cast<uint32_t>(item.sent);
    packet.last = item.sent + 1 == item.packets;
    if (packet.data != nullptr) {
        put_part(packet.data, item.bytes, item.sent, item.packets);
    }
}

uint64_t sender::ready_at(uint32_t port) const {
    if (first_control(port) != m_control.end()) {
        return 0;
    }
    uint64_t earliest = UINT64_MAX;
    uint64_t first_order = UINT64_MAX;
    for (const channel& candidate : m_channels) {
        if (!candidate.busy || candidate.port != port) {
            continue;
        }
        if (m_params.per_destination) {
            earliest = std::min(earliest, candidate.ready());
        } else if (candidate.item.order < first_order) {
            first_order = candidate.item.order;
            earliest = candidate.ready();
        }
    }
    return earliest;
}

} // namespace chimera::dma
