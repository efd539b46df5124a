// SPDX-License-Identifier: Apache-2.0
// Channel allocation of a router. A head asks for every free channel of its class on its output.
// Each free channel is offered to one of the heads, round robin from a pointer of its own; each
// head accepts one offer, round robin from a pointer of its class. There is one such round a cycle.
#include <algorithm>

#include "hw/fabric/router_core.h"

namespace chimera::fabric {

// Works off the rounds up to `now`, each at its own cycle. Outputs do not affect each other here,
// nor do classes.
void router_core::allocate_channels(uint32_t index, uint64_t now) {
    for (uint32_t first = 0; first < m_vcs; first += output_at(index).class_width) {
        if (!m_waiting.empty(class_row(index, first))) {
            allocate_class(index, first, now);
        }
    }
}

void router_core::allocate_class(uint32_t index, uint32_t first, uint64_t now) {
    output_unit& output = output_at(index);
    channel_class& own = output.classes[first];
    for (;;) {
        const uint64_t free = std::max(own.retry_from, output.channel_from(first));
        const uint64_t cycle = free > now ? never : std::max(free, first_ready(index, first));
        if (cycle > now) {
            return;
        }
        allocate_round(index, first, cycle);
        own.retry_from = cycle + 1;
    }
}

// When the first head of a class asks for a channel.
uint64_t router_core::first_ready(uint32_t index, uint32_t first) const {
    uint64_t ready = never;
    m_waiting.any(class_row(index, first), [&](uint32_t channel) {
        ready = std::min(ready, m_channels[channel].ready_from);
        return false;
    });
    return ready;
}

// The round of one class, whose channels begin at `first`.
void router_core::allocate_round(uint32_t index, uint32_t first, uint64_t cycle) {
    output_unit& output = output_at(index);
    const uint32_t limit = first + output.class_width;
    uint32_t vc = first;
    while (output.channels[vc].free_from > cycle) {
        ++vc;
    }
    const uint32_t channel = offer(index, first, vc, cycle);
    uint32_t other = vc + 1;
    while (other < limit && output.channels[other].free_from > cycle) {
        ++other;
    }
    if (other == limit) { // one free channel, as most often: the offer is accepted
        next_vc(port_of(channel), index, first) =
            static_cast<uint16_t>(vc + 1 < limit ? vc + 1 : first);
        assign(channel, index, vc);
        return;
    }
    m_offered[vc] = channel;
    for (; other < limit; ++other) {
        if (output.channels[other].free_from <= cycle) {
            m_offered[other] = offer(index, first, other, cycle);
        }
    }
    for (; vc < limit; ++vc) {
        if (m_offered[vc] != UINT32_MAX) {
            const uint32_t taker = m_offered[vc];
            assign(taker, index, accept(index, first, taker));
        }
    }
}

// The offer that a head accepts; the others lapse.
uint32_t router_core::accept(uint32_t index, uint32_t first, uint32_t channel) {
    const uint32_t limit = first + output_at(index).class_width;
    uint16_t& next = next_vc(port_of(channel), index, first);
    uint32_t accepted = UINT32_MAX;
    for (uint32_t i = first, vc = next; i < limit; ++i) {
        if (m_offered[vc] == channel) {
            accepted = std::min(accepted, vc | (i << 16));
            m_offered[vc] = UINT32_MAX;
        }
        vc = vc + 1 < limit ? vc + 1 : first;
    }
    accepted &= 0xffff;
    next = static_cast<uint16_t>(accepted + 1 < limit ? accepted + 1 : first);
    return accepted;
}

// The head whose turn it is for a free channel, or the one injected first, of several the one whose
// turn it is. Some head of its class asks.
uint32_t router_core::offer(uint32_t index, uint32_t first_vc, uint32_t vc, uint64_t cycle) const {
    const bool by_age = m_params.oldest_first;
    uint32_t taker = UINT32_MAX;
    uint64_t oldest = never;
    m_waiting.any_from(class_row(index, first_vc), output_at(index).channels[vc].turn,
                       [&](uint32_t channel) {
                           const input_channel& head = m_channels[channel];
                           if (head.ready_from > cycle) {
                               return false;
                           }
                           const uint64_t injected = by_age ? head.queue.first()->injected : 0;
                           if (injected < oldest) {
                               oldest = injected;
                               taker = channel;
                           }
                           return !by_age;
                       });
    return taker;
}

void router_core::assign(uint32_t channel, uint32_t index, uint32_t vc) {
    output_channel& output = output_at(index).channels[vc];
    output.free_from = output_channel::held;
    output.turn = channel + 1 < m_channel_count ? channel + 1 : 0;
    m_channels[channel].output_vc = static_cast<uint16_t>(vc);
    m_waiting.erase(class_row(index, m_channels[channel].first_vc), channel);
    m_ready.insert(index, channel);
}

} // namespace chimera::fabric
