// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/lt/lt_turns.h"

#include <algorithm>

namespace chimera::fabric {

namespace {
constexpr size_t turns_ahead = 2; // of each step of fetching: a turn is about as long as a fetch
}

lt_turns::lt_turns(const sc_core::sc_module_name& name)
    : sc_core::sc_module(name), m_event("turn") {
    SC_METHOD(activate);
    sensitive << m_event;
    dont_initialize();
}

void lt_turns::ask(uint32_t place, lt_turn_taker& taker, uint64_t now) {
    m_now = now;
    if (m_asked.empty()) {
        m_event.notify(sc_core::SC_ZERO_TIME);
    }
    m_asked.emplace_back(place, &taker);
}

void lt_turns::activate() {
    m_serving.swap(m_asked);
    // Places differ, so that addresses are never compared.
    std::sort(m_serving.begin(), m_serving.end(),
              [](const asked& a, const asked& b) { return a.first < b.first; });
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
