// SPDX-License-Identifier: Apache-2.0
#include "hw/trace/tracer.h"

#include <algorithm>
#include <utility>

namespace chimera::trace {

namespace {
constexpr uint32_t told_at_once = 64;
}

uint64_t latest(const chm_topology& topology) {
    uint64_t longest =
        std::max(topology.injection_latency_cycles, topology.ejection_latency_cycles);
    for (uint32_t i = 0; i < topology.link_count; ++i) {
        longest = std::max(longest, uint64_t{topology.links[i].latency_cycles});
    }
    // A router decides no later than what it decides is due at the other end: a head a link's
    // latency after it left, a tail its packet's flits later, credits a little after that.
    const uint64_t packet = topology.header_flits +
                            (topology.mtu_bytes + topology.flit_bytes - 1) / topology.flit_bytes;
    return topology.router_cycles + longest + packet;
}

tracer::tracer(const machine_shape& shape, std::function<uint64_t()> now)
    : m_map(shape), m_now(std::move(now)), m_latest(latest(*shape.topology)) {}

tracer::~tracer() {
    finish();
}

template<typename Write> bool tracer::write(const Write& write) {
    bool written = true;
    for (size_t i = 0; i < m_sinks.size(); ++i) {
        if (!write(*m_sinks[i])) {
            m_unwritten = m_unwritten.empty() ? m_paths[i] : m_unwritten;
            written = false;
        }
    }
    return written;
}

bool tracer::flush() {
    complete();
    return write([](sink& file) { return file.flush(); });
}

// What is due before can no longer come.
void tracer::complete() {
    m_told = 0;
    const uint64_t now = m_now();
    for (const auto& each : m_sinks) {
        each->advance(now - std::min(now, m_latest));
    }
}

bool tracer::finish() {
    const bool written = m_finished || write([this](sink& file) { return file.finish(m_now()); });
    m_finished = true;
    return written;
}

uint64_t tracer::late() const {
    uint64_t sum = 0;
    for (const auto& each : m_sinks) {
        sum += each->late();
    }
    return sum;
}

template<typename Tell> void tracer::tell(const Tell& tell) {
    if (++m_told == told_at_once) {
        complete();
    }
    for (const auto& each : m_sinks) {
        tell(*each);
    }
}

void tracer::engine(uint32_t die, const engine_note& note, uint64_t cycle) {
    tell([&](sink& to) { to.engine(die, note, cycle); });
}

void tracer::run(uint32_t die, uint32_t seq, run_step step, const std::string* name,
                 uint64_t cycle) {
    tell([&](sink& to) { to.run(die, seq, step, name, cycle); });
}

void tracer::operation(uint32_t die, uint32_t seq, uint64_t from, uint64_t to_cycle) {
    tell([&](sink& to) { to.operation(die, seq, from, to_cycle); });
}

void tracer::host(uint32_t die, host_state state, uint32_t seq, uint64_t cycle) {
    tell([&](sink& to) { to.host(die, state, seq, cycle); });
}

void tracer::compute(uint32_t die, uint32_t seq, uint64_t cycle) {
    tell([&](sink& to) { to.compute(die, seq, cycle); });
}

void tracer::channel_begins(uint32_t die, uint32_t channel, const message_note& message,
                            uint64_t cycle, uint64_t ready) {
    tell([&](sink& to) { to.channel_begins(die, channel, message, cycle, ready); });
}

void tracer::channel_ends(uint32_t die, uint32_t channel, uint64_t cycle) {
    tell([&](sink& to) { to.channel_ends(die, channel, cycle); });
}

void tracer::arrived(const packet_note& packet, uint64_t cycle) {
    tell([&](sink& to) { to.arrived(packet, cycle); });
}

void tracer::buffered(uint32_t node, uint32_t in_port, uint32_t in_vc, uint32_t flits,
                      uint64_t cycle) {
    tell([&](sink& to) { to.buffered(node, in_port, in_vc, flits, cycle); });
}

void tracer::hop(const hop_note& note) {
    tell([&](sink& to) { to.hop(note); });
}

} // namespace chimera::trace
