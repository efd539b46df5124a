// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/lt/lt_turns.h"

#include <algorithm>

namespace chimera::fabric {

namespace {
constexpr size_t turns_ahead = 2; // of each step of fetching: a turn is about as long as a fetch
constexpr size_t few = 256;       // takers, that stay in the caches
} // namespace

lt_turns::lt_turns(const sc_core::sc_module_name& name, uint64_t khz, uint64_t round_cycles,
                   uint64_t& activations)
    : sc_core::sc_module(name), m_khz(khz), m_round_cycles(round_cycles),
      m_activations(activations), m_wakeup("wakeup", khz), m_turn("turn") {
    SC_METHOD(activate);
    sensitive << m_turn;
    dont_initialize();
    SC_METHOD(wake);
    sensitive << m_wakeup.event();
    dont_initialize();
}

uint64_t lt_turns::present() const {
    return m_active ? m_now : chm_clock_ps_to_cycles(sc_core::sc_time_stamp().value(), m_khz);
}

uint64_t lt_turns::ask(asking& kind, uint32_t who, lt_turn_taker& taker, uint64_t cycle,
                       uint64_t now) {
    const uint64_t turn = std::max(now, cycle - cycle % m_round_cycles);
    if (who >= kind.takers.size()) {
        kind.takers.resize(who + 1);
    }
    kind.takers[who] = &taker;
    kind.rounds.add(turn, who);
    if (!m_active) {
        m_wakeup.at(turn);
    }
    return turn;
}

void lt_turns::wake() {
    m_now = m_wakeup.fired();
    m_round_begin = m_now - m_now % m_round_cycles;
    ++m_activations;
    m_turn.notify(sc_core::SC_ZERO_TIME);
}

void lt_turns::activate() {
    m_active = true;
    serve(m_interfaces);
    serve(m_routers);
    m_active = false;
    for (const asking* kind : {&m_interfaces, &m_routers}) {
        if (!kind->rounds.empty()) {
            m_wakeup.at(kind->rounds.next());
        }
    }
}

void lt_turns::serve(asking& kind) {
    if (kind.rounds.empty() || kind.rounds.next() > m_now) {
        return;
    }
    m_serving.clear();
    kind.rounds.take([&](uint32_t who) { m_serving.push_back(kind.takers[who]); });
    const size_t count = m_serving.size();
    if (kind.takers.size() <= few) {
        for (lt_turn_taker* each : m_serving) {
            each->take_turn(m_now);
        }
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        if (i + 3 * turns_ahead < count) {
            __builtin_prefetch(m_serving[i + 3 * turns_ahead]);
        }
        if (i + 2 * turns_ahead < count) {
            m_serving[i + 2 * turns_ahead]->prefetch_queues();
        }
        if (i + turns_ahead < count) {
            m_serving[i + turns_ahead]->prefetch_first();
        }
        m_serving[i]->take_turn(m_now);
    }
}

} // namespace chimera::fabric
