// SPDX-License-Identifier: Apache-2.0
#include "hw/trace/packet_log.h"

#include <algorithm>

#include "hw/base/clock.h"

namespace chimera::trace {

bool packet_log::open(const std::string& path) {
    if (!m_file.open(path)) {
        return false;
    }
    m_file.put("time_ps,cycle,message,packet,packets,source,destination,operation,transfer,from,to,"
               "in_port,out_port,flits,waited\n");
    return true;
}

void packet_log::hop(const hop_note& note) {
    m_late += note.granted < m_settled ? 1 : 0;
    if (note.granted >= m_wanted.begin && note.granted <= m_wanted.end) {
        m_pending.add(note.granted, note);
    }
}

void packet_log::advance(uint64_t until) {
    m_pending.take(until, [this](uint64_t, const hop_note& note) { write(note); });
    m_settled = std::max(m_settled, until);
}

void packet_log::write(const hop_note& note) {
    const packet_note& packet = note.packet;
    const uint64_t numbers[] = {chm_clock_cycles_to_ps(note.granted, m_map.shape().clock_khz),
                                note.granted, packet.message, packet.index, packet.packets};
    for (uint64_t number : numbers) {
        m_file.number(number);
        m_file.put(',');
    }
    m_file.put(m_map.die_scope(packet.source) + "," + m_map.die_scope(packet.destination) + ",");
    m_file.number(packet.seq);
    m_file.put(',');
    m_file.number(packet.transfer);
    m_file.put("," + m_map.node_scope(note.node) + "," +
               m_map.behind_output(note.node, note.out_port));
    for (uint64_t number : {uint64_t{note.in_port}, uint64_t{note.out_port}, uint64_t{packet.flits},
                            note.granted - note.arrived}) {
        m_file.put(',');
        m_file.number(number);
    }
    m_file.put('\n');
}

bool packet_log::finish(uint64_t last) {
    advance(last + 1);
    return m_file.close();
}

} // namespace chimera::trace
