// SPDX-License-Identifier: Apache-2.0
// Which trains a router lets pass, and what becomes of those that it does not (train.h,
// router_trains.cpp).
#include "hw/base/random.h"
#include "hw/fabric/router_steps.h"
#include "hw/fabric/train.h"

namespace chimera::fabric {

// Trains at the head of their inputs pass or are taken apart, now that all else has arrived.
void router_core::admit_trains(uint64_t now, router_sink& sink) {
    m_train_due = false;
    for (uint32_t port = 0; port < inputs(); ++port) {
        if (m_next_due[port] > now || m_passing_at[port]) {
            continue;
        }
        if (may_pass(port, *m_inputs[port].arriving.first(), now)) {
            let_pass(port, now, sink);
        } else {
            take_apart(port, now, sink);
        }
    }
}

bool router_core::may_pass(uint32_t input, const packet& train, uint64_t now) {
    output_at(train.output).settle(now);
    // What takes a slow link is spread: its packets go one by one from there on.
    if (m_stalls || output_at(train.output).cycles_per_flit > 1 || train.serial == 0 ||
        train.count < 2 || train.count != train.train || train.due != now || wanted(train.output) ||
        m_input_busy[input] > now || m_output_busy[train.output] > now || train.vc_width < 2) {
        return false;
    }
    for (uint32_t vc = 0; vc < m_vcs; ++vc) {
        if (!m_channels[input * m_vcs + vc].queue.empty()) {
            return false;
        }
    }
    for (const passing_train& other : m_passing) {
        if (other.output == train.output) {
            return false;
        }
    }
    for (uint32_t port = 0; port < inputs(); ++port) {
        if (port != input && !m_passing_at[port] && m_next_due[port] <= now &&
            m_inputs[port].arriving.first()->output == train.output) {
            return false; // two trains that come together: neither passes
        }
    }
    return channels_free(input, train, now);
}

// Every packet finds the channel whose turn it is free, and room in it.
bool router_core::channels_free(uint32_t input, const packet& train, uint64_t now) {
    const output_unit& output = output_at(train.output);
    const channel_class& own = output.classes[train.first_vc];
    const uint32_t width = output.class_width;
    if (width < 2 || own.retry_from > now) {
        return false;
    }
    for (uint32_t i = 0; i < width; ++i) {
        const output_channel& channel = output.channels[train_channel(
            next_vc(input, train.output, train.first_vc), train.first_vc, width, i)];
        if (channel.free_from > now + uint64_t(i) * train.flits ||
            (!output.ejection &&
             channel.room < train_room(output.round_trip(train.flits), train.flits, width))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < train.vc_width; ++i) {
        const uint32_t vc = train_channel(train.vc, train.vc_base, train.vc_width, i);
        if (m_channels[input * m_vcs + vc].ready_from > now + uint64_t(i) * train.flits) {
            return false;
        }
    }
    return true;
}

void router_core::let_pass(uint32_t input, uint64_t now, router_sink& sink) {
    const packet& entry = *m_inputs[input].arriving.first();
    output_unit& output = output_at(entry.output);
    packet* copy = m_pool->take();
    uint8_t* data = copy->data;
    *copy = entry;
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
    packet_list& arriving = m_inputs[input].arriving;
    packet& train = *arriving.first();
    const uint32_t i = train.train - train.count;
    packet* one = m_pool->take();
    train_extract(*one, train, i, route_random(m_params.seed, train.message, train.index + i));
    one->count = 0;
    const uint32_t channel = input * m_vcs + one->vc;
    if (m_channels[channel].queue.empty()) {
        await_channel(channel, *one);
    }
    m_channels[channel].queue.push(one);
    train.due += train.flits;
    train.vc = train_channel(train.vc, train.vc_base, train.vc_width, 1);
    if (--train.count == 0) {
        m_pool->give(arriving.pop());
        --m_trains;
    }
    m_next_due[input] = arriving.empty() ? never : arriving.first()->due;
}

// Tells upstream that credits of the train at the head of an input will be sent from now on.
void router_core::demand_credits(uint32_t input, uint64_t now, router_sink& sink) {
    packet& entry = *m_inputs[input].arriving.first();
    if (entry.serial != 0 && entry.count > 0) {
        sink.send_credit_cut(input, entry.serial,
                             entry.due + entry.flits + m_inputs[input].credit_cycles, now + 1);
        entry.serial = 0;
    }
}

} // namespace chimera::fabric
