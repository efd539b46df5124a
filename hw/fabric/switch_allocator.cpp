// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/switch_allocator.h"

namespace chimera::fabric {

switch_allocator::switch_allocator(uint32_t inputs, uint32_t outputs, uint32_t vcs)
    : m_outputs(outputs), m_vcs(vcs), m_islip(inputs, outputs), m_turn(inputs, 0),
      m_asker(static_cast<size_t>(inputs) * outputs, none) {
    m_requests.reserve(static_cast<size_t>(inputs) * vcs);
    m_grants.reserve(inputs < outputs ? inputs : outputs);
}

const std::vector<switch_allocator::grant>& switch_allocator::allocate() {
    m_grants.clear();
    if (m_requests.size() == 1) { // the most frequent case
        note(m_requests.front());
        m_grants.push_back(m_requests.front());
        m_requests.clear();
        return m_grants;
    }
    for (const grant& item : m_requests) {
        uint32_t& asker = m_asker[item.input * m_outputs + item.output];
        if (asker == none) {
            asker = item.vc;
            m_islip.request(item.input, item.output);
            continue;
        }
        const uint32_t turn = m_turn[item.input];
        const bool passed = item.vc < turn, asker_passed = asker < turn;
        if (passed == asker_passed ? item.vc < asker : asker_passed) {
            asker = item.vc;
        }
    }
    for (const islip::match& match : m_islip.allocate()) {
        uint32_t vc = m_asker[match.input * m_outputs + match.output];
        m_turn[match.input] = vc + 1 == m_vcs ? 0 : vc + 1;
        m_grants.push_back({match.input, vc, match.output});
    }
    for (const grant& item : m_requests) {
        m_asker[item.input * m_outputs + item.output] = none;
    }
    m_requests.clear();
    return m_grants;
}

} // namespace chimera::fabric
