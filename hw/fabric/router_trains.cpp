// SPDX-License-Identifier: Apache-2.0
// Trains at a router (train.h). While one passes, it stays the first of its input's arrivals and
// nobody else wants its output: the router's state is as it was before the train's first packet,
// and settle_train makes it what it would be after so many packets one by one.
#include <algorithm>

#include "hw/base/random.h"
#include "hw/fabric/router_core.h"
#include "hw/fabric/train.h"

namespace chimera::fabric {

uint64_t router_core::file_train_cut(uint32_t input, uint32_t keep, uint64_t due) {
    m_notices.push_back({due, false, input, keep, 0, 0});
    return filed(due, due);
}

uint64_t router_core::file_credit_cut(uint32_t output, uint32_t serial, uint64_t from,
                                      uint64_t due) {
    m_notices.push_back({due, true, output, 0, serial, from});
    return filed(due, due);
}

// Before anything else of this cycle: notices, trains that are through, and trains with rivals.
void router_core::work_off_trains(uint64_t now, router_sink& sink) {
    m_notices.erase(
        std::remove_if(m_notices.begin(), m_notices.end(),
                       [&](const notice& item) { return take_notice(item, now, sink); }),
        m_notices.end());
    for (size_t i = m_passing.size(); i-- > 0;) {
        const passing_train& train = m_passing[i];
        if (train.first + uint64_t(train.count) * train.flits <= now) {
            settle_train(train, train.count, now);
            leave(i);
        } else if (has_rival(train, now)) {
            cut(i, now, sink);
        }
    }
}

bool router_core::take_notice(const notice& item, uint64_t now, router_sink& sink) {
    if (item.due > now) {
        return false;
    }
    if (!item.credit) {
        shorten(item, now, sink);
        return true;
    }
    for (size_t i = 0; i < m_passing.size(); ++i) {
        if (m_passing[i].output == item.port && m_passing[i].serial == item.serial) {
            m_passing[i].uncredited_from = item.from;
            cut(i, now, sink);
            return true;
        }
    }
    withdraw_credits(m_outputs[item.port].returning, item.serial, item.from);
    return true;
}

// The train last filed at an input has only so many packets. What upstream sends instead may be
// behind it already.
void router_core::shorten(const notice& item, uint64_t now, router_sink& sink) {
    ring_queue<queued_packet>& arriving = m_inputs[item.port].arriving;
    size_t at = arriving.size() - 1;
    while (arriving.at(at).count == 0) {
        --at;
    }
    queued_packet& entry = arriving.at(at);
    const uint32_t removed = entry.item->train - item.keep;
    entry.item->train = item.keep;
    entry.item->last = false;
    entry.count -= removed;
    if (at == 0 && m_passing_at[item.port]) {
        for (passing_train& train : m_passing) {
            if (train.input == item.port) {
                train.count -= removed;
                m_next_due[item.port] = train.first + uint64_t(train.count) * train.flits;
                sink.send_train_cut(train.output, train.count, now + 1);
            }
        }
    } else if (entry.count == 0) {
        m_pool->give(entry.item);
        arriving.erase(at);
        --m_trains;
        m_next_due[item.port] = arriving.empty() ? never : arriving.front().due;
    }
}

// Somebody else wants its output: has come, or was behind another and now is the head.
bool router_core::has_rival(const passing_train& train, uint64_t now) const {
    if (m_wanted.contains(0, train.output)) {
        return true;
    }
    for (uint32_t port = 0; port < inputs(); ++port) {
        if (m_next_due[port] > now || port == train.input) {
            continue;
        }
        const ring_queue<queued_packet>& arriving = m_inputs[port].arriving;
        for (size_t i = m_passing_at[port] ? 1 : 0;
             i < arriving.size() && arriving.at(i).due <= now; ++i) {
            if (arriving.at(i).output == train.output) {
                return true;
            }
        }
    }
    return false;
}

// The packets that have not been granted before `now` go one by one.
void router_core::cut(size_t index, uint64_t now, router_sink& sink) {
    const passing_train train = m_passing[index];
    const uint32_t packets = train_packets_before(train.first, train.flits, train.count, now);
    settle_train(train, packets, now);
    if (packets < train.count) {
        sink.send_train_cut(train.output, packets, now + 1);
        demand_credits(train.input, now, sink);
    }
    leave(index);
}

// Takes a train out of those that pass; its entry goes if nothing is left of it.
void router_core::leave(size_t index) {
    const uint32_t port = m_passing[index].input;
    m_passing.erase(m_passing.begin() + static_cast<std::ptrdiff_t>(index));
    m_passing_at[port] = 0;
    ring_queue<queued_packet>& arriving = m_inputs[port].arriving;
    if (arriving.front().count == 0) {
        m_pool->give(arriving.front().item);
        arriving.pop();
        --m_trains;
    }
    m_next_due[port] = arriving.empty() ? never : arriving.front().due;
}

void router_core::settle_train(const passing_train& train, uint32_t packets, uint64_t now) {
    queued_packet& entry = m_inputs[train.input].arriving.front();
    if (packets > 0) {
        settle_ports(train, packets);
        settle_credits(train, packets, now);
    }
    entry.due += uint64_t(packets) * train.flits;
    entry.count -= packets;
    entry.vc = static_cast<uint16_t>(
        train_channel(entry.vc, entry.item->vc_base, entry.item->vc_width, packets));
}

void router_core::settle_ports(const passing_train& train, uint32_t packets) {
    const queued_packet& entry = m_inputs[train.input].arriving.front();
    output_unit& output = m_outputs[train.output];
    const uint64_t end = train.first + uint64_t(packets) * train.flits;
    m_input_busy[train.input] = end;
    m_output_busy[train.output] = end;
    output.busy_cycles += uint64_t(packets) * train.flits;
    m_grants += packets;

    // Each channel remembers the last packet that used it.
    const uint32_t recent = std::max<uint32_t>(output.class_width, entry.item->vc_width);
    for (uint32_t i = packets - std::min(packets, recent); i < packets; ++i) {
        const uint64_t tail = train.first + uint64_t(i + 1) * train.flits;
        const uint32_t in_vc =
            train_channel(train.in_vc, entry.item->vc_base, entry.item->vc_width, i);
        const uint32_t out_vc = train_channel(train.out_vc, entry.first_vc, output.class_width, i);
        const uint32_t channel = train.input * m_vcs + in_vc;
        m_heads[channel].ready_from = tail + 1;
        output.channels[out_vc].free_from = tail + 1;
        output.channels[out_vc].turn = channel + 1 < m_heads.size() ? channel + 1 : 0;
        m_switch_allocator.note({train.input, in_vc, train.output});
    }
    channel_class& own = output.classes[entry.first_vc];
    next_vc(train.input, train.output, entry.first_vc) = static_cast<uint16_t>(
        train_channel(train.out_vc, entry.first_vc, output.class_width, packets));
    own.retry_from = end - train.flits + 1;
}

// Credits that would be back are back; the others are under way, unless they are to be sent.
void router_core::settle_credits(const passing_train& train, uint32_t packets, uint64_t now) {
    output_unit& output = m_outputs[train.output];
    if (output.ejection) {
        return;
    }
    output.settle(now);
    const uint32_t first_vc = m_inputs[train.input].arriving.front().first_vc;
    const uint64_t usable = train.first + output.round_trip(train.flits);
    const uint32_t back = train_packets_before(usable, train.flits, packets, now + 1);
    for (uint32_t i = back; i < packets; ++i) {
        const uint32_t vc = train_channel(train.out_vc, first_vc, output.class_width, i);
        const uint64_t due = usable + uint64_t(i) * train.flits;
        output.channels[vc].room -= train.flits;
        if (due < train.uncredited_from) {
            output.returning.push({due, vc, train.flits, train.serial});
        }
    }
}

// Trains at the head of their inputs pass or are taken apart, now that all else has arrived.
void router_core::admit_trains(uint64_t now, router_sink& sink) {
    m_train_due = false;
    for (uint32_t port = 0; port < inputs(); ++port) {
        if (m_next_due[port] > now || m_passing_at[port]) {
            continue;
        }
        if (may_pass(port, m_inputs[port].arriving.front(), now)) {
            let_pass(port, now, sink);
        } else {
            take_apart(port, now, sink);
        }
    }
}

bool router_core::may_pass(uint32_t input, const queued_packet& entry, uint64_t now) {
    const packet& train = *entry.item;
    m_outputs[entry.output].settle(now);
    // What takes a slow link is spread: its packets go one by one from there on.
    if (m_stalls || m_outputs[entry.output].cycles_per_flit > 1 || train.serial == 0 ||
        entry.count < 2 || entry.count != train.train || entry.due != now ||
        m_wanted.contains(0, entry.output) || m_input_busy[input] > now ||
        m_output_busy[entry.output] > now || train.vc_width < 2) {
        return false;
    }
    for (uint32_t vc = 0; vc < m_vcs; ++vc) {
        if (!m_queues[input * m_vcs + vc].empty()) {
            return false;
        }
    }
    for (const passing_train& other : m_passing) {
        if (other.output == entry.output) {
            return false;
        }
    }
    for (uint32_t port = 0; port < inputs(); ++port) {
        if (port != input && !m_passing_at[port] && m_next_due[port] <= now &&
            m_inputs[port].arriving.front().output == entry.output) {
            return false; // two trains that come together: neither passes
        }
    }
    return channels_free(input, entry, now);
}

// Every packet finds the channel whose turn it is free, and room in it.
bool router_core::channels_free(uint32_t input, const queued_packet& entry, uint64_t now) {
    const output_unit& output = m_outputs[entry.output];
    const channel_class& own = output.classes[entry.first_vc];
    const uint32_t width = output.class_width;
    if (width < 2 || own.retry_from > now) {
        return false;
    }
    for (uint32_t i = 0; i < width; ++i) {
        const output_channel& channel = output.channels[train_channel(
            next_vc(input, entry.output, entry.first_vc), entry.first_vc, width, i)];
        if (channel.free_from > now + uint64_t(i) * entry.flits ||
            (!output.ejection &&
             channel.room < train_room(output.round_trip(entry.flits), entry.flits, width))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < entry.item->vc_width; ++i) {
        const uint32_t vc = train_channel(entry.vc, entry.item->vc_base, entry.item->vc_width, i);
        if (m_heads[input * m_vcs + vc].ready_from > now + uint64_t(i) * entry.flits) {
            return false;
        }
    }
    return true;
}

void router_core::let_pass(uint32_t input, uint64_t now, router_sink& sink) {
    const queued_packet& entry = m_inputs[input].arriving.front();
    output_unit& output = m_outputs[entry.output];
    packet* copy = m_pool->take();
    uint8_t* data = copy->data;
    *copy = *entry.item;
    copy->data = data;
    copy->vc = next_vc(input, entry.output, entry.first_vc);
    copy->vc_base = entry.first_vc;
    copy->vc_width = output.class_width;
    copy->serial = ++m_serial;
    copy->hops = static_cast<uint16_t>(copy->hops + (output.ejection ? 0 : 1));
    m_passing.push_back(
        {input, entry.output, entry.count, entry.flits, now, entry.vc, copy->vc, m_serial, never});
    m_passing_at[input] = 1;
    m_next_due[input] = now + uint64_t(entry.count) * entry.flits;
    sink.send_packet(entry.output, copy,
                     now + output.delay_cycles + (output.ejection ? entry.flits : 0));
}

// The packet of a train that is due goes on its own, and so will those behind it.
void router_core::take_apart(uint32_t input, uint64_t now, router_sink& sink) {
    demand_credits(input, now, sink);
    ring_queue<queued_packet>& arriving = m_inputs[input].arriving;
    queued_packet& train = arriving.front();
    const uint32_t i = train.item->train - train.count;
    queued_packet one = train;
    one.count = 0;
    one.item = m_pool->take();
    train_extract(*one.item, *train.item, i,
                  route_random(m_params.seed, train.item->message, train.item->index + i));
    const uint32_t channel = input * m_vcs + one.vc;
    m_queues[channel].push(one);
    if (m_queues[channel].size() == 1) {
        await_channel(channel, one);
    }
    train.due += train.flits;
    train.vc = static_cast<uint16_t>(
        train_channel(train.vc, train.item->vc_base, train.item->vc_width, 1));
    if (--train.count == 0) {
        m_pool->give(train.item);
        arriving.pop();
        --m_trains;
    }
    m_next_due[input] = arriving.empty() ? never : arriving.front().due;
}

// Tells upstream that credits of the train at the head of an input will be sent from now on.
void router_core::demand_credits(uint32_t input, uint64_t now, router_sink& sink) {
    queued_packet& entry = m_inputs[input].arriving.front();
    if (entry.item->serial != 0 && entry.count > 0) {
        sink.send_credit_cut(input, entry.item->serial,
                             entry.due + entry.flits + m_inputs[input].credit_cycles, now + 1);
        entry.item->serial = 0;
    }
}

} // namespace chimera::fabric
