// SPDX-License-Identifier: Apache-2.0
// What a router tells an observer.
#include "hw/fabric/router_core.h"
#include "hw/fabric/trace_notes.h"

namespace chimera::fabric {

// An observer that comes later is told of what is here as if it came now.
void router_core::set_observer(trace::observer* observer) {
    m_observer = observer;
    if (observer == nullptr) {
        return;
    }
    const auto note_all = [this](uint32_t port, const packet_list& queue) {
        for (const packet* item = queue.first(); item != nullptr; item = item->next) {
            note_buffered(port, item->vc, item->flits, item->due);
        }
    };
    for (uint32_t channel = 0; channel < m_channel_count; ++channel) {
        note_all(port_of(channel), m_channels[channel].queue);
    }
    for (uint32_t port = 0; port < inputs(); ++port) {
        note_all(port, m_inputs[port].arriving);
    }
}

void router_core::note_buffered(uint32_t port, uint32_t vc, uint32_t flits, uint64_t due) {
    m_observer->buffered(m_node, port, vc, flits, due);
}

void router_core::note_grant(const switch_allocator::grant& grant, const packet& item,
                             uint64_t now) {
    trace::hop_note note;
    note.packet = note_of(item);
    note.node = m_node;
    note.in_port = grant.input;
    note.out_port = grant.output;
    note.in_vc = grant.vc;
    note.arrived = item.due;
    note.granted = now;
    note.sent = now + m_topology.router_cycles;
    note.busy_cycles = uint64_t(note.packet.flits) * output_at(grant.output).cycles_per_flit;
    m_observer->hop(note);
}

} // namespace chimera::fabric
