// SPDX-License-Identifier: Apache-2.0
// Both allocations of a router whose input channels fit a word, which most have: those that ask are
// bits, and whose turn it is comes from a mask and the lowest bit. What is decided is what
// channel_allocation.cpp and request_switch decide one by one; those say what it means.
#include <algorithm>

#include "hw/fabric/router_steps.h"

namespace chimera::fabric {

namespace {

uint32_t lowest(uint64_t word) {
    return static_cast<uint32_t>(__builtin_ctzll(word));
}

bool several(uint64_t word) {
    return (word & (word - 1)) != 0;
}

// The first cycle in which one of the channels is free.
uint64_t first_free(const output_channel* channels, uint64_t loose) {
    uint64_t earliest = UINT64_MAX;
    for (; loose != 0; loose &= loose - 1) {
        earliest = std::min(earliest, channels[lowest(loose)].free_from);
    }
    return earliest;
}

} // namespace

// The rounds of one class up to `now`, each at its own cycle.
inline void router_core::allocate_class_words(output_unit& output, uint32_t first, uint64_t now) {
    const channel_class& own = output.classes[first];
    while (own.waiting != 0 && own.loose != 0) {
        if (!(several(own.waiting) ? allocate_several(output, first, now)
                                   : allocate_alone(output, first, now))) {
            return;
        }
    }
}

// A head without rivals, as most often, gets the first channel that is free when it asks, or falls
// free after. False if that is later.
inline bool router_core::allocate_alone(output_unit& output, uint32_t first, uint64_t now) {
    const channel_class& own = output.classes[first];
    const uint32_t channel = lowest(own.waiting);
    uint64_t cycle = std::max(own.retry_from, m_channels[channel].ready_from);
    if (cycle > now) {
        return false;
    }
    const uint32_t turn = own.next_vc[port_of(channel)];
    uint32_t vc = first_from(own.loose, turn);
    if (output.channels[vc].free_from > cycle) {
        cycle = std::max(cycle, first_free(output.channels, own.loose));
        if (cycle > now) {
            return false;
        }
        for (uint64_t loose = own.loose; output.channels[vc].free_from > cycle;) {
            loose &= ~(uint64_t(1) << vc);
            vc = first_from(loose, turn);
        }
    }
    assign_word(output, first, vc, channel, cycle);
    return true;
}

// The round of several heads; false if it is later.
inline bool router_core::allocate_several(output_unit& output, uint32_t first, uint64_t now) {
    const channel_class& own = output.classes[first];
    const output_channel* const channels = output.channels;
    uint64_t cycle = std::max(own.retry_from, first_free(channels, own.loose));
    if (cycle > now) {
        return false;
    }
    uint64_t heads = asking(own.waiting, cycle);
    if (heads == 0) { // the round is when the first of them asks
        cycle = first_asks(own.waiting);
        if (cycle > now) {
            return false;
        }
        heads = asking(own.waiting, cycle);
    }
    uint64_t free = 0;
    for (uint64_t loose = own.loose; loose != 0; loose &= loose - 1) {
        free |= channels[lowest(loose)].free_from <= cycle ? loose & -loose : 0;
    }
    if (several(free)) {
        allocate_round_words(output, first, free, heads, cycle);
    } else { // as most often: the offer is accepted
        const uint32_t vc = lowest(free);
        assign_word(output, first, vc, offer_words(heads, channels[vc].turn), cycle);
    }
    return true;
}

// Those of the heads that ask in a cycle.
inline uint64_t router_core::asking(uint64_t waiting, uint64_t cycle) const {
    uint64_t heads = 0;
    for (; waiting != 0; waiting &= waiting - 1) {
        heads |= m_channels[lowest(waiting)].ready_from <= cycle ? waiting & -waiting : 0;
    }
    return heads;
}

// When the first of the heads asks.
inline uint64_t router_core::first_asks(uint64_t waiting) const {
    uint64_t earliest = never;
    for (; waiting != 0; waiting &= waiting - 1) {
        earliest = std::min(earliest, m_channels[lowest(waiting)].ready_from);
    }
    return earliest;
}

// A head accepts a channel.
inline void router_core::assign_word(output_unit& output, uint32_t first, uint32_t vc,
                                     uint32_t channel, uint64_t cycle) {
    channel_class& own = output.classes[first];
    const uint64_t bit = uint64_t(1) << channel;
    own.retry_from = cycle + 1;
    own.loose &= ~(uint64_t(1) << vc);
    own.waiting &= ~bit;
    own.next_vc[port_of(channel)] =
        static_cast<uint16_t>(vc + 1 < first + output.class_width ? vc + 1 : first);
    output.ready |= bit;
    output.channels[vc].free_from = output_channel::held;
    output.channels[vc].turn = channel + 1 < m_channel_count ? channel + 1 : 0;
    m_channels[channel].output_vc = static_cast<uint16_t>(vc);
}

// Whom a free channel is offered to.
inline uint32_t router_core::offer_words(uint64_t heads, uint32_t turn) const {
    if (__builtin_expect(!m_params.oldest_first, 1)) {
        return first_from(heads, turn);
    }
    uint32_t taker = 0;
    for (uint64_t oldest = never; heads != 0;) {
        const uint32_t channel = first_from(heads, turn);
        heads &= ~(uint64_t(1) << channel);
        const uint64_t injected = m_channels[channel].queue.first()->injected;
        if (injected < oldest) {
            oldest = injected;
            taker = channel;
        }
    }
    return taker;
}

// Free channels and heads that ask, several of each.
void router_core::allocate_round_words(output_unit& output, uint32_t first, uint64_t free,
                                       uint64_t heads, uint64_t cycle) {
    const channel_class& own = output.classes[first];
    while (free != 0) {
        const uint32_t taker = offer_words(heads, output.channels[lowest(free)].turn);
        uint64_t offered = 0; // all that are offered to the same head
        for (uint64_t others = free; others != 0; others &= others - 1) {
            const uint32_t vc = lowest(others);
            offered |= uint64_t(offer_words(heads, output.channels[vc].turn) == taker) << vc;
        }
        free &= ~offered;
        assign_word(output, first, first_from(offered, own.next_vc[port_of(taker)]), taker, cycle);
    }
}

// The channels that may send in this cycle.
inline uint64_t router_core::may_send(const output_unit& output, uint64_t now) const {
    uint64_t channels = 0;
    for (uint64_t ready = output.ready; ready != 0; ready &= ready - 1) {
        const uint32_t channel = lowest(ready);
        const input_channel& head = m_channels[channel];
        if (m_input_busy[port_of(channel)] <= now && output.has_room(head.output_vc, head.flits)) {
            channels |= ready & -ready;
        }
    }
    return channels;
}

// As next_grant (router_schedule.cpp).
inline uint64_t router_core::next_grant_words(const output_unit& output, uint64_t after) const {
    uint64_t next = never;
    for (uint64_t ready = output.ready; ready != 0; ready &= ready - 1) {
        const uint32_t channel = lowest(ready);
        const input_channel& head = m_channels[channel];
        uint64_t from = m_input_busy[port_of(channel)];
        if (!output.has_room(head.output_vc, head.flits)) {
            from = std::max(from, output.room_from(head.output_vc, head.flits));
        }
        if (from <= after) {
            return after;
        }
        next = std::min(next, from);
    }
    for (uint32_t first = 0; first < m_vcs; first += output.class_width) {
        const channel_class& own = output.classes[first];
        uint64_t waiting = own.waiting;
        if (waiting == 0 || own.loose == 0) {
            continue;
        }
        const uint64_t free =
            std::max({first_free(output.channels, own.loose), after, own.retry_from});
        for (; waiting != 0 && next > free; waiting &= waiting - 1) {
            const uint32_t channel = lowest(waiting);
            next = std::min(next, std::max({free, m_input_busy[port_of(channel)],
                                            m_channels[channel].ready_from}));
        }
    }
    return next;
}

inline uint64_t router_core::decide_words(uint64_t now, router_sink& sink) {
    if (__builtin_expect(punctual(), 0)) {
        work_off_trains(now, sink);
    }
    const uint64_t* const next_due = m_next_due;
    for (uint32_t port = 0, count = m_input_count; port < count; ++port) {
        if (next_due[port] <= now) {
            accept_arrivals(port, now);
        }
    }
    if (__builtin_expect(m_train_due, 0)) {
        admit_trains(now, sink);
    }
    uint64_t looked_at = 0;
    const uint64_t* const output_next = m_output_next;
    for (uint32_t index = 0, count = m_output_count; index < count; ++index) {
        if (output_next[index] > now) {
            continue;
        }
        looked_at |= uint64_t(1) << index;
        output_unit& output = output_at(index);
        for (uint32_t first = 0; first < m_vcs; first += output.class_width) {
            allocate_class_words(output, first, now);
        }
        if (m_output_busy[index] <= now) {
            output.settle(now);
            const uint64_t channels = may_send(output, now);
            if (channels != 0) {
                m_switch_allocator.request_channels(index, channels);
            }
        }
    }
    if (m_switch_allocator.requested()) {
        for (const switch_allocator::grant& item : m_switch_allocator.allocate()) {
            grant(item, now, sink);
        }
    }
    for (; looked_at != 0; looked_at &= looked_at - 1) {
        const uint32_t index = lowest(looked_at);
        m_output_next[index] =
            next_grant_words(output_at(index), std::max(now + 1, m_output_busy[index]));
    }
    return next_of_all();
}

// Everything in line, a cycle being short work and there being many.
[[gnu::flatten]] void router_core::catch_up_words(uint64_t now, router_sink& sink) {
    if (m_cold) {
        fetch();
    }
    while (m_next <= now) {
        m_next = decide_words(m_next, sink);
    }
}

uint64_t router_core::advance_words(uint64_t now, router_sink& sink) {
    return decide_words(now, sink);
}

} // namespace chimera::fabric
