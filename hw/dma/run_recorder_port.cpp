// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hw/dma/run_recorder.h"

// Messages and packets of a recorded run.

namespace chimera::dma {

run_recorder::message_key run_recorder::key_of(uint32_t source, uint32_t destination,
                                               const fabric::packet_tag& tag) {
    return {uint64_t{source} << 32 | destination, tag.seq, tag.chunk};
}

void run_recorder::post(uint32_t die, uint32_t destination, const fabric::packet_tag& tag,
                        const cause& after, uint64_t ready) {
    message& item = m_messages[key_of(die, destination, tag)];
    item.after = m_graph.usable_at(die, after, ready);
    item.ready = ready;
}

void run_recorder::posted(uint32_t die, uint32_t outgoing, uint32_t destination,
                          const fabric::packet_tag& tag, uint64_t ready) {
    recorded_run& run = run_of(die, tag.seq);
    const auto credit = run.credits.find(destination);
    if (credit != run.credits.end() && run.program->out(outgoing).kind != chm_transfer_credit) {
        m_graph.unite(die, run.out[outgoing], credit->second);
    }
    post(die, destination, tag, run.out[outgoing], ready);
    run.left[outgoing] = run.out[outgoing];
}

void run_recorder::credit_posted(uint32_t die, uint32_t destination, const fabric::packet_tag& tag,
                                 uint64_t ready) {
    post(die, destination, tag, run_of(die, tag.seq).issue, ready);
}

void run_recorder::pulled(const fabric::packet& item, uint32_t number, uint64_t now) {
    port_state& port = m_dies[item.source].ports[number];
    const bool goes_on = port.unbroken && item.index != 0 && item.index == port.next_index &&
                         item.destination == port.last_destination &&
                         item.tag.seq == port.last_tag.seq && item.tag.chunk == port.last_tag.chunk;
    if (!goes_on) {
        begin_stretch(item, port, now);
    }
    m_graph.extend(port.stretch, uint64_t{item.payload_bytes} + item.metadata_bytes);
    port.unbroken = true;
    port.next_index = item.index + 1;
    port.last_destination = item.destination;
    port.last_tag = item.tag;
}

// The port asks as soon as it is free: a stretch that follows another at once has been ready before
// or is ready now, one that does not is ready now.
void run_recorder::begin_stretch(const fabric::packet& item, port_state& port, uint64_t now) {
    const uint32_t die = item.source;
    message& of = m_messages[key_of(die, item.destination, item.tag)];
    cause after = of.after;
    if (!port.unbroken && of.ready < now) { // memory was slow, or no channel was free
        after = m_graph.usable_at(die, after, now);
        port.latest = after;
        port.latest_ready = now;
    } else if (of.ready >= port.latest_ready) {
        port.latest = after;
        port.latest_ready = of.ready;
    } else {
        m_graph.unite(die, after, port.latest);
    }
    const uint32_t route = static_cast<uint32_t>(item.message + item.index);
    port.stretch = m_graph.send(die, item.destination, after, port.latest_ready, route);
    of.stretches.push_back({item.index, port.stretch});
}

void run_recorder::arrived(const fabric::packet& item, uint64_t now) {
    const message& of = m_messages.at(key_of(item.source, item.destination, item.tag));
    const auto after =
        std::upper_bound(of.stretches.begin(), of.stretches.end(), item.index,
                         [](uint32_t index, const auto& stretch) { return index < stretch.first; });
    m_graph.arrived(std::prev(after)->second, now);
}

// What a message that is complete here stands for; it is not asked for again.
cause run_recorder::take_arrived(const message_key& key, uint32_t die) {
    const auto found = m_messages.find(key);
    cause nodes, all;
    for (const auto& [index, node] : found->second.stretches) {
        nodes.push_back(node);
    }
    m_messages.erase(found);
    std::sort(nodes.begin(), nodes.end());
    m_graph.unite(die, all, nodes);
    return all;
}

} // namespace chimera::dma
