// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/lt_turns.h"

#include <algorithm>

namespace chimera::fabric {

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
    for (const asked& each : m_serving) {
        each.second->take_turn(m_now);
    }
    m_serving.clear();
}

} // namespace chimera::fabric
