// SPDX-License-Identifier: Apache-2.0
// What a router says of itself.
#include "hw/fabric/router_core.h"

namespace chimera::fabric {

bool router_core::empty() const {
    for (uint32_t port = 0; port < m_input_count; ++port) {
        if (m_next_due[port] != never) {
            return false;
        }
    }
    for (uint32_t port = 0; port < m_output_count; ++port) {
        const output_unit& output = output_at(port);
        if (output.heads > 0) {
            return false;
        }
        for (uint32_t vc = 0; vc < m_vcs; ++vc) {
            uint64_t room = output.channels[vc].room;
            for (size_t i = 0; i < output.returning.size(); ++i) {
                room += output.returning.at(i).vc == vc ? output.returning.at(i).flits : 0;
            }
            if (room != (output.ejection ? UINT32_MAX : m_topology.vc_depth_flits) ||
                output.channels[vc].free_from == output_channel::held) {
                return false;
            }
        }
    }
    return true;
}

void router_core::describe_stuck(
    const std::function<void(const packet&, const std::string&)>& visit) const {
    for (uint32_t channel = 0; channel < m_channel_count; ++channel) {
        const packet_list& queue = m_channels[channel].queue;
        if (queue.empty()) {
            continue;
        }
        visit(*queue.first(), "input " + std::to_string(channel / m_vcs) + " channel " +
                                  std::to_string(channel % m_vcs) + " (" +
                                  std::to_string(queue.size()) + " queued), waits for output " +
                                  std::to_string(queue.first()->output) + ": " +
                                  waits_for(channel));
    }
}

router_core::blocker router_core::blocked_by(uint32_t channel) const {
    if (m_channels[channel].queue.empty()) {
        return {blocker::nothing, 0, 0, 0};
    }
    const input_channel& head = m_channels[channel];
    const uint32_t port = head.queue.first()->output;
    const output_unit& output = output_at(port);
    if (head.output_vc != input_channel::none) {
        const bool room = output.has_room(head.output_vc, head.flits);
        return {room ? blocker::nothing : blocker::no_room, port, head.output_vc, 0};
    }
    for (uint32_t other = 0; other < channels(); ++other) {
        const input_channel& rival = m_channels[other];
        const uint16_t vc = rival.output_vc;
        if (!rival.queue.empty() && rival.queue.first()->output == port &&
            vc != input_channel::none && vc >= head.first_vc &&
            vc < head.first_vc + output.class_width) {
            return {blocker::held, port, vc, other};
        }
    }
    return {blocker::nothing, 0, 0, 0};
}

std::string router_core::waits_for(uint32_t channel) const {
    const input_channel& head = m_channels[channel];
    const output_unit& output = output_at(head.queue.first()->output);
    if (head.output_vc == input_channel::none) {
        return "no free channel of " + std::to_string(head.first_vc) + ".." +
               std::to_string(head.first_vc + output.class_width - 1);
    }
    if (!output.has_room(head.output_vc, head.flits)) {
        return "room for " + std::to_string(head.flits) + " flits in channel " +
               std::to_string(head.output_vc) + ", which has " +
               std::to_string(output.channels[head.output_vc].room);
    }
    return "the switch";
}

} // namespace chimera::fabric
