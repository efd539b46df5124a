// SPDX-License-Identifier: Apache-2.0
// Channel allocation of a router. A head asks for every free channel of its class on its output.
// Each free channel is offered to one of the heads, round robin from a pointer of its own; each head
// accepts one offer, round robin from a pointer of its class. There is one such round a cycle.
#include <algorithm>

#include "hw/fabric/router_core.h"

namespace chimera::fabric {

// Works off the rounds up to `now`, each at its own cycle. Outputs do not affect each other here.
void router_core::allocate_channels(uint32_t output, uint64_t now) {
    for (;;) {
        const uint64_t cycle = first_round(output);
        if (cycle > now) {
            return;
        }
        allocate_round(output, cycle);
        m_outputs[output].retry_from = cycle + 1;
        if (m_waiting.empty(output)) {
            return;
        }
    }
}

// The cycle of the next round in which a head gets a channel.
uint64_t router_core::first_round(uint32_t index) const {
    const output_unit& output = m_outputs[index];
    uint64_t first = never;
    m_waiting.any(index, [&](uint32_t channel) {
        const input_channel& input = m_channels[channel];
        const uint64_t free = output.channel_from(input.queue.front()->first_vc);
        first = std::min(first, std::max(input.ready_from, free));
        return false;
    });
    return std::max(first, output.retry_from);
}

void router_core::allocate_round(uint32_t index, uint64_t cycle) {
    const uint32_t width = m_outputs[index].class_width;
    for (uint32_t first = 0; first < m_vcs; first += width) {
        offer_channels(index, first, cycle);
    }
}

void router_core::offer_channels(uint32_t index, uint32_t first_vc, uint64_t cycle) {
    output_unit& output = m_outputs[index];
    const uint32_t limit = first_vc + output.class_width;
    bool offered = false;
    for (uint32_t vc = first_vc; vc < limit; ++vc) {
        if (output.channels[vc].free_from > cycle) {
            continue;
        }
        m_waiting.any_from(index, output.channels[vc].turn, [&](uint32_t channel) {
            const input_channel& input = m_channels[channel];
            if (input.ready_from > cycle || input.queue.front()->first_vc != first_vc) {
                return false;
            }
            m_offered[vc] = channel;
            offered = true;
            return true;
        });
    }
    if (!offered) {
        return;
    }
    const uint32_t start = output.channels[first_vc].next;
    for (uint32_t i = 0; i < output.class_width; ++i) {
        const uint32_t vc = start + i < limit ? start + i : start + i - output.class_width;
        const uint32_t channel = m_offered[vc];
        m_offered[vc] = input_channel::none;
        if (channel != input_channel::none && m_channels[channel].output_vc == input_channel::none) {
            output.channels[first_vc].next = vc + 1 < limit ? vc + 1 : first_vc;
            assign(channel, index, vc);
        }
    }
}

void router_core::assign(uint32_t channel, uint32_t index, uint32_t vc) {
    output_channel& output = m_outputs[index].channels[vc];
    output.free_from = output_channel::held;
    output.turn = channel + 1 < m_channels.size() ? channel + 1 : 0;
    m_channels[channel].output_vc = vc;
    m_waiting.erase(index, channel);
    m_ready.insert(index, channel);
}

} // namespace chimera::fabric
