// SPDX-License-Identifier: Apache-2.0
#include "hw/trace/vcd.h"

#include <algorithm>

#include "hw/base/clock.h"

namespace chimera::trace {

namespace {

constexpr uint64_t undriven = UINT64_MAX; // shown as z

uint64_t or_undriven(uint32_t value) {
    return value == none ? undriven : value;
}

// Printable characters, as few as may be, and the line's end; their number.
uint8_t identify(char (&text)[8], uint32_t code) {
    uint8_t length = 0;
    do { // five are enough for all there can be
        text[length++] = static_cast<char>('!' + code % 94);
        code /= 94;
    } while (code-- != 0);
    text[length++] = '\n';
    return length;
}

} // namespace

vcd::vcd(const catalog& map, const selection& wanted, uint64_t from)
    : m_map(map), m_wanted(wanted), m_from(from), m_begin(std::max(from, wanted.begin)),
      m_states(map.signals().size()), m_now(from) {
    uint32_t code = 0;
    for (size_t i = 0; i < m_states.size(); ++i) {
        const signal& item = map.signals()[i];
        if (wanted.selects(map.scopes()[item.scope])) {
            m_states[i].length = identify(m_states[i].code, code++);
        }
        m_states[i].bits = static_cast<uint8_t>(item.bits);
        const bool empty = item.read_as >= meaning::operation;
        m_states[i].value = m_states[i].shown = empty ? undriven : 0;
    }
}

bool vcd::open(const std::string& path) {
    if (!m_file.open(path)) {
        return false;
    }
    declare();
    return true;
}

void vcd::declare() {
    const chm_topology& topology = *m_map.shape().topology;
    m_file.put("$version chimera $end\n$comment platform " +
               std::string(topology.name != nullptr ? topology.name : "") + ", cycles of " +
               std::to_string(m_map.shape().clock_khz) + " kHz $end\n$timescale 1 ps $end\n");
    std::string outer, inner; // scopes that are open
    for (size_t i = 0; i < m_states.size(); ++i) {
        if (!shows(static_cast<uint32_t>(i))) {
            continue;
        }
        const signal& item = m_map.signals()[i];
        const std::string& scope = m_map.scopes()[item.scope];
        if (scope != inner) {
            m_file.put(inner.empty() ? "" : "$upscope $end\n");
            inner = scope;
            const size_t dot = scope.find('.');
            if (scope.substr(0, dot) != outer) {
                m_file.put(outer.empty() ? "" : "$upscope $end\n");
                outer = scope.substr(0, dot);
                m_file.put("$scope module " + outer + " $end\n");
            }
            m_file.put("$scope module " + scope.substr(dot + 1) + " $end\n");
        }
        const std::string code(m_states[i].code, m_states[i].length - 1u);
        m_file.put("$var wire " + std::to_string(item.bits) + " " + code + " " + item.name +
                   (item.bits > 1 ? " [" + std::to_string(item.bits - 1) + ":0]" : "") + " $end\n");
    }
    m_file.put(inner.empty() ? "" : "$upscope $end\n$upscope $end\n");
    m_file.put("$enddefinitions $end\n");
}

void vcd::file(uint64_t cycle, const change& item) {
    cycle = std::max(cycle, m_from); // what is due before can only be what a router decides late
    if (cycle > m_wanted.end) {
        return; // nothing is shown of it
    }
    if (cycle < m_settled) {
        ++m_late;
        cycle = m_settled;
    }
    m_pending.add(cycle, item);
}

void vcd::set(uint32_t signal, uint64_t value, uint64_t cycle) {
    if (shows(signal)) {
        change item = {signal, action::set, {value}};
        file(cycle, item);
    }
}

void vcd::add(uint32_t signal, int64_t value, uint64_t cycle) {
    if (shows(signal)) {
        change item = {signal, action::add, {static_cast<uint64_t>(value)}};
        file(cycle, item);
    }
}

void vcd::engine(uint32_t die, const engine_note& note, uint64_t cycle) {
    if (!shows(m_map.of_die(die, engine_state_signal))) {
        return;
    }
    set(m_map.of_die(die, engine_state_signal), static_cast<uint64_t>(note.state), cycle);
    set(m_map.of_die(die, window_signal), note.window, cycle);
    set(m_map.of_die(die, in_flight_signal), note.in_flight, cycle);
    set(m_map.of_die(die, runs_signal), note.runs, cycle);
    set(m_map.of_die(die, oldest_run_signal), or_undriven(note.oldest), cycle);
    set(m_map.of_die(die, fused_signal), note.fused, cycle);
    set(m_map.of_die(die, eliminated_signal), note.eliminated, cycle);
}

void vcd::operation(uint32_t die, uint32_t seq, uint64_t from, uint64_t to) {
    set(m_map.of_die(die, gating_signal), 1, from);
    set(m_map.of_die(die, gating_operation_signal), seq, from);
    set(m_map.of_die(die, gating_signal), 0, to);
    set(m_map.of_die(die, gating_operation_signal), undriven, to);
}

void vcd::host(uint32_t die, host_state doing, uint32_t seq, uint64_t cycle) {
    set(m_map.of_die(die, host_state_signal), static_cast<uint64_t>(doing), cycle);
    set(m_map.of_die(die, host_operation_signal), or_undriven(seq), cycle);
}

void vcd::compute(uint32_t die, uint32_t seq, uint64_t cycle) {
    set(m_map.of_die(die, compute_signal), seq != none ? 1 : 0, cycle);
    set(m_map.of_die(die, compute_operation_signal), or_undriven(seq), cycle);
}

void vcd::channel_begins(uint32_t die, uint32_t channel, const message_note& message,
                         uint64_t cycle, uint64_t ready) {
    const uint32_t first = m_map.of_channel(die, channel, channel_state_signal);
    set(first, static_cast<uint64_t>(channel_state::setting_up), cycle);
    set(first, static_cast<uint64_t>(channel_state::sending), ready);
    set(first + channel_destination_signal, message.destination, cycle);
    set(first + channel_operation_signal, message.seq, cycle);
    set(first + channel_transfer_signal, message.transfer, cycle);
}

void vcd::channel_ends(uint32_t die, uint32_t channel, uint64_t cycle) {
    const uint32_t first = m_map.of_channel(die, channel, channel_state_signal);
    set(first, static_cast<uint64_t>(channel_state::idle), cycle);
    set(first + channel_destination_signal, undriven, cycle);
    set(first + channel_operation_signal, undriven, cycle);
    set(first + channel_transfer_signal, undriven, cycle);
}

void vcd::arrived(const packet_note& packet, uint64_t cycle) {
    add(m_map.of_dma(packet.destination, arrived_packets_signal), packet.packets, cycle);
}

void vcd::buffered(uint32_t node, uint32_t in_port, uint32_t in_vc, uint32_t flits,
                   uint64_t cycle) {
    add(m_map.of_buffer(node, in_port, in_vc), flits, cycle);
}

void vcd::hop(const hop_note& note) {
    const uint32_t link = m_map.of_link(note.node, note.out_port, busy_signal);
    if (shows(link)) {
        change item = {link, action::link_begins, {0}};
        item.link[0] = note.packet.source;
        item.link[1] = note.packet.destination;
        item.link[2] = note.packet.seq;
        file(note.sent, item);
        item.what = action::link_ends;
        file(note.sent + note.busy_cycles, item);
    }
    if (note.in_vc != none) {
        add(m_map.of_buffer(note.node, note.in_port, note.in_vc), -int64_t{note.packet.flits},
            note.granted + note.packet.flits);
    }
}

void vcd::put_value(uint32_t index, uint64_t value) {
    shown_signal& item = m_states[index];
    item.value = value;
    if (!item.changed) {
        item.changed = true;
        m_changed.push_back(index);
    }
}

void vcd::apply(const change& item) {
    switch (item.what) {
    case action::set: put_value(item.signal, item.value); break;
    case action::add: put_value(item.signal, m_states[item.signal].value + item.value); break;
    case action::link_begins:
        put_value(item.signal, 1);
        put_value(item.signal + link_source_signal, item.link[0]);
        put_value(item.signal + link_destination_signal, item.link[1]);
        put_value(item.signal + link_operation_signal, item.link[2]);
        break;
    case action::link_ends:
        put_value(item.signal, 0);
        for (uint32_t which = link_source_signal; which < link_signals; ++which) {
            put_value(item.signal + which, undriven);
        }
        break;
    }
}

void vcd::advance(uint64_t until) {
    m_pending.take(until, [this](uint64_t cycle, const change& item) {
        if (cycle != m_now) {
            end_step();
            m_now = cycle;
        }
        apply(item);
    });
    m_settled = std::max(m_settled, until);
}

// All that is due at m_now is known: writes what differs from before.
void vcd::end_step() {
    if (m_now > m_begin && !m_shown && m_now <= m_wanted.end) {
        show_all();
    }
    for (uint32_t index : m_changed) {
        shown_signal& item = m_states[index];
        item.changed = false;
        if (m_shown && item.value != item.shown && m_now <= m_wanted.end) {
            write_time(m_now);
            write_value(item, item.value);
        }
        item.shown = item.value;
    }
    m_changed.clear();
    if (m_now == m_begin && !m_shown) {
        show_all();
    }
}

// What stands at the beginning, as `shown` has it.
void vcd::show_all() {
    m_shown = true;
    write_time(m_begin);
    m_file.put("$dumpvars\n");
    for (size_t i = 0; i < m_states.size(); ++i) {
        if (shows(static_cast<uint32_t>(i))) {
            write_value(m_states[i], m_states[i].shown);
        }
    }
    m_file.put("$end\n");
}

void vcd::write_time(uint64_t cycle) {
    if (cycle != m_written) {
        m_written = cycle;
        m_file.put('#');
        m_file.number(chm_clock_cycles_to_ps(cycle, m_map.shape().clock_khz));
        m_file.put('\n');
    }
}

void vcd::write_value(const shown_signal& item, uint64_t value) {
    if (item.bits == 1) {
        m_file.put(value != 0 ? '1' : '0');
    } else if (value == undriven) {
        m_file.put("bz ", 3);
    } else {
        m_file.put('b');
        m_file.binary(value);
        m_file.put(' ');
    }
    m_file.put(item.code, item.length);
}

bool vcd::finish(uint64_t last) {
    advance(last + 1);
    end_step();
    const uint64_t end = std::min(last, m_wanted.end);
    if (end >= m_begin) {
        if (!m_shown) {
            show_all();
        }
        write_time(end);
    }
    return m_file.close();
}

} // namespace chimera::trace
