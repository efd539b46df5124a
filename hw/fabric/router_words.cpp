// SPDX-License-Identifier: Apache-2.0
// Both allocations of a router whose input channels fit a word, which most have: those that ask are
// bits, and whose turn it is comes from a mask and the lowest bit. What is decided is what
// channel_allocation.cpp and request_switch decide one by one; those say what it means.
#include <algorithm>

#include "hw/fabric/router_core.h"

namespace chimera::fabric {

namespace {

uint32_t lowest(uint64_t word) {
    return static_cast<uint32_t>(__builtin_ctzll(word));
}

} // namespace

uint64_t router_core::decide_words(uint64_t now, router_sink& sink) {
    uint64_t looked_at = 0;
    for (uint32_t index = 0; index < m_output_count; ++index) {
        if (m_output_next[index] > now) {
            continue;
        }
        looked_at |= uint64_t(1) << index;
        output_unit& output = m_outputs[index];
        for (uint32_t first = 0; first < m_vcs; first += output.class_width) {
            allocate_class_words(index, first, now);
        }
        if (m_output_busy[index] <= now) {
            output.settle(now);
            const uint64_t channels = may_send(index, now);
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
        m_output_next[index] = next_grant_words(index, std::max(now + 1, m_output_busy[index]));
    }
    return next_of_all();
}

// The rounds of one class up to `now`, each at its own cycle.
inline void router_core::allocate_class_words(uint32_t index, uint32_t first, uint64_t now) {
    const channel_class& own = m_outputs[index].classes[first];
    const uint64_t& waiting = m_waiting.word(class_row(index, first));
    while (waiting != 0 && own.loose != 0) {
        const bool alone = (waiting & (waiting - 1)) == 0;
        if (!(alone ? allocate_alone(index, first, now) : allocate_several(index, first, now))) {
            return;
        }
    }
}

// A head without rivals, as most often, gets the first channel that is free when it asks, or falls
// free after. False if that is later.
inline bool router_core::allocate_alone(uint32_t index, uint32_t first, uint64_t now) {
    const output_unit& output = m_outputs[index];
    const channel_class& own = output.classes[first];
    const uint32_t channel = lowest(m_waiting.word(class_row(index, first)));
    uint64_t cycle = std::max(own.retry_from, m_heads[channel].ready_from);
    if (cycle > now) {
        return false;
    }
    const uint32_t turn = next_vc(port_of(channel), index, first);
    uint32_t vc = first_from(own.loose, turn);
    if (output.channels[vc].free_from > cycle) {
        cycle = std::max(cycle, first_free(output, own.loose));
        if (cycle > now) {
            return false;
        }
        for (uint64_t loose = own.loose; output.channels[vc].free_from > cycle;) {
            loose &= ~(uint64_t(1) << vc);
            vc = first_from(loose, turn);
        }
    }
    assign_word(index, first, vc, channel, cycle);
    return true;
}

inline uint64_t router_core::first_free(const output_unit& output, uint64_t loose) const {
    uint64_t earliest = never;
    for (; loose != 0; loose &= loose - 1) {
        earliest = std::min(earliest, output.channels[lowest(loose)].free_from);
    }
    return earliest;
}

// The round of several heads; false if it is later.
bool router_core::allocate_several(uint32_t index, uint32_t first, uint64_t now) {
    const output_unit& output = m_outputs[index];
    const channel_class& own = output.classes[first];
    uint64_t cycle = std::max(own.retry_from, first_free(output, own.loose));
    if (cycle > now) {
        return false;
    }
    const uint64_t waiting = m_waiting.word(class_row(index, first));
    uint64_t heads = asking(waiting, cycle);
    if (heads == 0) { // the round is when the first of them asks
        cycle = first_ready(index, first);
        if (cycle > now) {
            return false;
        }
        heads = asking(waiting, cycle);
    }
    uint64_t free = 0;
    for (uint64_t loose = own.loose; loose != 0; loose &= loose - 1) {
        const uint32_t vc = lowest(loose);
        free |= uint64_t(output.channels[vc].free_from <= cycle) << vc;
    }
    if ((free & (free - 1)) == 0) { // as most often: the offer is accepted
        const uint32_t vc = lowest(free);
        assign_word(index, first, vc, offer_words(heads, output.channels[vc].turn), cycle);
    } else {
        allocate_round_words(index, first, free, heads, cycle);
    }
    return true;
}

// Those of the heads that ask in a cycle.
inline uint64_t router_core::asking(uint64_t waiting, uint64_t cycle) const {
    uint64_t heads = 0;
    for (; waiting != 0; waiting &= waiting - 1) {
        if (m_heads[lowest(waiting)].ready_from <= cycle) {
            heads |= waiting & -waiting;
        }
    }
    return heads;
}

// A head accepts a channel.
inline void router_core::assign_word(uint32_t index, uint32_t first, uint32_t vc, uint32_t channel,
                                     uint64_t cycle) {
    output_unit& output = m_outputs[index];
    channel_class& own = output.classes[first];
    own.retry_from = cycle + 1;
    own.loose &= ~(uint64_t(1) << vc);
    next_vc(port_of(channel), index, first) =
        static_cast<uint16_t>(vc + 1 < first + output.class_width ? vc + 1 : first);
    output.channels[vc].free_from = output_channel::held;
    output.channels[vc].turn = channel + 1 < m_heads.size() ? channel + 1 : 0;
    m_heads[channel].output_vc = static_cast<uint16_t>(vc);
    m_waiting.word(class_row(index, first)) &= ~(uint64_t(1) << channel);
    m_ready.word(index) |= uint64_t(1) << channel;
}

// Whom a free channel is offered to.
uint32_t router_core::offer_words(uint64_t heads, uint32_t turn) const {
    if (!m_params.oldest_first) {
        return first_from(heads, turn);
    }
    uint32_t taker = 0;
    for (uint64_t oldest = never; heads != 0;) {
        const uint32_t channel = first_from(heads, turn);
        heads &= ~(uint64_t(1) << channel);
        const uint64_t injected = m_queues[channel].front().item->injected;
        if (injected < oldest) {
            oldest = injected;
            taker = channel;
        }
    }
    return taker;
}

// Free channels and heads that ask, several of each.
void router_core::allocate_round_words(uint32_t index, uint32_t first, uint64_t free,
                                       uint64_t heads, uint64_t cycle) {
    const output_unit& output = m_outputs[index];
    while (free != 0) {
        const uint32_t taker = offer_words(heads, output.channels[lowest(free)].turn);
        uint64_t offered = 0; // all that are offered to the same head
        for (uint64_t others = free; others != 0; others &= others - 1) {
            const uint32_t vc = lowest(others);
            offered |= uint64_t(offer_words(heads, output.channels[vc].turn) == taker) << vc;
        }
        free &= ~offered;
        assign_word(index, first, first_from(offered, next_vc(port_of(taker), index, first)), taker,
                    cycle);
    }
}

// The channels that may send in this cycle.
inline uint64_t router_core::may_send(uint32_t index, uint64_t now) const {
    const output_unit& output = m_outputs[index];
    uint64_t channels = 0;
    for (uint64_t ready = m_ready.word(index); ready != 0; ready &= ready - 1) {
        const uint32_t channel = lowest(ready);
        const channel_head& head = m_heads[channel];
        if (m_input_busy[port_of(channel)] <= now && output.has_room(head.output_vc, head.flits)) {
            channels |= ready & -ready;
        }
    }
    return channels;
}

// As next_grant (router_schedule.cpp).
uint64_t router_core::next_grant_words(uint32_t index, uint64_t after) const {
    const output_unit& output = m_outputs[index];
    uint64_t next = never;
    for (uint64_t ready = m_ready.word(index); ready != 0; ready &= ready - 1) {
        const uint32_t channel = lowest(ready);
        const channel_head& head = m_heads[channel];
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
        uint64_t waiting = m_waiting.word(class_row(index, first));
        uint64_t loose = output.classes[first].loose;
        if (waiting == 0 || loose == 0) {
            continue;
        }
        uint64_t free = never;
        for (; loose != 0; loose &= loose - 1) {
            free = std::min(free, output.channels[lowest(loose)].free_from);
        }
        free = std::max({free, after, output.classes[first].retry_from});
        for (; waiting != 0 && next > free; waiting &= waiting - 1) {
            const uint32_t channel = lowest(waiting);
            next = std::min(next, std::max({free, m_input_busy[port_of(channel)],
                                            m_heads[channel].ready_from}));
        }
    }
    return next;
}

} // namespace chimera::fabric
