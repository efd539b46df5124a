// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/lt/lt_turns.h"

#include <algorithm>

namespace chimera::fabric {

namespace {
constexpr size_t turns_ahead = 2; // of each step of fetching: a turn is about as long as a fetch
}

lt_turns::lt_turns(const sc_core::sc_module_name& name, uint64_t khz, uint64_t round_cycles,
                   uint64_t& activations)
    : sc_core::sc_module(name), m_round_cycles(round_cycles), m_activations(activations),
      m_wakeup("wakeup", khz), m_turn("turn") {
    SC_METHOD(activate);
    sensitive << m_turn;
    dont_initialize();
    SC_METHOD(wake);
    sensitive << m_wakeup.event();
    dont_initialize();
}

void lt_turns::ask(uint32_t die, lt_turn_taker& taker, uint64_t now) {
    m_now = now;
    if (m_asked.empty()) {
        m_turn.notify(sc_core::SC_ZERO_TIME);
    }
    m_asked.emplace_back(die, &taker);
}

uint64_t lt_turns::ask_in_round(uint32_t node, lt_turn_taker& taker, uint64_t cycle, uint64_t now) {
    const uint64_t turn = std::max(now, cycle - cycle % m_round_cycles);
    if (node >= m_routers.size()) {
        m_routers.resize(node + 1);
    }
    m_routers[node] = &taker;
    m_rounds.add(turn, node);
    m_wakeup.at(turn);
    return turn;
}

void lt_turns::wake() {
    m_now = m_wakeup.fired();
    ++m_activations;
    m_turn.notify(sc_core::SC_ZERO_TIME);
}

void lt_turns::activate() {
    m_serving.swap(m_asked);
    // Dies differ, so that addresses are never compared.
    std::sort(m_serving.begin(), m_serving.end(),
              [](const asked& a, const asked& b) { return a.first < b.first; });
    serve();
    if (!m_rounds.empty() && m_rounds.next() <= m_now) {
        m_rounds.take([this](uint32_t node) { m_serving.emplace_back(node, m_routers[node]); });
        serve();
    }
    if (!m_rounds.empty()) {
        m_wakeup.at(m_rounds.next());
    }
}

void lt_turns::serve() {
    const size_t count = m_serving.size();
    for (size_t i = 0; i < count; ++i) {
        if (i + 3 * turns_ahead < count) {
            __builtin_prefetch(m_serving[i + 3 * turns_ahead].second);
        }
        if (i + 2 * turns_ahead < count) {
            m_serving[i + 2 * turns_ahead].second->prefetch_queues();
        }
        if (i + turns_ahead < count) {
            m_serving[i + turns_ahead].second->prefetch_first();
        }
        m_serving[i].second->take_turn(m_now);
    }
    m_serving.clear();
}

} // namespace chimera::fabric
