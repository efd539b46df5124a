// SPDX-License-Identifier: Apache-2.0
#include "hw/trace/timeline.h"

#include <algorithm>

namespace chimera::trace {

namespace {

// Threads of a die's process, in the order in which they are shown.
enum : uint32_t {
    program_thread = 1,
    array_thread,
    gating_thread,
    first_run_thread = 100,
    first_channel_thread = 200,
    first_arrival_thread = 1000
};

} // namespace

timeline::timeline(const catalog& map, const selection& wanted)
    : m_map(map), m_wanted(wanted), m_hosts(map.shape().topology->dies), m_arrays(m_hosts.size()),
      m_run_lanes(m_hosts.size()), m_arrival_lanes(m_hosts.size()),
      m_channels(m_hosts.size() * map.shape().dma_channels) {
    for (uint32_t node = 0; node < map.shape().topology->nodes; ++node) {
        m_first_link.push_back(static_cast<uint32_t>(m_link_ports.size()));
        for (uint32_t port = 0; port < chm_node_outputs(map.shape().topology, node); ++port) {
            m_link_ports.push_back({node, port});
        }
    }
    m_links.resize(m_link_ports.size());
}

std::string timeline::operation_text(uint32_t seq) const {
    const std::string name = m_map.shape().operation_name(seq);
    return name.empty() ? "operation " + std::to_string(seq) : name;
}

timeline::track timeline::die_track(uint32_t die, uint32_t thread, const std::string& name) {
    const track where = {die + 1, thread};
    name_track(where, m_map.die_scope(die), name);
    return where;
}

// The first lane that is free.
uint32_t timeline::take_lane(lanes& all, uint64_t from) {
    const auto at =
        std::find_if(all.begin(), all.end(), [from](uint64_t free) { return free <= from; });
    const auto lane = static_cast<uint32_t>(at - all.begin());
    if (at == all.end()) {
        all.push_back(0);
    }
    all[lane] = UINT64_MAX; // until it is given back
    return lane;
}

void timeline::host(uint32_t die, host_state doing, uint32_t seq, uint64_t cycle) {
    stretch& now = m_hosts[die];
    if (doing != now.doing || seq != now.seq) {
        end_host(die, cycle);
        now = {doing, seq, cycle};
    }
}

void timeline::end_host(uint32_t die, uint64_t cycle) {
    const stretch& ended = m_hosts[die];
    if (ended.seq == none || ended.since == cycle) {
        return;
    }
    const track where = die_track(die, program_thread, "program");
    const std::string name = operation_text(ended.seq);
    switch (ended.doing) {
    case host_state::enqueueing: span(where, "queue " + name, ended.since, cycle); break;
    case host_state::ring_full: span(where, "ring full", ended.since, cycle); break;
    case host_state::waiting: span(where, "wait " + name, ended.since, cycle); break;
    case host_state::ready:
    case host_state::ended: break;
    }
}

void timeline::compute(uint32_t die, uint32_t seq, uint64_t cycle) {
    end_compute(die, cycle);
    m_arrays[die].seq = seq;
    m_arrays[die].since = cycle;
}

void timeline::end_compute(uint32_t die, uint64_t cycle) {
    if (m_arrays[die].seq != none) {
        span(die_track(die, array_thread, "compute"), operation_text(m_arrays[die].seq),
             m_arrays[die].since, cycle);
    }
}

void timeline::operation(uint32_t die, uint32_t seq, uint64_t from, uint64_t to) {
    span(die_track(die, gating_thread, "gating"), operation_text(seq), from, to);
}

void timeline::run(uint32_t die, uint32_t seq, run_step step, const std::string* name,
                   uint64_t cycle) {
    run_span& item = m_runs[{die, seq}];
    const auto index = static_cast<size_t>(step);
    if (step == run_step::decided) {
        item.name = *name;
        item.lane = take_lane(m_run_lanes[die], cycle);
        item.complete = true;
    }
    std::fill(item.at.begin() + static_cast<std::ptrdiff_t>(index), item.at.end(), cycle);
    if (step == run_step::retired) {
        end_run(die, item, cycle);
        m_runs.erase({die, seq});
    }
}

// What began before the trace has no place in it.
void timeline::end_run(uint32_t die, const run_span& run, uint64_t cycle) {
    if (!run.complete) {
        return;
    }
    m_run_lanes[die][run.lane] = cycle;
    const track where =
        die_track(die, first_run_thread + run.lane,
                  run.lane == 0 ? "engine" : "engine " + std::to_string(run.lane + 1));
    span(where, run.name, run.at[0], cycle);
    static const char* const stretches[] = {"plan", "wait", "transfer", "send"};
    for (size_t i = 0; i < 4; ++i) {
        if (run.at[i] < std::min(run.at[i + 1], cycle)) {
            span(where, stretches[i], run.at[i], std::min(run.at[i + 1], cycle));
        }
    }
}

void timeline::channel_begins(uint32_t die, uint32_t channel, const message_note& message,
                              uint64_t cycle, uint64_t) {
    m_channels[die * m_map.shape().dma_channels + channel] = {message, cycle, true};
    const message_key key = {message.source, message.destination, message.seq, message.transfer};
    if (!m_wanted.touches(m_map.die_scope(message.destination))) {
        return; // its arrival is not seen
    }
    m_sent[key] = {{die + 1, first_channel_thread + channel}, cycle};
}

void timeline::channel_ends(uint32_t die, uint32_t channel, uint64_t cycle) {
    sending& done = m_channels[die * m_map.shape().dma_channels + channel];
    if (!done.busy) {
        return;
    }
    done.busy = false;
    span(die_track(die, first_channel_thread + channel, "channel " + std::to_string(channel)),
         operation_text(done.message.seq) + " to " + m_map.die_scope(done.message.destination),
         done.since, cycle,
         "\"transfer\":" + std::to_string(done.message.transfer) +
             ",\"bytes\":" + std::to_string(done.message.bytes) +
             ",\"packets\":" + std::to_string(done.message.packets));
}

void timeline::arrived(const packet_note& packet, uint64_t cycle) {
    if (packet.bytes == 0) {
        return; // a credit
    }
    const message_key key = {packet.source, packet.destination, packet.seq, packet.transfer};
    const auto [at, first] = m_arriving.insert({key, {}});
    receiving& message = at->second;
    if (first) {
        message.since = cycle - std::min<uint64_t>(cycle, packet.flits);
        message.lane = take_lane(m_arrival_lanes[packet.destination], message.since);
    }
    message.arrived += packet.packets;
    message.bytes += packet.bytes;
    if (packet.last) {
        message.expected = uint64_t{packet.index} + packet.packets;
    }
    if (message.arrived == message.expected) {
        end_message(key, message, cycle);
        m_arriving.erase(at);
    }
}

void timeline::end_message(const message_key& key, const receiving& message, uint64_t cycle) {
    const auto die = static_cast<uint32_t>(key[1]);
    m_arrival_lanes[die][message.lane] = cycle;
    const track where = die_track(die, first_arrival_thread + message.lane,
                                  "arrivals " + std::to_string(message.lane));
    const bool shown = span(where,
                            operation_text(static_cast<uint32_t>(key[2])) + " from " +
                                m_map.die_scope(static_cast<uint32_t>(key[0])),
                            message.since, cycle,
                            "\"transfer\":" + std::to_string(key[3]) +
                                ",\"bytes\":" + std::to_string(message.bytes));
    const auto sent = m_sent.find(key);
    if (sent == m_sent.end()) {
        return;
    }
    const auto [from, since] = sent->second;
    m_sent.erase(sent);
    if (shown && since >= m_wanted.begin && message.since <= m_wanted.end) {
        ++m_flows;
        flow('s', from, since, m_flows);
        flow('f', where, std::max(message.since, m_wanted.begin), m_flows);
    }
}

void timeline::hop(const hop_note& note) {
    m_late += note.sent < m_settled ? 1 : 0;
    m_hops.add(note.sent, {m_first_link[note.node] + note.out_port, note.packet.seq,
                           static_cast<uint32_t>(note.packet.packets), note.busy_cycles});
}

void timeline::advance(uint64_t until) {
    m_hops.take(until, [this](uint64_t cycle, const hop_item& item) {
        link_span& link = m_links[item.link];
        // A gap of a packet or less does not end it.
        if (item.seq != link.seq || cycle > link.until + item.cycles) {
            end_link(item.link);
            link = {item.seq, cycle, cycle, 0, 0};
        }
        link.until = cycle + item.cycles;
        link.packets += item.packets;
        link.cycles += item.cycles;
    });
    m_settled = std::max(m_settled, until);
}

void timeline::end_link(uint32_t index) {
    const link_span& link = m_links[index];
    if (link.seq == none) {
        return;
    }
    const auto [node, port] = m_link_ports[index];
    const track where = {m_map.shape().topology->dies + 1 + node, port + 1};
    name_track(where, m_map.node_scope(node), "to " + m_map.behind_output(node, port));
    span(where, operation_text(link.seq), link.since, link.until,
         "\"packets\":" + std::to_string(link.packets) +
             ",\"busy_cycles\":" + std::to_string(link.cycles));
}

bool timeline::finish(uint64_t last) {
    advance(last + 1);
    for (uint32_t die = 0; die < m_hosts.size(); ++die) {
        end_host(die, last);
        end_compute(die, last);
        for (uint32_t channel = 0; channel < m_map.shape().dma_channels; ++channel) {
            channel_ends(die, channel, last);
        }
    }
    for (const auto& [key, run] : m_runs) {
        end_run(key.first, run, last);
    }
    for (const auto& [key, message] : m_arriving) {
        end_message(key, message, last);
    }
    for (uint32_t link = 0; link < m_links.size(); ++link) {
        end_link(link);
    }
    m_file.put("\n]}\n");
    return m_file.close();
}

} // namespace chimera::trace
