// SPDX-License-Identifier: Apache-2.0
// What a router tells an observer.
#include "hw/fabric/router_core.h"
#include "hw/fabric/trace_notes.h"

namespace chimera::fabric {

// An observer that comes later is told of what is here as if it came now.
void router_core::set_observer(trace::observer* observer) {
    m_observer = observer;
    for (uint32_t channel = 0; observer != nullptr && channel < m_queues.size(); ++channel) {
        for (size_t i = 0; i < m_queues[channel].size(); ++i) {
            const queued_packet& entry = m_queues[channel].at(i);
            note_buffered(port_of(channel), entry.vc, entry.flits, entry.due);
        }
    }
    for (uint32_t port = 0; observer != nullptr && port < inputs(); ++port) {
        const ring_queue<queued_packet>& arriving = m_inputs[port].arriving;
        for (size_t i = 0; i < arriving.size(); ++i) {
            note_buffered(port, arriving.at(i).vc, arriving.at(i).flits, arriving.at(i).due);
        }
    }
}

void router_core::note_buffered(uint32_t port, uint32_t vc, uint32_t flits, uint64_t due) {
    m_observer->buffered(m_node, port, vc, flits, due);
}

void router_core::note_grant(const switch_allocator::grant& item, const queued_packet& entry,
                             uint64_t now) {
    trace::hop_note note;
    note.packet = note_of(*entry.item);
    note.node = m_node;
    note.in_port = item.input;
    note.out_port = item.output;
    note.in_vc = item.vc;
    note.arrived = entry.due;
    note.granted = now;
    note.sent = now + m_topology.router_cycles;
    note.busy_cycles = uint64_t(note.packet.flits) * m_outputs[item.output].cycles_per_flit;
    m_observer->hop(note);
}

} // namespace chimera::fabric
