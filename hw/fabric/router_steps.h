// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "hw/fabric/router_core.h"

// What both ways of deciding for a cycle, by sets and by words of channels, have in common. In
// line: each is called once or twice per packet, and little is done in each.

namespace chimera::fabric {

// `item` is the head of a channel from now on.
inline void router_core::await_channel(uint32_t channel, const packet& item) {
    input_channel& head = m_channels[channel];
    output_unit& output = output_at(item.output);
    head.ready_from = std::max(head.ready_from, item.due);
    head.flits = item.flits;
    head.first_vc = item.first_vc;
    if (m_words) {
        output.classes[item.first_vc].waiting |= uint64_t(1) << channel;
    } else {
        m_waiting.insert(class_row(item.output, item.first_vc), channel);
    }
    ++output.heads;
    uint64_t& next = m_output_next[item.output];
    next = std::min(next, std::max(head.ready_from, m_output_busy[item.output]));
    m_output_flits[item.output] = std::min(m_output_flits[item.output], item.flits);
}

inline void router_core::accept_arrivals(uint32_t port, uint64_t now) {
    packet_list& arriving = m_inputs[port].arriving;
    packet* item = arriving.first();
    do {
        if (item->count != 0) {
            m_train_due = true;
            break;
        }
        arriving.pop();
        const uint32_t channel = port * m_vcs + item->vc;
        packet_list& queue = m_channels[channel].queue;
        if (queue.empty()) {
            await_channel(channel, *item);
        }
        queue.push(item);
        item = arriving.first();
    } while (item != nullptr && item->due <= now);
    m_next_due[port] = item == nullptr ? never : item->due;
}

inline void router_core::grant(const switch_allocator::grant& item, uint64_t now,
                               router_sink& sink) {
    const uint32_t channel = item.input * m_vcs + item.vc;
    input_channel& head = m_channels[channel];
    output_unit& output = output_at(item.output);
    packet* moved = head.queue.pop();
    if (__builtin_expect(m_observer != nullptr, 0)) {
        note_grant(item, *moved, now);
    }
    const uint32_t flits = head.flits;
    const uint64_t left = now + flits; // the input, and by `end` the output
    const uint64_t end = now + uint64_t(flits) * output.cycles_per_flit;
    output_channel& taken = output.channels[head.output_vc];
    taken.free_from = end + 1; // the cycle after the port is free, as the input channel
    uint64_t due = now + output.delay_cycles;
    if (output.ejection) {
        due += flits;
    } else {
        taken.room -= flits;
        ++moved->hops;
    }
    moved->vc = head.output_vc;
    output.busy_cycles += end - now;
    m_output_busy[item.output] = end;
    m_input_busy[item.input] = left;
    ++m_grants;

    if (m_words) {
        output.classes[head.first_vc].loose |= uint64_t(1) << head.output_vc;
        output.ready &= ~(uint64_t(1) << channel);
    } else {
        m_ready.erase(item.output, channel);
    }
    head.ready_from = left + 1;
    head.output_vc = input_channel::none;
    if (--output.heads == 0) {
        m_output_flits[item.output] = UINT32_MAX;
    }
    if (!head.queue.empty()) {
        await_channel(channel, *head.queue.first());
    }
    sink.send_packet(item.output, moved, due);
    sink.send_credit(item.input, item.vc, flits, left + m_inputs[item.input].credit_cycles);
}

// The next cycle to decide for, all outputs' being known.
inline uint64_t router_core::next_of_all() const {
    const uint64_t* const output_next = m_output_next;
    uint64_t next = never;
    for (uint32_t output = 0, count = m_output_count; output < count; ++output) {
        const uint64_t cycle = output_next[output];
        next = cycle < next ? cycle : next;
    }
    if (__builtin_expect(punctual(), 0)) {
        return next_of_trains(next);
    }
    const uint64_t* const next_due = m_next_due;
    const uint64_t* const busy = m_input_busy;
    for (uint32_t port = 0, count = m_input_count; port < count; ++port) {
        const uint64_t due = next_due[port], free = busy[port];
        const uint64_t cycle = due > free ? due : free;
        next = cycle < next ? cycle : next;
    }
    return next;
}

} // namespace chimera::fabric
