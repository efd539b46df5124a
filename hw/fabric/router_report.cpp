// SPDX-License-Identifier: Apache-2.0
// What a router says of itself.
#include "hw/fabric/router_core.h"

namespace chimera::fabric {

bool router_core::empty() const {
    for (const input_unit& input : m_inputs) {
        if (!input.arriving.empty()) {
            return false;
        }
    }
    for (const output_unit& output : m_outputs) {
        for (uint32_t vc = 0; vc < m_vcs; ++vc) {
            uint64_t room = output.channels[vc].room;
            for (size_t i = 0; i < output.returning.size(); ++i) {
                room += output.returning.at(i).vc == vc ? output.returning.at(i).flits : 0;
            }
            if (room != m_topology.vc_depth_flits ||
                output.channels[vc].free_from == output_channel::held) {
                return false;
            }
        }
    }
    return m_wanted.empty(0);
}

void router_core::describe_stuck(
    const std::function<void(const packet&, const std::string&)>& visit) const {
    for (uint32_t channel = 0; channel < m_channels.size(); ++channel) {
        const packet_list& queue = m_channels[channel].queue;
        if (queue.empty()) {
            continue;
        }
        size_t queued = 0;
        for (const packet* item = queue.front(); item != nullptr; item = item->next) {
            ++queued;
        }
        visit(*queue.front(), "input " + std::to_string(channel / m_vcs) + " channel " +
                                  std::to_string(channel % m_vcs) + " (" + std::to_string(queued) +
                                  " queued), waits for output " +
                                  std::to_string(queue.front()->output) + ": " +
                                  waits_for(channel));
    }
}

std::string router_core::waits_for(uint32_t channel) const {
    const input_channel& input = m_channels[channel];
    const packet& head = *input.queue.front();
    const output_unit& output = m_outputs[head.output];
    if (input.output_vc == input_channel::none) {
        return "no free channel of " + std::to_string(head.first_vc) + ".." +
               std::to_string(head.first_vc + output.class_width - 1);
    }
    const uint32_t room = output.channels[input.output_vc].room;
    if (!output.ejection && room < head.flits) {
        return "room for " + std::to_string(head.flits) + " flits in channel " +
               std::to_string(input.output_vc) + ", which has " + std::to_string(room);
    }
    return "the switch";
}

} // namespace chimera::fabric
