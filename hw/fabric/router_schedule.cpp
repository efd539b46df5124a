// SPDX-License-Identifier: Apache-2.0
// When a router has to run, and for which cycles it decides then. A grant at g sends a packet that
// is due downstream, and a credit that is due upstream, some cycles after g; both must be filed
// before. So the router may run that much later than g and decide for all cycles since it last ran,
// which is cheaper than one by one: it wakes less often, and finds its state in the cache for all
// cycles but the first.
#include "hw/fabric/router_steps.h"

namespace chimera::fabric {

void router_core::catch_up(uint64_t now, router_sink& sink) {
    if (m_words) {
        catch_up_words(now, sink);
    }
    while (m_next <= now) {
        m_next = advance(m_next, sink);
    }
    m_deadline = next_deadline();
}

// Asks the memory for what the next cycles need, all at once instead of one after the other.
void router_core::fetch() const {
    for (size_t at = 0; at < m_block.used(); at += state_block::line) {
        __builtin_prefetch(m_block.memory() + at, 1);
    }
    for (uint32_t port = 0; port < m_input_count; ++port) {
        __builtin_prefetch(m_inputs[port].arriving.first(), 1);
    }
}

// The earliest cycle after `now` at which a packet may be granted the switch, from what is known,
// or which must not be missed. A head that needs another grant or a credit not filed yet does not
// count, since either brings the router back here. Outputs that were looked at in cycle `now` are
// looked at again; for the others what was found holds, as nothing makes their grants earlier.
uint64_t router_core::next_run(uint64_t now) {
    for (uint32_t output = 0; output < m_output_count; ++output) {
        uint64_t& cycle = m_output_next[output];
        if (cycle <= now) {
            cycle = next_grant(output, std::max(now + 1, m_output_busy[output]));
        }
    }
    return next_of_all();
}

// The same, of outputs and of what wants to be punctual.
uint64_t router_core::next_of_trains(uint64_t next) const {
    for (uint32_t port = 0; port < m_input_count; ++port) {
        next = std::min(next, m_next_due[port]);
    }
    for (const notice& item : m_notices) {
        next = std::min(next, item.due);
    }
    return next;
}

// The same for one output, no earlier than `after`.
uint64_t router_core::next_grant(uint32_t index, uint64_t after) const {
    const output_unit& output = output_at(index);
    uint64_t next = never;
    const bool at_once = m_ready.any(index, [&](uint32_t channel) {
        const input_channel& head = m_channels[channel];
        const uint64_t room = output.room_from(head.output_vc, head.flits);
        next = std::min(next, std::max({after, m_input_busy[port_of(channel)], room}));
        return next == after;
    });
    if (at_once) {
        return next;
    }
    for (uint32_t first = 0; first < m_vcs && next > after; first += output.class_width) {
        const size_t row = class_row(index, first);
        if (m_waiting.empty(row)) {
            continue;
        }
        const uint64_t free =
            std::max({after, output.channel_from(first), output.classes[first].retry_from});
        m_waiting.any(row, [&](uint32_t channel) {
            const uint64_t cycle =
                std::max({free, m_input_busy[port_of(channel)], m_channels[channel].ready_from});
            next = std::min(next, cycle);
            return next <= free;
        });
    }
    return next;
}

// When what is known must be decided. What a grant makes possible comes when its ports are free
// again, that is flits later, at the earliest, so that its own deadline is later.
uint64_t router_core::next_deadline() const {
    if (punctual()) {
        return m_next;
    }
    uint64_t limit = never;
    for (uint32_t output = 0; output < m_output_count; ++output) {
        if (m_output_next[output] < limit) {
            limit = std::min(limit, m_output_next[output] + wait(m_output_flits[output]));
        }
    }
    for (uint32_t port = 0; port < m_input_count; ++port) {
        if (m_next_due[port] < limit) {
            limit = arrival_deadline(port, limit);
        }
    }
    return limit;
}

// The same for what is on the link of an input, as far as it comes before `limit`. What comes
// behind others in its channel has to wait for them.
uint64_t router_core::arrival_deadline(uint32_t port, uint64_t limit) const {
    for (const packet* item = m_inputs[port].arriving.first(); item != nullptr && item->due < limit;
         item = item->next) {
        if (m_channels[port * m_vcs + item->vc].queue.empty()) {
            const uint64_t cycle =
                std::max({item->due, m_input_busy[port], m_output_busy[item->output]});
            limit = std::min(limit, cycle + wait(item->flits));
        }
    }
    return limit;
}

} // namespace chimera::fabric
