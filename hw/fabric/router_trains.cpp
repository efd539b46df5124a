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
    withdraw_credits(output_at(item.port).returning, item.serial, item.from);
    return true;
}

// The train last filed at an input has only so many packets. What upstream sends instead may be
// behind it already.
void router_core::shorten(const notice& item, uint64_t now, router_sink& sink) {
    packet_list& arriving = m_inputs[item.port].arriving;
    packet* entry = arriving.first();
    for (packet* later = entry; later != nullptr; later = later->next) {
        entry = later->count > 0 ? later : entry;
    }
    const uint32_t removed = entry->train - item.keep;
    entry->train = item.keep;
    entry->last = false;
    entry->count -= removed;
    if (entry == arriving.first() && m_passing_at[item.port]) {
        for (passing_train& train : m_passing) {
            if (train.input == item.port) {
                train.count -= removed;
                m_next_due[item.port] = train.first + uint64_t(train.count) * train.flits;
                sink.send_train_cut(train.output, train.count, now + 1);
            }
        }
    } else if (entry->count == 0) {
        arriving.erase(entry);
        m_pool->give(entry);
        --m_trains;
        m_next_due[item.port] = arriving.empty() ? never : arriving.first()->due;
    }
}

// Somebody else wants its output: has come, or was behind another and now is the head.
bool router_core::has_rival(const passing_train& train, uint64_t now) const {
    if (wanted(train.output)) {
        return true;
    }
    for (uint32_t port = 0; port < inputs(); ++port) {
        if (m_next_due[port] > now || port == train.input) {
            continue;
        }
        const packet* item = m_inputs[port].arriving.first();
        for (item = m_passing_at[port] ? item->next : item; item != nullptr && item->due <= now;
             item = item->next) {
            if (item->output == train.output) {
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
    packet_list& arriving = m_inputs[port].arriving;
    if (arriving.first()->count == 0) {
        m_pool->give(arriving.pop());
        --m_trains;
    }
    m_next_due[port] = arriving.empty() ? never : arriving.first()->due;
}

void router_core::settle_train(const passing_train& train, uint32_t packets, uint64_t now) {
    packet& entry = *m_inputs[train.input].arriving.first();
    if (packets > 0) {
        settle_ports(train, packets);
        settle_credits(train, packets, now);
    }
    entry.due += uint64_t(packets) * train.flits;
    entry.count -= packets;
    entry.vc = train_channel(entry.vc, entry.vc_base, entry.vc_width, packets);
}

void router_core::settle_ports(const passing_train& train, uint32_t packets) {
    const packet& entry = *m_inputs[train.input].arriving.first();
    output_unit& output = output_at(train.output);
    const uint64_t end = train.first + uint64_t(packets) * train.flits;
    m_input_busy[train.input] = end;
    m_output_busy[train.output] = end;
    output.busy_cycles += uint64_t(packets) * train.flits;
    m_grants += packets;

    // Each channel remembers the last packet that used it.
    const uint32_t recent = std::max<uint32_t>(output.class_width, entry.vc_width);
    for (uint32_t i = packets - std::min(packets, recent); i < packets; ++i) {
        const uint64_t tail = train.first + uint64_t(i + 1) * train.flits;
        const uint32_t in_vc = train_channel(train.in_vc, entry.vc_base, entry.vc_width, i);
        const uint32_t out_vc = train_channel(train.out_vc, entry.first_vc, output.class_width, i);
        const uint32_t channel = train.input * m_vcs + in_vc;
        m_channels[channel].ready_from = tail + 1;
        output.channels[out_vc].free_from = tail + 1;
        output.channels[out_vc].turn = channel + 1 < m_channel_count ? channel + 1 : 0;
        m_switch_allocator.note({train.input, in_vc, train.output});
    }
    channel_class& own = output.classes[entry.first_vc];
    next_vc(train.input, train.output, entry.first_vc) = static_cast<uint16_t>(
        train_channel(train.out_vc, entry.first_vc, output.class_width, packets));
    own.retry_from = end - train.flits + 1;
}

// Credits that would be back are back; the others are under way, unless they are to be sent.
void router_core::settle_credits(const passing_train& train, uint32_t packets, uint64_t now) {
    output_unit& output = output_at(train.output);
    if (output.ejection) {
        return;
    }
    output.settle(now);
    const uint32_t first_vc = m_inputs[train.input].arriving.first()->first_vc;
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

} // namespace chimera::fabric
