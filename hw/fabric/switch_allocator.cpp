// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/switch_allocator.h"

namespace chimera::fabric {

switch_allocator::switch_allocator(uint32_t inputs, uint32_t outputs, uint32_t vcs)
    : m_outputs(outputs), m_vcs(vcs), m_islip(inputs, outputs), m_turn(inputs, 0),
      m_asker(static_cast<size_t>(inputs) * outputs, none) {
    m_requests.resize(static_cast<size_t>(inputs) * vcs);
    m_grants.reserve(inputs < outputs ? inputs : outputs);
}

namespace {

// Whether `a` comes before `b` in a round that starts at `turn`.
bool nearer(uint32_t a, uint32_t b, uint32_t turn) {
    const bool passed = a < turn, other_passed = b < turn;
    return passed == other_passed ? a < b : other_passed;
}

} // namespace

// The grant when all ask for one output.
switch_allocator::grant switch_allocator::first_in_turn() const {
    grant winner = m_requests.front();
    const uint32_t pointer = m_islip.grant_pointer(winner.output);
    for (size_t i = 1; i < m_count; ++i) {
        const grant& item = m_requests[i];
        if (item.input == winner.input ? nearer(item.vc, winner.vc, m_turn[item.input])
                                       : nearer(item.input, winner.input, pointer)) {
            winner = item;
        }
    }
    return winner;
}

const std::vector<switch_allocator::grant>& switch_allocator::allocate() {
    m_grants.clear();
    if (!m_several_outputs) { // as most often
        const grant winner = first_in_turn();
        note(winner);
        m_grants.push_back(winner);
        m_count = 0;
        return m_grants;
    }
    m_several_outputs = false;
    for (size_t i = 0; i < m_count; ++i) {
        const grant& item = m_requests[i];
        uint32_t& asker = m_asker[item.input * m_outputs + item.output];
        if (asker == none) {
            asker = item.vc;
            m_islip.request(item.input, item.output);
            continue;
        }
        asker = nearer(item.vc, asker, m_turn[item.input]) ? item.vc : asker;
    }
    for (const islip::match& match : m_islip.allocate()) {
        uint32_t vc = m_asker[match.input * m_outputs + match.output];
        m_turn[match.input] = vc + 1 == m_vcs ? 0 : vc + 1;
        m_grants.push_back({match.input, vc, match.output});
    }
    for (size_t i = 0; i < m_count; ++i) {
        const grant& item = m_requests[i];
        m_asker[item.input * m_outputs + item.output] = none;
    }
    m_count = 0;
    return m_grants;
}

} // namespace chimera::fabric
